// Embed, Install, and setup: updates the snippet with the choices, creates and copies a new key with one
// press, and checks whether the list was seen on its site. Without this script, forms reload the page.

import { getElement, parsePage } from "../elements.js";
import { showCopied, texts } from "./dashboard.js";
import { listenForSite } from "./site.js";

const LOOKED_EVERY_MS = 5000;

/**
 * Return the code by kind and size, without and with the script's line.
 * @returns {{ [each: string]: string[], height: number, key: string } | null}
 */
function readSnippets() {
  return JSON.parse(document.querySelector("#snippets")?.textContent ?? "null");
}

/** Write the choices into the snippet and return it. */
function showSnippet() {
  const form = getElement(document, "#snippet-form", HTMLFormElement);
  const chosen = new FormData(form), kind = chosen.get("kind"), size = chosen.get("size") ?? "list";
  for (const [name, value] of [["data-kind", kind], ["data-size", size]]) {
    for (const about of document.querySelectorAll(`[${name}]`)) {
      about.toggleAttribute("hidden", about.getAttribute(String(name)) !== value);
    }
  }
  const block = document.querySelector("#snippet"), snippets = readSnippets();
  if (!block || !snippets) return "";
  const height = form.elements.namedItem("height"), lang = chosen.get("lang");
  const isWrong = height instanceof HTMLInputElement && !height.validity.valid;
  if (height instanceof HTMLInputElement) {
    height.setAttribute("aria-invalid", String(isWrong));
    if (!isWrong) document.getElementById(`${height.id}-wrong`)?.remove(); // the server's earlier message
  }
  const pixels = (!isWrong && chosen.get("height")) || snippets.height;
  const text = snippets[`${kind === "react" ? kind : "html"} ${size}`][Number(chosen.has("script"))]
    .replace(`key=${snippets.key}`, (key) => (lang ? `${key}&amp;lang=${lang}` : key))
    .replace(`height="${snippets.height}"`, `height="${pixels}"`);
  block.textContent = text;
  texts.set(block, text);
  return text;
}

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  if (target.form?.id !== "snippet-form") return;
  if (target.name === "key") target.form.submit();
  else showSnippet();
});

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
  if (form.id === "snippet-form") event.preventDefault(); // Enter was pressed; the snippet is already shown
  if (form.id !== "renew") return;
  event.preventDefault();
  const chosen = new FormData(getElement(document, "#snippet-form", HTMLFormElement));
  form.action = `?${new URLSearchParams([...chosen].map(([name, value]) => [name, String(value)]))}`;
  const made = renewKey(form, new FormData(form, submitter));
  try {
    // As a promise, since browsers only let a page copy while it handles a press.
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": made })]);
    showCopied(getElement(document, "[data-copy=snippet]", HTMLElement));
  } catch {
    await made.catch(() => null); // if it couldn't be copied, it's shown with its button
  }
});

/**
 * Create a key for the same sites; show and return the snippet with it.
 * @param {HTMLFormElement} form
 * @param {FormData} body
 */
async function renewKey(form, body) {
  const answer = await fetch(form.action, { method: "POST", body });
  const text = await answer.text();
  if (answer.status !== 201) { // such as a request to confirm your identity, which then asks for the form again
    const renewed = document.createElement("input");
    Object.assign(renewed, { type: "hidden", name: "renewed", value: body.get("renewed") });
    form.append(renewed);
    form.submit();
    throw new Error(`${answer.status}`);
  }
  const made = parsePage(text);
  document.querySelector("#install")?.replaceWith(getElement(made, "#install", HTMLElement));
  getElement(document, "[data-copy=snippet]", HTMLElement).focus();
  return showSnippet();
}

// Check whether the list has been seen, until the page is left.
setInterval(async () => {
  const path = document.querySelector(".seen")?.getAttribute("data-look");
  if (!path || document.hidden) return;
  const answer = await fetch(path).catch(() => null);
  if (!answer?.ok) return;
  const found = parsePage(await answer.text()).querySelector(".seen");
  const shown = document.querySelector(".seen");
  if (found && shown?.getAttribute("data-look") === path) shown.replaceWith(found);
}, LOOKED_EVERY_MS);

showSnippet();
listenForSite();
// A reload should show the page again without creating another key.
if (document.querySelector("[data-copy=snippet]")) history.replaceState(null, "", document.querySelector(".seen")?.getAttribute("data-look"));
