// Optional features for the queue: decisions without a reload, and shortcut keys.

import { findAround, getElement } from "../elements.js";
import { decide, undo } from "./queue-decisions.js";
import { closeGaps, listRows } from "./queue-rows.js";
import { showTicked } from "./dashboard.js";

const help = getElement(document, "#keys", HTMLDialogElement);
const keysSwitch = getElement(help, "[data-shortcuts]", HTMLInputElement);

// Forms

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
  if (form.id === "undo") {
    event.preventDefault();
    undo();
  } else if (form.action.includes("/queue/decide")) {
    event.preventDefault();
    decide(form, event.submitter, isPressed);
  }
});

getElement(document, "[name=order]", HTMLSelectElement).addEventListener("change", (event) => {
  const { form } = /** @type {HTMLSelectElement} */ (event.target);
  form?.requestSubmit();
});

let isPressed = false; // with a mouse or a finger

document.addEventListener("click", (event) => {
  isPressed = event.detail > 0 && findAround(event, ".item") !== null;
  // The second click of a double click would undo the first one, or decide twice.
  if (event.detail > 1 && findAround(event, ".decide button, #undo button")) event.preventDefault();
});

// Selecting

/** @type {HTMLElement | undefined} */
let lastPicked;

/** @param {HTMLElement | undefined} row */
const findBox = (row) => /** @type {HTMLInputElement | null} */ (row?.querySelector(".pick input") ?? null);

const listBoxes = () => listRows().map(findBox).filter((box) => box !== null);

/** Show how many submissions are selected. */
function showSelection() {
  const many = document.querySelector("#many");
  if (!many) return;
  const all = getElement(document, "[data-select-all]", HTMLInputElement);
  const chosen = showTicked(all, listBoxes());
  getElement(many, "[data-selected]", HTMLElement).textContent = String(chosen || "");
}

/**
 * Select or unselect a row, or all rows from the last picked one to it.
 * @param {HTMLElement | undefined} row
 * @param {{ isRange: boolean, isChecked: boolean }} how
 */
function pick(row, { isRange, isChecked }) {
  if (!row) return;
  const rows = listRows();
  const from = isRange && lastPicked?.isConnected ? lastPicked : row;
  const [first, last] = [from, row].map((one) => rows.indexOf(one)).sort((one, other) => one - other);
  for (const each of rows.slice(first, last + 1)) {
    const box = findBox(each);
    if (box) box.checked = isChecked;
  }
  lastPicked = row;
  showSelection();
}

const selectAll = document.querySelector("[data-select-all]");
if (selectAll instanceof HTMLInputElement) {
  getElement(document, ".item-head label", HTMLElement).hidden = false;
  selectAll.addEventListener("change", () => {
    for (const box of listBoxes()) box.checked = selectAll.checked;
  });
  document.addEventListener("change", showSelection);
  document.addEventListener("click", (event) => {
    const box = findAround(event, ".pick input");
    if (!(box instanceof HTMLInputElement)) return;
    pick(box.closest("li") ?? undefined, { isRange: event.shiftKey, isChecked: box.checked });
  });
  document.addEventListener("reset", () => setTimeout(showSelection));
  addEventListener("pageshow", showSelection); // a browser may restore ticked boxes
  showSelection();
}

// Keys

const findCurrent = () => listRows().findIndex((row) => row.contains(document.activeElement));
const current = () => listRows().at(findCurrent() < 0 ? Infinity : findCurrent());

/** @param {number} step */
function move(step) {
  const rows = listRows();
  rows[Math.max(0, Math.min(findCurrent() + step, rows.length - 1))]?.focus();
}

/**
 * Press a key's button: the one for all selected rows, or the current row's.
 * @param {string} key
 */
function press(key) {
  const isOnMany = listBoxes().some((box) => box.checked);
  const place = isOnMany ? document.querySelector("#many") : current();
  /** @type {HTMLElement | null | undefined} */
  const button = place?.querySelector(`[data-key=${key}]`);
  button?.click();
}

/**
 * Open a row's details at the reasons, or toggle the details.
 * @param {HTMLElement | undefined} row
 * @param {boolean} isForReason
 */
function openDetails(row, isForReason) {
  const details = row?.querySelector("details");
  if (!details) return;
  details.open = isForReason || !details.open;
  if (isForReason) details.querySelector("select")?.focus();
}

document.addEventListener("click", (event) => {
  const button = findAround(event, ".item [data-key=R], .item [data-key=o]");
  if (button) openDetails(button.closest("li.item") ?? undefined, button.dataset.key === "R");
});

/** @type {Record<string, () => void>} */
const actions = {
  j: () => move(1),
  k: () => move(-1),
  a: () => press("a"),
  r: () => press("r"),
  b: () => press("b"),
  R: () => press("R"),
  o: () => openDetails(current(), false),
  x: () => pick(current(), { isRange: false, isChecked: !findBox(current())?.checked }),
  X: () => pick(current(), { isRange: true, isChecked: true }),
  Escape: () => getElement(document, "#many", HTMLFormElement).reset(),
  u: undo,
  "?": () => help.showPopover(),
};

// Single-key shortcuts interfere with some assistive tools, so they can be turned off permanently.
const OFF = "dashboard-keys-off";
const keysOfTab = help.dataset.keys?.split(" ");
keysSwitch.checked = !localStorage.getItem(OFF);
keysSwitch.addEventListener("change", () => {
  if (keysSwitch.checked) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
});

document.addEventListener("keydown", (event) => {
  const isTyping = findAround(event, "input:not([type=checkbox]), textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = { ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key;
  if (localStorage.getItem(OFF) || !keysOfTab?.includes(key)) return;
  // Arrow keys scroll until a submission is focused by j or a click.
  if (key !== event.key && findCurrent() < 0) return;
  if (key === "Escape" && document.querySelector(":popover-open")) return; // the key closes it
  event.preventDefault();
  closeGaps();
  actions[key]();
});
