// The keyboard in the list: one stop for Tab, and the arrow keys from there (a roving tabindex).
// It stays a plain list, which screen readers read in their own way; a grid would take that away.

const CONTROLS = "code, .proved, .copy"; // of a row, in order

/**
 * Listen to the keys, and return how to choose the control that Tab leads to.
 * @param {HTMLElement} list
 */
export function steerByKeys(list) {
  /** @type {HTMLElement | null} */
  let current = null;

  /** @param {HTMLElement} control */
  function choose(control) {
    if (current !== control) current?.setAttribute("tabindex", "-1");
    current = control;
    control.tabIndex = 0;
  }

  function chooseAny() {
    const first = list.querySelector("code");
    if (!(current && list.contains(current)) && first) choose(first);
  }

  list.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(CONTROLS)) choose(target);
  });
  list.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(target instanceof HTMLElement && target.matches(CONTROLS))) return;
    const next = findNext(target, key);
    if (next === undefined) return;
    event.preventDefault(); // the page must not scroll, too
    next?.focus();
  });
  new MutationObserver(chooseAny).observe(list, { childList: true, subtree: true });
  chooseAny();
  return choose;
}

/**
 * Run `change`, which may replace rows, and leave the focus on the same control of the same wallet,
 * or of the one that took its place.
 * @param {HTMLElement} list
 * @param {() => void} change
 */
export function keepFocus(list, change) {
  const focused = document.activeElement;
  const row = list.contains(focused) ? focused?.closest(".wallet") : null;
  const place = row ? [...list.children].indexOf(row) : -1;
  change();
  if (!(focused instanceof HTMLElement) || !(row instanceof HTMLElement)) return;
  const now = list.querySelector(`[data-id="${row.dataset.id}"]`) ??
    list.children[place] ?? list.lastElementChild;
  const same = list.contains(focused) ? focused : findAlike(now, focused);
  same?.focus({ preventScroll: true });
}

/**
 * Return the control that a key leads to; null: there is none; undefined: the key is not ours.
 * @param {HTMLElement} control
 * @param {string} key
 */
function findNext(control, key) {
  const row = control.closest(".wallet");
  if (!row?.parentElement) return undefined;
  const back = getComputedStyle(row).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
  if (key === "ArrowLeft" || key === "ArrowRight") return findBeside(row, control, key === back ? -1 : 1);
  /** @type {Record<string, Element | null>} */
  const rows = {
    ArrowDown: row.nextElementSibling,
    ArrowUp: row.previousElementSibling,
    Home: row.parentElement.firstElementChild,
    End: row.parentElement.lastElementChild,
  };
  return key in rows ? findAlike(rows[key], control) : undefined;
}

/**
 * @param {Element} row
 * @param {HTMLElement} control
 * @param {number} step
 */
function findBeside(row, control, step) {
  /** @type {NodeListOf<HTMLElement>} */
  const controls = row.querySelectorAll(CONTROLS);
  return controls[[...controls].indexOf(control) + step] ?? null;
}

/**
 * Return the same control of another row, or else its address.
 * @param {Element | null | undefined} row
 * @param {HTMLElement} control
 * @returns {HTMLElement | null}
 */
function findAlike(row, { classList: [kind] }) {
  return row?.querySelector(kind ? `.${kind}` : "code") ?? row?.querySelector("code") ?? null;
}
