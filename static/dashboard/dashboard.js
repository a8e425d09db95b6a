// Optional features for every page of the dashboard; everything works without them.

import { findAround } from "../elements.js";

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

// Scroll the chosen tab into sight; CSS alone does it in Chromium only (scroll-initial-target).
// Not by scrollIntoView(), which would also scroll up from a part of the page that was asked for.
const tab = document.querySelector(".tabs [aria-current]");
const tabs = tab?.closest(".tabs");
if (tab && tabs) {
  const [inner, outer] = [tab.getBoundingClientRect(), tabs.getBoundingClientRect()];
  tabs.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
}

// Copy buttons: data-copy names the element whose text is copied.
document.addEventListener("click", async (event) => {
  const button = findAround(event, "button[data-copy]");
  const source = document.getElementById(button?.dataset.copy ?? "");
  if (!button || !source) return;
  const text = "value" in source ? String(source.value) : source.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection()?.selectAllChildren(source);
    return;
  }
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = label), 2000);
});

// Send a form only once, however often the button is pressed: two keys would be created, say.
// Only for a while, as the browser's Stop button ends what was sent.
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
