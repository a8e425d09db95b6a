// The Embed tab: snippets and preview follow the choices at once, and a pasted key goes into the
// snippets. Nothing of it is sent; without this script, the form reloads the page.

import { getElement } from "../elements.js";
import { judgeKey } from "./pasted-key.js";

const ACCENT = /^#?[0-9a-f]{6}$/i;
const PREVIEW_AFTER_MS = 300; // a color picker reports every movement

const form = getElement(document, "#look", HTMLFormElement);
const accent = getElement(form, "[name=accent]", HTMLInputElement);
const height = getElement(form, "[name=height]", HTMLInputElement);
const picker = getElement(form, "#picker", HTMLInputElement);
const siteForm = document.querySelector("#site-form");
const keptKey = document.querySelector("#kept-key");
const preview = document.querySelector("iframe.preview");
const { address: firstAddress = "", height: firstHeight = "", placeholder = "" } = form.dataset;
const shown = { address: firstAddress, height: firstHeight };
let key = new URL(shown.address).searchParams.get("key") ?? "";

/** Return the chosen arguments of the widget's address; mistakes are left out. */
function readLook() {
  const fields = new FormData(form);
  /** @param {string} name */
  const read = (name) => String(fields.get(name) ?? "");
  const color = ACCENT.test(accent.value) ? accent.value.replace("#", "").toLowerCase() : "";
  return Object.entries({
    theme: read("theme"),
    accent: color,
    lang: read("lang"),
    hide: fields.getAll("hide").join(","),
  }).filter(([, value]) => value);
}

/** Return the address of the widget with the chosen look. */
function buildAddress() {
  const query = new URLSearchParams([["key", key], ...readLook()]);
  return `${shown.address.split("?")[0]}?${query}`.replaceAll("%2C", ",");
}

/** Return the choices as the server reads them. */
function listChoices() {
  const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(chosen);
}

/** Write the choices into the snippets. */
function updateSnippets() {
  const address = buildAddress();
  const pixels = height.validity.valid && height.value ? height.value : shown.height;
  const theme = String(new FormData(form).get("theme") || "light");
  const scheme = theme === "auto" ? "light dark" : theme;
  for (const code of document.querySelectorAll(".code")) {
    code.textContent = code.textContent
      .replaceAll(escapeText(shown.address), escapeText(address))
      .replaceAll(`height="${shown.height}"`, `height="${pixels}"`)
      .replace(/((?:color-s|colorS)cheme: "?)[a-z ]+/, `$1${scheme}`);
  }
  Object.assign(shown, { address, height: pixels });
}

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll("&", "&amp;");
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function updatePreview() {
  if (!(preview instanceof HTMLIFrameElement)) return;
  preview.height = shown.height;
  clearTimeout(timer);
  timer = setTimeout(() => {
    // Not by src, which would add each choice to the history.
    preview.contentWindow?.location.replace(`${preview.src.split("?")[0]}?${listChoices()}`);
  }, PREVIEW_AFTER_MS);
}

function update() {
  for (const field of [accent, height]) {
    const isWrong = field === accent
      ? Boolean(accent.value) && !ACCENT.test(accent.value)
      : !height.validity.valid;
    field.setAttribute("aria-invalid", String(isWrong));
    if (!isWrong) document.getElementById(`${field.id}-wrong`)?.remove(); // what the server said before
  }
  updateSnippets();
  updatePreview();
  if (siteForm instanceof HTMLFormElement) siteForm.action = `${form.action}?${listChoices()}`;
}

function showAccent() {
  if (ACCENT.test(accent.value)) picker.value = `#${accent.value.replace("#", "").toLowerCase()}`;
}

picker.value = "#2455d6"; // the widget's own
showAccent();
picker.addEventListener("input", () => {
  accent.value = picker.value.slice(1);
  update();
});
accent.addEventListener("input", showAccent);
form.addEventListener("input", (event) => {
  if (event.target !== picker) update();
});
form.addEventListener("submit", (event) => event.preventDefault()); // by Enter: it is shown already

if (keptKey instanceof HTMLInputElement) {
  const state = getElement(document, "#kept-key-state", HTMLElement);
  /** @type {Record<string, string>} */
  const names = JSON.parse(keptKey.dataset.names ?? "{}");
  keptKey.addEventListener("input", () => {
    const judged = judgeKey(keptKey.value, names);
    key = judged.key ?? placeholder;
    state.textContent = judged.sentence;
    state.className = judged.key ? "good-text" : "wrong";
    keptKey.setAttribute("aria-invalid", String(Boolean(judged.sentence) && !judged.key));
    updateSnippets();
  });
}
