// Optional features for the queue: keyboard shortcuts, countdown, count. Everything works without them.

import { findAround, getElement } from "../elements.js";

/** @type {NodeListOf<HTMLElement>} */
const found = document.querySelectorAll(".item");
const items = [...found];
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
if (place !== null && items.length) items[Math.min(Number(place), items.length - 1)].focus();

const findCurrent = () => items.findIndex((item) => item.contains(document.activeElement));

/** @param {number} step */
function move(step) {
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
  const box = items[findCurrent()]?.querySelector("input[type=checkbox]");
  box?.click();
}

/** @param {string} key */
const decide = (key) => press(items[findCurrent()]?.querySelector(`[data-key=${key}]`));
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

// Send a decision only once, however often the button is pressed.
/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll(".item form, .many, .undo");
for (const form of forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => {
  for (const form of forms) delete form.dataset.sent;
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

if (document.querySelector(".many")) {
  const many = getElement(document, ".many", HTMLFormElement);
  const all = getElement(many, "[data-select-all]", HTMLInputElement);
  const allLabel = getElement(many, "label", HTMLElement);
  const count = getElement(many, "[data-selected]", HTMLElement);
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = many.querySelectorAll("button");
  const boxes = items.map((item) => getElement(item, "input[type=checkbox]", HTMLInputElement));
  const show = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    count.textContent = `${chosen} selected`;
    for (const button of buttons) button.disabled = chosen === 0;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  };
  allLabel.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    show();
  });
  for (const box of boxes) box.addEventListener("change", show);
  addEventListener("pageshow", show); // a browser may restore ticked boxes
  show();
}
