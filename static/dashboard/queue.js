// Optional features for the queue: keyboard shortcuts, countdown, count. Everything works without them.

import { findAround, getElement } from "../elements.js";

/** @returns {HTMLElement[]} the submissions; new ones may be added (news.js) */
const listItems = () => [...document.querySelectorAll(/** @type {"li"} */ (".item"))];
/** @type {HTMLElement | null} */
const undo = document.querySelector(".undo");
/** @type {HTMLElement | null} */
const help = document.querySelector(".shortcuts");

// Single-key shortcuts disturb some assistive tools, so they can be switched off permanently.
const OFF = "dashboard-keys-off";
if (help) {
  const keysSwitch = getElement(help, "[data-shortcuts]", HTMLInputElement);
  help.hidden = false;
  keysSwitch.checked = !localStorage.getItem(OFF);
  keysSwitch.addEventListener("change", () => {
    if (keysSwitch.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  });
}

// After a decision the page reloads without that item: focus the one that followed.
const PLACE = "dashboard-queue-place";
const place = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
if (place !== null) listItems().slice(0, Number(place) + 1).at(-1)?.focus();

const findCurrent = () => listItems().findIndex((item) => item.contains(document.activeElement));

/** @param {number} step */
function move(step) {
  const items = listItems();
  const next = Math.max(0, Math.min(findCurrent() + step, items.length - 1));
  items[next]?.focus();
}

/** @param {HTMLButtonElement | null} [button] */
function press(button) {
  if (!button || button.disabled) return;
  sessionStorage.setItem(PLACE, String(Math.max(0, findCurrent())));
  button.click();
}

function select() {
  /** @type {HTMLElement | null | undefined} */
  const box = listItems()[findCurrent()]?.querySelector("input[type=checkbox]");
  box?.click();
}

/** @param {string} key */
const decide = (key) => press(listItems()[findCurrent()]?.querySelector(`[data-key=${key}]`));
/** @type {Record<string, () => void>} */
const actions = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  a: () => decide("a"),
  r: () => decide("r"),
  x: select,
  u: () => {
    if (!undo?.hidden) press(undo?.querySelector("button"));
  },
};

document.addEventListener("keydown", (event) => {
  const isTyping = findAround(event, "input:not([type=checkbox]), textarea, select");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (localStorage.getItem(OFF) || !Object.hasOwn(actions, event.key)) return;
  // Arrow keys scroll until a submission has the focus, by j or a click.
  if (event.key.startsWith("Arrow") && findCurrent() < 0) return;
  event.preventDefault();
  actions[event.key]();
});

if (undo) {
  const until = performance.now() + Number(undo.dataset.remainingMs);
  const countdown = getElement(undo, "[data-countdown]", HTMLElement);
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    countdown.textContent = `${Math.max(left, 0)} s`;
    // While the button has the focus it is not removed; the server checks the time anyway.
    if (left <= 0 && !undo.contains(document.activeElement)) {
      undo.hidden = true;
      clearInterval(timer);
    }
  };
  const timer = setInterval(tick, 250);
  tick();
}

/** @returns {HTMLInputElement[]} */
const listBoxes = () =>
  listItems().map((item) => getElement(item, "input[type=checkbox]", HTMLInputElement));

/** Show how many submissions are selected. */
export function showSelection() {
  const many = document.querySelector(".many");
  if (!many) return;
  const boxes = listBoxes();
  const all = getElement(many, "[data-select-all]", HTMLInputElement);
  const chosen = boxes.filter((box) => box.checked).length;
  getElement(many, "[data-selected]", HTMLElement).textContent = `${chosen} selected`;
  for (const button of many.querySelectorAll("button")) button.disabled = chosen === 0;
  all.checked = chosen === boxes.length;
  all.indeterminate = chosen > 0 && chosen < boxes.length;
}

const selectAll = document.querySelector("[data-select-all]");
if (selectAll instanceof HTMLInputElement) {
  getElement(document, ".many label", HTMLElement).hidden = false;
  selectAll.addEventListener("change", () => {
    for (const box of listBoxes()) box.checked = selectAll.checked;
  });
  document.addEventListener("change", showSelection);
  addEventListener("pageshow", showSelection); // a browser may restore ticked boxes
  showSelection();
}
