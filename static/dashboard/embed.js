// Embed, Install: the snippet follows its language and height, and a pasted key goes into it. Without
// this script, forms reload the page.

import { getElement } from "../elements.js";
import { say } from "../widget/words.js";
import { texts } from "./dashboard.js";
import { judgeKey } from "./pasted-key.js";

const form = getElement(document, "#snippet-form", HTMLFormElement);
const height = getElement(form, "[name=height]", HTMLInputElement);
const siteForm = document.querySelector("#site-form");
const keptKey = document.querySelector("#kept-key");
const { address: firstAddress = "", height: firstHeight = "", placeholder = "" } = form.dataset;
let key = new URL(firstAddress).searchParams.get("key") ?? "";
const shown = { address: firstAddress, height: firstHeight };

/** Write the choices and the key into the snippets. */
function updateSnippets() {
  const lang = String(new FormData(form).get("lang") ?? "");
  const query = new URLSearchParams(lang ? { key, lang } : { key });
  const address = `${shown.address.split("?")[0]}?${query}`;
  const pixels = height.validity.valid && height.value ? height.value : shown.height;
  for (const code of document.querySelectorAll(".code")) {
    const text = (texts.get(code) ?? "")
      .replaceAll(escapeText(shown.address), escapeText(address))
      .replaceAll(`height="${shown.height}"`, `height="${pixels}"`);
    texts.set(code, text);
    code.textContent = text;
  }
  Object.assign(shown, { address, height: pixels });
}

/** @param {string} text */
function escapeText(text) {
  return text.replaceAll("&", "&amp;");
}

form.addEventListener("input", () => {
  const isWrong = !height.validity.valid;
  height.setAttribute("aria-invalid", String(isWrong));
  if (!isWrong) document.getElementById(`${height.id}-wrong`)?.remove(); // what the server said before
  updateSnippets();
  const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  if (siteForm instanceof HTMLFormElement) siteForm.action = `${form.action}?${new URLSearchParams(chosen)}`;
});
form.addEventListener("submit", (event) => event.preventDefault()); // by Enter: it is shown already

if (keptKey instanceof HTMLInputElement) {
  const state = getElement(document, "#kept-key-state", HTMLElement);
  /** @type {Record<string, string>} */
  const names = JSON.parse(keptKey.dataset.names ?? "{}");
  keptKey.addEventListener("input", () => {
    const judged = judgeKey(keptKey.value, names);
    key = judged.key ?? placeholder;
    state.textContent = judged.word ? say(judged.word, judged.values) : "";
    state.className = judged.key ? "good-text" : "wrong";
    keptKey.setAttribute("aria-invalid", String(Boolean(judged.word) && !judged.key));
    updateSnippets();
  });
}
