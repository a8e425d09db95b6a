// Comfort for the queue: keys, a countdown, a count. Everything works without it.

const items = [...document.querySelectorAll(".item")];
const undo = document.querySelector(".undo");
const help = document.querySelector(".shortcuts");

// Single keys are in the way of some people's tools, so they can be switched off for good.
const OFF = "dashboard-keys-off";
const keysSwitch = help?.querySelector("[data-shortcuts]");
if (help) {
  help.hidden = false;
  keysSwitch.checked = !localStorage.getItem(OFF);
  keysSwitch.addEventListener("change", () => {
    if (keysSwitch.checked) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  });
}

// After a decision the page comes back without that item: go on with the one that followed.
const PLACE = "dashboard-queue-place";
const place = sessionStorage.getItem(PLACE);
sessionStorage.removeItem(PLACE);
if (place !== null && items.length) items[Math.min(Number(place), items.length - 1)].focus();

const findCurrent = () => items.indexOf(document.activeElement?.closest(".item"));

function move(step) {
  const next = Math.max(0, Math.min(findCurrent() + step, items.length - 1));
  items[next]?.focus();
}

function press(button) {
  if (!button || button.disabled) return;
  sessionStorage.setItem(PLACE, Math.max(0, findCurrent()));
  button.click();
}

function select() {
  items[findCurrent()]?.querySelector("input[type=checkbox]").click();
}

const decide = (key) => press(items[findCurrent()]?.querySelector(`[data-key=${key}]`));
const actions = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  a: () => decide("a"),
  r: () => decide("r"),
  x: select,
  u: () => !undo?.hidden && press(undo?.querySelector("button")),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (localStorage.getItem(OFF) || !(event.key in actions)) return;
  // Arrows scroll until a submission has been reached by j or a click.
  if (event.key.startsWith("Arrow") && findCurrent() < 0) return;
  event.preventDefault();
  actions[event.key]();
});

// A decision is sent once, however often the button is pressed.
for (const form of document.querySelectorAll(".item form, .many, .undo")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

if (undo) {
  const until = performance.now() + Number(undo.dataset.remainingMs);
  const countdown = undo.querySelector("[data-countdown]");
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    countdown.textContent = `${Math.max(left, 0)} s`;
    // While somebody stands on the button it stays; the server has the last word.
    if (left <= 0 && !undo.contains(document.activeElement)) {
      undo.hidden = true;
      clearInterval(timer);
    }
  };
  const timer = setInterval(tick, 250);
  tick();
}

const many = document.querySelector(".many");
if (many) {
  const boxes = items.map((item) => item.querySelector("input[type=checkbox]"));
  const all = many.querySelector("[data-select-all]");
  const count = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    many.querySelector("[data-selected]").textContent = `${chosen} selected`;
    for (const button of many.querySelectorAll("button")) button.disabled = chosen === 0;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  };
  all.parentElement.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    count();
  });
  for (const box of boxes) box.addEventListener("change", count);
  addEventListener("pageshow", count); // a browser may bring ticked boxes back
  count();
}
