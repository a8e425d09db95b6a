// The list of wallets: searching while typing, "All on this page", the number of selected ones, and Escape
// to close the panel next to it.

import { getElement, parsePage } from "../elements.js";
import { showTicked } from "./dashboard.js";

const TYPING_MS = 200; // from the last key to the search
const results = document.getElementById("results");

/** @type {() => NodeListOf<HTMLInputElement>} */
const listBoxes = () => document.querySelectorAll("#many input[name='wallet']");

function showSelection() {
  const boxes = [...listBoxes()];
  if (boxes.length === 0) return;
  const all = getElement(document, "#all", HTMLInputElement);
  all.labels?.forEach((label) => (label.hidden = false));
  const count = showTicked(all, boxes);
  const said = getElement(document, "#selected", HTMLElement);
  const selected = offerMatching(count === boxes.length) ?? String(count);
  said.textContent = count ? (said.dataset.text ?? "").replace("{count}", selected) : "";
}

/**
 * Offer to select all matching wallets, not just this page's; return their number if they're selected.
 * @param {boolean} isOffered
 */
function offerMatching(isOffered) {
  const matching = document.getElementById("matching");
  if (!(matching instanceof HTMLInputElement)) return undefined;
  matching.labels?.forEach((label) => (label.hidden = !isOffered));
  matching.checked &&= isOffered;
  return matching.checked ? matching.dataset.count : undefined;
}

/**
 * Read a dashboard page. Throws if it can't be read or the owner is signed out.
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function readPage(url, signal) {
  const answer = await fetch(url, { signal, redirect: "error" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return parsePage(await answer.text());
}

let running = new AbortController();

/**
 * Show the form's result without loading the page, and update the address.
 * @param {HTMLFormElement} form
 */
async function search(form) {
  running.abort();
  running = new AbortController();
  const chosen = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) chosen.set(name, String(value));
  const url = `?${chosen}`;
  try {
    const found = await readPage(url, running.signal);
    for (const part of ["#found", "#results"]) {
      const fresh = getElement(found, part, HTMLElement);
      getElement(document, part, HTMLElement).replaceChildren(...fresh.childNodes);
    }
    history.replaceState(null, "", url);
    showSelection();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    form.submit(); // so the browser shows the problem
  }
}

if (results) {
  const form = getElement(document, "#search", HTMLFormElement);
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  /** @param {number} delay */
  const searchSoon = (delay) => {
    clearTimeout(timer);
    timer = setTimeout(() => search(form), delay);
  };
  form.addEventListener("input", () => searchSoon(TYPING_MS));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    searchSoon(0);
  });
  results.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.id === "all") for (const box of listBoxes()) box.checked = target.checked;
    showSelection();
  });
  addEventListener("pageshow", showSelection); // after the browser has restored ticked boxes
}

const close = document.querySelector(".drawer > header a");
if (close instanceof HTMLAnchorElement) {
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close.click();
  });
}
