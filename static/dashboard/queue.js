// Optional features for the queue: decisions without a reload, and keys. Everything works without them.

import { findAround, getElement } from "../elements.js";
import { say } from "../widget/words.js";
import { decide, undo } from "./queue-decisions.js";
import { listRows } from "./queue-rows.js";
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
    decide(form, event.submitter);
  }
});

getElement(document, "[name=order]", HTMLSelectElement).addEventListener("change", (event) => {
  const { form } = /** @type {HTMLSelectElement} */ (event.target);
  form?.requestSubmit();
});

// The second click of a double click would decide the row that has moved under it.
document.addEventListener("click", (event) => {
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
  const all = getElement(many, "[data-select-all]", HTMLInputElement);
  const chosen = showTicked(all, listBoxes());
  getElement(many, "[data-selected]", HTMLElement).textContent = chosen ? say("selected", { count: chosen }) : "";
}

/**
 * Select or unselect a row, or all from the last one up to it.
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
  getElement(document, "#many label", HTMLElement).hidden = false;
  selectAll.addEventListener("change", () => {
    for (const box of listBoxes()) box.checked = selectAll.checked;
  });
  document.addEventListener("change", showSelection);
  document.addEventListener("click", (event) => {
    const box = findAround(event, ".pick input");
    if (!(box instanceof HTMLInputElement)) return;
    pick(box.closest("li") ?? undefined, { isRange: event.shiftKey, isChecked: box.checked });
  });
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

/** @param {string} selector */
function press(selector) {
  /** @type {HTMLElement | null | undefined} */
  const button = current()?.querySelector(selector);
  button?.click();
}

function openDetails() {
  const details = current()?.querySelector("details");
  if (details) details.open = true;
  details?.querySelector("select")?.focus();
}

/** @type {Record<string, () => void>} */
const actions = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  a: () => press("[data-key=a]"),
  r: () => press("[data-key=r]"),
  b: () => press("[data-key=b]"),
  R: openDetails,
  o: () => press("summary"),
  x: () => pick(current(), { isRange: false, isChecked: !findBox(current())?.checked }),
  X: () => pick(current(), { isRange: true, isChecked: true }),
  u: undo,
  "?": () => help.showModal(),
};

// Single-key shortcuts disturb some assistive tools, so they can be switched off permanently.
const OFF = "dashboard-keys-off";
getElement(document, ".keys", HTMLElement).hidden = false;
getElement(document, "[data-keys]", HTMLElement).addEventListener("click", () => help.showModal());
keysSwitch.checked = !localStorage.getItem(OFF);
keysSwitch.addEventListener("change", () => {
  if (keysSwitch.checked) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
});

document.addEventListener("keydown", (event) => {
  const isTyping = findAround(event, "input:not([type=checkbox]), textarea, select, dialog");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (localStorage.getItem(OFF) || !Object.hasOwn(actions, event.key)) return;
  // Arrow keys scroll until a submission has the focus, by j or a click.
  if (event.key.startsWith("Arrow") && findCurrent() < 0) return;
  event.preventDefault();
  actions[event.key]();
});
