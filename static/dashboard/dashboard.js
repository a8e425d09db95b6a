// Optional features for all dashboard pages, and code that several pages share.

import { findAround, getElement } from "../elements.js";

// Show times in the reader's time zone.
const times = new Intl.DateTimeFormat(document.documentElement.lang, {
  dateStyle: "medium", timeStyle: "short",
});
/** @param {ParentNode} root */
export function showTimes(root) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const found = root.querySelectorAll("time[datetime]:not(.age)");
  for (const time of found) {
    time.title = time.textContent;
    time.textContent = times.format(new Date(time.dateTime));
  }
}

showTimes(document);

// Copy buttons: data-copy names the element. Its original text is copied, since translators change it.
/** @type {Map<Element, string>} */
export const texts = new Map();
/** @type {NodeListOf<HTMLElement>} */
const copies = document.querySelectorAll("button[data-copy]");
for (const { dataset } of copies) {
  const source = getElement(document, `#${dataset.copy}`, HTMLElement);
  texts.set(source, source.textContent);
}
document.documentElement.dataset.ready = ""; // the buttons work, so style sheets show them
document.addEventListener("click", async (event) => {
  const button = findAround(event, "button[data-copy]");
  const source = document.getElementById(button?.dataset.copy ?? "");
  if (!button || !source) return;
  try {
    await navigator.clipboard.writeText(texts.get(source) ?? "");
  } catch {
    getSelection()?.selectAllChildren(source);
    return;
  }
  showCopied(button);
});

/**
 * Show that a button has copied, in its text next to the icon.
 * @param {HTMLElement} button
 */
export function showCopied(button) {
  const place = button.querySelector("span") ?? button;
  const label = (button.dataset.label ??= place.textContent ?? ""); // not "Copied" if it's pressed again
  const said = getElement(document, "#copied", HTMLElement); // screen readers read it out
  place.textContent = said.textContent = said.dataset.text ?? "";
  setTimeout(() => {
    place.textContent = label;
    said.textContent = "";
  }, 2000);
}

// Show a password that's being chosen.
document.querySelector("[data-reveals]")?.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  getElement(document, `#${target.dataset.reveals}`, HTMLInputElement).type = target.checked ? "text" : "password";
});

// Offer a search if there are many pages.
const search = document.querySelector("#pages input");
if (search instanceof HTMLInputElement) {
  search.hidden = false;
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const one of document.querySelectorAll("#pages [data-page]")) {
      one.toggleAttribute("hidden", !one.textContent.toLowerCase().includes(wanted));
    }
  });
}

// Enter on a checkbox would press the form's first button, which approves or hides everything selected.
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (key !== "Enter" || !(target instanceof HTMLInputElement)) return;
  if (target.type === "checkbox" && target.form?.id === "many") event.preventDefault();
});

// Send a form only once, however often its button is pressed; otherwise two keys could be created.
// Only for a while, since the browser's Stop button cancels a request.
const SENT_FOR_MS = 5000;
/** @type {WeakSet<HTMLFormElement>} */
const sent = new WeakSet();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), SENT_FOR_MS);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.forms) sent.delete(form);
});

// Rows selected for an action, and the checkbox for all of them.

/**
 * Show in the "all" box whether all, some or no boxes are ticked; return how many are.
 * @param {HTMLInputElement} all
 * @param {HTMLInputElement[]} boxes
 */
export function showTicked(all, boxes) {
  const count = boxes.filter((box) => box.checked).length;
  all.checked = count > 0 && count === boxes.length;
  all.indeterminate = count > 0 && count < boxes.length;
  return count;
}
