// Embed, Look: styles and colors fill in the fields, and the preview, a frame with the real widget, shows
// them before they're saved.

import { getElement } from "../elements.js";

const FOLLOW_AFTER_MS = 300; // a color picker reports every movement

const form = getElement(document, "#look", HTMLFormElement);
const accent = getElement(form, "[name=accent]", HTMLInputElement);
const preview = document.querySelector("iframe.preview");
/** @type {Record<string, Record<string, string>>} */
const presets = JSON.parse(form.dataset.presets ?? "{}");
/** @type {NodeListOf<HTMLButtonElement>} */
const swatches = form.querySelectorAll(".swatches button");

form.addEventListener("formdata", ({ formData }) => formData.delete("preset")); // its fields are filled in

/** Return all choices as parameters of the widget's address. */
function readChoices() {
  const fields = new FormData(form);
  const choices = [...fields].filter(([name]) => name !== "csrf_token" && name !== "hide");
  choices.push(["hide", fields.getAll("hide").join(",")]);
  return choices.map(([name, value]) => [name, value instanceof File ? value.name : value]);
}

/** Mark the style, whatever its accent, and the color that match the choices. */
function mark() {
  const chosen = Object.fromEntries(readChoices());
  /** @type {NodeListOf<HTMLInputElement>} */
  const radios = form.querySelectorAll("[name=preset]");
  for (const radio of radios) {
    const fields = Object.entries(presets[radio.value]);
    radio.checked = fields.every(([name, value]) => name === "accent" || chosen[name] === value);
  }
  for (const one of swatches) one.ariaPressed = String(one.dataset.colorValue === accent.value);
}

const readStep = () => document.querySelector("[name=step]:checked")?.getAttribute("value");

function load() {
  if (!(preview instanceof HTMLIFrameElement)) return;
  const query = new URLSearchParams(readChoices());
  if (readStep() === "strip") query.set("size", "strip");
  // Not with src, which would add every choice to the history.
  preview.contentWindow?.location.replace(`${form.dataset.preview}?${query}`);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function update() {
  mark();
  clearTimeout(timer);
  timer = setTimeout(load, FOLLOW_AFTER_MS);
}

form.addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement && target.name === "preset") fillIn(presets[target.value]);
  update();
});
for (const swatch of swatches) {
  swatch.addEventListener("click", () => {
    accent.value = swatch.dataset.colorValue ?? "";
    update();
  });
}
form.addEventListener("reset", () => setTimeout(update)); // after the fields have their values

/** @param {Record<string, string>} texts */
function fillIn(texts) {
  for (const [name, value] of Object.entries(texts)) {
    const field = form.elements.namedItem(name);
    if (field instanceof RadioNodeList || field instanceof HTMLInputElement) field.value = value;
  }
}

// Ask before leaving the page, for example with the form for a key.
const isRefused = form.querySelector(".wrong") !== null; // the shown values weren't saved
const saved = isRefused ? "" : JSON.stringify(readChoices());
let isSaving = false;
form.addEventListener("submit", () => (isSaving = true));
addEventListener("beforeunload", (event) => {
  if (!isSaving && JSON.stringify(readChoices()) !== saved) event.preventDefault();
});

mark();
for (const radio of document.querySelectorAll("[name=step]")) radio.addEventListener("input", load);
preview?.addEventListener("load", () => {
  const inside = preview instanceof HTMLIFrameElement && preview.contentDocument, step = readStep();
  if (!inside) return;
  // A strip's address has no text size.
  if (step === "strip") inside.documentElement.dataset.size = String(new FormData(form).get("size"));
  // The step is shown by pressing what a visitor would press.
  const pressed = step === "details" ? ".wallet > details > summary" : step === "signing" ? "#add" : "none";
  const found = inside.querySelector(`#widget[data-ready] :is(${pressed})`);
  if (found && "click" in found && typeof found.click === "function") found.click();
});
