// Embed, Look: presets and colors fill in the fields, and the preview, a frame with the real widget, shows
// them before they're saved. The server explains how an accent is adapted.

import { getElement } from "../elements.js";

const ACCENT = /^#?[0-9a-f]{6}$/i;
const FOLLOW_AFTER_MS = 300; // a color picker reports every movement

const form = getElement(document, "#look", HTMLFormElement);
const accent = getElement(form, "[name=accent]", HTMLInputElement);
const picker = getElement(form, "#picker", HTMLInputElement);
const contrast = getElement(form, "#contrast", HTMLElement);
const preview = document.querySelector("iframe.preview");
/** @type {Record<string, Record<string, string>>} */
const presets = JSON.parse(form.dataset.presets ?? "{}");
/** @type {NodeListOf<HTMLButtonElement>} */
const swatches = form.querySelectorAll(".swatches button");

/** Return the chosen accent, the default for an empty field, or an empty text for an invalid one. */
function readAccent() {
  const text = accent.value.trim() || accent.placeholder;
  return ACCENT.test(text) ? text.replace("#", "").toLowerCase() : "";
}

/** Return all choices as parameters of the widget's address. */
function readChoices() {
  const fields = new FormData(form);
  const choices = [...fields].filter(([name]) => !["csrf_token", "preset", "accent", "hide"].includes(name));
  choices.push(["accent", readAccent()], ["hide", fields.getAll("hide").join(",")]);
  return choices.map(([name, value]) => [name, value instanceof File ? value.name : value]);
}

/** Mark the preset and colors that match the choices. */
function mark() {
  const chosen = Object.fromEntries(readChoices());
  /** @type {NodeListOf<HTMLInputElement>} */
  const radios = form.querySelectorAll("[name=preset]");
  for (const radio of radios) {
    radio.checked = Object.entries(presets[radio.value]).every(([name, value]) => chosen[name] === value);
  }
  for (const one of swatches) one.ariaPressed = String(one.dataset.colorValue === chosen.accent);
  if (chosen.accent) picker.value = `#${chosen.accent}`;
  accent.setAttribute("aria-invalid", String(!chosen.accent));
  if (chosen.accent) document.getElementById(`${accent.id}-wrong`)?.remove(); // the server's earlier message
}

/** @param {string} color */
async function explain(color) {
  const query = new URLSearchParams({ accent: color });
  const answer = await fetch(`${form.dataset.contrast}?${query}`).catch(() => null);
  if (!answer?.ok) return;
  /** @type {{ sentences: string[] }} */
  const { sentences } = await answer.json();
  if (color !== explained) return; // a newer answer was faster
  contrast.replaceChildren(...sentences.map((sentence) => {
    const item = document.createElement("li");
    item.textContent = sentence;
    return item;
  }));
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let explained = readAccent();

function update() {
  mark();
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (preview instanceof HTMLIFrameElement) {
      // Not with src, which would add every choice to the history.
      preview.contentWindow?.location.replace(`${form.dataset.preview}?${new URLSearchParams(readChoices())}`);
    }
    if (!readAccent() || readAccent() === explained) return;
    explained = readAccent();
    explain(explained);
  }, FOLLOW_AFTER_MS);
}

form.addEventListener("input", ({ target }) => {
  if (target === picker) accent.value = picker.value.slice(1);
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
if (preview instanceof HTMLIFrameElement) {
  const show = () => showStep(preview);
  preview.addEventListener("load", show);
  for (const radio of document.querySelectorAll("[name=step]")) radio.addEventListener("input", show);
}

/**
 * Show the chosen step in the frame by pressing what a visitor would press.
 * @param {HTMLIFrameElement} preview
 */
function showStep(preview) {
  const inside = preview.contentDocument;
  if (!inside?.querySelector("#widget[data-ready]")) return;
  const step = document.querySelector("[name=step]:checked")?.getAttribute("value");
  /** @param {string} selector */
  const press = (selector) => {
    const found = inside.querySelector(selector);
    if (found && "click" in found && typeof found.click === "function") found.click();
  };
  const isSigning = Boolean(inside.querySelector(".flow:not([hidden])"));
  if (isSigning !== (step === "signing")) press(isSigning ? ".flow [data-do=close]" : "#add");
  const hasDetails = Boolean(inside.querySelector(".wallet > details[open]"));
  if (hasDetails !== (step === "details")) press(".wallet > details" + (hasDetails ? "[open]" : "") + " > summary");
}
