// The keyboard in the list: one stop for Tab, and the arrow keys from there (a roving tabindex).
// It stays a plain list, which screen readers read in their own way; a grid would take that away.

const STOP = ".wallet > details > summary"; // the control of a row

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

  function chooseOne() {
    /** @type {NodeListOf<HTMLElement>} */
    const others = list.querySelectorAll(`${STOP}:not([tabindex])`);
    for (const other of others) other.tabIndex = -1;
    const first = list.querySelector("summary");
    if (!(current && list.contains(current)) && first) choose(first);
  }

  list.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(STOP)) choose(target);
  });
  list.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(target instanceof HTMLElement && target.matches(STOP))) return;
    const next = findNext(target, key);
    if (next === undefined) return;
    event.preventDefault(); // the page must not scroll, too
    next?.focus();
  });
  new MutationObserver(chooseOne).observe(list, { childList: true, subtree: true });
  chooseOne();
  return choose;
}

/**
 * Run `change`, which may replace rows, and leave the focus on the same wallet, or on the one that
 * took its place.
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
  const same = list.contains(focused) ? focused : now?.querySelector("summary");
  same?.focus({ preventScroll: true });
}

/**
 * Return the row's control that a key leads to; null: there is none; undefined: the key is not ours.
 * @param {HTMLElement} control
 * @param {string} key
 */
function findNext(control, key) {
  const row = control.closest(".wallet");
  /** @type {Record<string, Element | null | undefined>} */
  const rows = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
    Home: row?.parentElement?.firstElementChild,
    End: row?.parentElement?.lastElementChild,
  };
  return key in rows ? rows[key]?.querySelector("summary") ?? null : undefined;
}
