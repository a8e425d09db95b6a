// The list. Its links, its search and "Show more" ask the server for other rows, which replace those shown; the
// server draws everything (templates/widget/part.html). Also the list's keyboard.

import { attempt, findAround, getElement, parsePage } from "../elements.js";
import { Problem, setCookie } from "./api.js";
import { copyText, explain, say } from "./words.js";

/** @import { Api } from "./api.js" */

const MOST_PARTS = 20; // in one answer, as in view.py; a part has 25 wallets
const GROWTH = 4; // so that a few presses show any list
const TYPING_MS = 120; // after the last key
const MOST_PRINTED = 500; // wallets
const ORDER_COOKIE = "embed_order";
const PARTS = ["sentence", "summary", "orders", "columns", "found", "more"]; // replaced as a whole

export class List {
  /**
   * @param {HTMLElement} root
   * @param {{ api: Api, isLocked: boolean }} options `isLocked`: the frame can't send requests, so its links and
   *   addresses lead to other pages
   */
  constructor(root, { api, isLocked }) {
    this.root = root;
    this.api = api;
    this.list = getElement(root, "#wallets", HTMLElement);
    this.state = getElement(root, "#state", HTMLElement);
    /** @type {HTMLInputElement | null} */
    this.search = root.querySelector("#search");
    this.address = new URL(location.href); // of what's shown
    this.last = Number(root.dataset.last); // the last part shown
    this.asking = {}; // the newest question
    this.areChipsOpen = false;
    this.isRefused = false; // as a whole
    /** @type {Set<string>} */
    this.found = new Set(); // addresses of listed wallets that were looked for
    /** @type {(() => void)[]} */
    this.listeners = []; // called when other rows are shown
    /** @type {{ ids: string[], mark: Element | null }} */
    this.mine = { ids: [], mark: null };
    this.rows = new Map([...this.list.children].map((row) => [idOf(row), { row, html: row.outerHTML }]));
    this.chooseStop = steerByKeys(this.list);
    this.list.addEventListener("click", (event) => copyAddress(event));
    root.querySelector(".skip a")?.addEventListener("click", (event) => {
      event.preventDefault(); // it would add a page to the history
      getElement(root, "#after-list", HTMLElement).focus();
    });
    if (isLocked) this.search?.addEventListener("keydown", (event) => this.#openSearch(event));
    else this.#listen();
    this.#fitChips();
  }

  get etag() {
    return this.root.dataset.etag ?? "";
  }

  get total() {
    return Number(this.root.dataset.total);
  }

  /**
   * Show the list as it is now, if it has changed; return whether it had.
   * @param {string} [etag] the list's now, if known
   */
  async refresh(etag) {
    const { asking } = this;
    const part = etag === this.etag ? null : await this.#readParts(this.address, this.last, this.etag);
    if (asking !== this.asking) return true; // something else was asked for meanwhile
    if (this.isRefused) location.reload(); // it's shown again
    this.warn("");
    if (part) this.#show(part);
    return part !== null;
  }

  /**
   * Show what an address of the list leads to; until it's there, the rows stay. Reports failures.
   * @param {URL} address
   */
  async go(address) {
    await this.#ask(async () => this.#read(address, 1, 1), (part) => {
      this.address = address;
      this.#show(part);
      rememberAddress(address);
    });
  }

  /**
   * Return whether the list has a wallet.
   * @param {string} address
   */
  async has(address) {
    if (!this.#findRow(address)) {
      const part = await this.#read(this.#locateSearch(address), 1, 1);
      if (!part?.querySelector(".wallet")) return false;
    }
    this.found.add(address);
    return true;
  }

  /**
   * Go to a wallet's row; return whether the list has it.
   * @param {string} address
   */
  async lead(address) {
    if (!this.#findRow(address)) await this.#choose(this.#locateSearch(address));
    const row = this.#findRow(address);
    focusRow(row);
    return row !== null;
  }

  /**
   * Mark the visitor's own wallets.
   * @param {string[]} ids
   * @param {Element | null} mark to copy into their rows
   */
  markMine(ids, mark) {
    this.mine = { ids, mark };
    for (const { row } of this.rows.values()) {
      const isMine = ids.includes(idOf(row));
      if (row.classList.toggle("mine", isMine) === Boolean(row.querySelector(".mark"))) continue;
      row.querySelector(".mark")?.remove();
      if (isMine && mark) getElement(row, ".name", HTMLElement).after(" ", mark.cloneNode(true));
    }
  }

  /**
   * Say why the list can't be refreshed, until it is.
   * @param {string} sentence
   */
  warn(sentence) {
    if (this.state.textContent !== sentence) this.state.textContent = sentence;
  }

  /**
   * Report why something couldn't be read. A refusal of the whole list replaces it.
   * @param {unknown} error
   */
  report(error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    if (problem.page) {
      this.isRefused = true;
      this.root.replaceChildren(...getElement(problem.page, "main", HTMLElement).children);
    } else this.warn(problem.retryAt || problem.code === "server" ? say("stale") : explain(problem));
  }

  #listen() {
    this.root.addEventListener("click", (event) => this.#follow(event));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const find = () => {
      clearTimeout(timer);
      const text = this.search?.value.trim() ?? "";
      if (text !== (this.address.searchParams.get("q") ?? "")) this.go(locate(this.address, { q: text }));
    };
    this.search?.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(find, TYPING_MS);
    });
    this.search?.form?.addEventListener("submit", (event) => {
      event.preventDefault();
      find();
    });
    window.addEventListener("beforeprint", () => this.#showAllForPrint());
    new ResizeObserver(() => this.#fitChips()).observe(this.root);
  }

  /**
   * Follow a link to another view of the list without leaving the page.
   * @param {MouseEvent} event
   */
  #follow(event) {
    const control = findAround(event, "[data-view], #more-chips");
    if (!control || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!(control instanceof HTMLAnchorElement)) {
      this.areChipsOpen = !this.areChipsOpen;
      this.#fitChips();
    } else if (control.id === "show-more") this.#showMore();
    else this.#choose(new URL(control.href));
  }

  /** @param {URL} address */
  async #choose(address) {
    const order = address.searchParams.get("order");
    const hasOrder = order !== this.address.searchParams.get("order") && order !== this.root.dataset.order;
    if (this.search) this.search.value = address.searchParams.get("q") ?? "";
    if (hasOrder) rememberOrder(order ?? "");
    await this.go(address);
  }

  async #showMore() {
    const first = this.last + 1;
    const last = first - 1 + Math.min((GROWTH - 1) * (first - 1), MOST_PARTS);
    await this.#ask(async () => {
      const part = await this.#read(this.address, first, last);
      // If the list has changed, others may be in this place.
      return part?.dataset.etag === this.etag ? part : this.#readParts(this.address, last);
    }, (part) => {
      const count = this.list.children.length;
      this.#show(part, { isMore: part.querySelector("#sentence") === null });
      const next = this.list.children[count]?.querySelector("summary");
      if (next) this.chooseStop(next); // Shift+Tab goes to the first new row
      if (next && !this.root.querySelector("#show-more")) next.focus({ preventScroll: true });
    });
  }

  /**
   * Show what `read` returns, unless something else was asked for meanwhile.
   * @param {() => Promise<HTMLElement | null>} read
   * @param {(part: HTMLElement) => void} show
   */
  async #ask(read, show) {
    const asking = (this.asking = {});
    this.list.ariaBusy = "true";
    try {
      const part = await read();
      if (asking !== this.asking || !part) return;
      this.warn("");
      show(part);
    } catch (error) {
      if (asking !== this.asking) return;
      this.report(error);
      const retryAt = error instanceof Problem ? error.retryAt : null;
      if (retryAt) setTimeout(() => asking === this.asking && this.#ask(read, show), retryAt - Date.now());
    } finally {
      if (asking === this.asking) this.list.ariaBusy = null;
    }
  }

  /**
   * Read all parts up to the last one, or null if they still have the entity tag.
   * @param {URL} address
   * @param {number} last
   * @param {string} [etag]
   */
  async #readParts(address, last, etag) {
    const part = await this.#read(address, 1, Math.min(last, MOST_PARTS), etag);
    for (let first = MOST_PARTS + 1; part && first <= last; first += MOST_PARTS) {
      const more = await this.#read(address, first, Math.min(last, first + MOST_PARTS - 1));
      if (!more) break;
      getElement(part, "#wallets", HTMLElement).append(...getElement(more, "#wallets", HTMLElement).children);
      getElement(part, "#more", HTMLElement).replaceWith(getElement(more, "#more", HTMLElement));
      part.dataset.last = more.dataset.last;
    }
    return part;
  }

  /**
   * @param {URL} address
   * @param {number} first
   * @param {number} last
   * @param {string} [etag]
   */
  async #read(address, first, last, etag) {
    const page = await this.api.readHtml(locatePart(address, first, last), { etag });
    return page && getElement(page, "main", HTMLElement);
  }

  /** @param {string} text */
  #locateSearch(text) {
    return locate(this.address, { q: text, tag: "" });
  }

  /**
   * @param {HTMLElement} part
   * @param {{ isMore?: boolean }} [options] `isMore`: its rows follow those shown
   */
  #show(part, { isMore = false } = {}) {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.view : undefined;
    for (const id of PARTS) {
      const served = part.querySelector(`#${id}`);
      if (served) this.root.querySelector(`#${id}`)?.replaceWith(document.adoptNode(served));
    }
    if (focused) {
      /** @type {HTMLElement | null} */
      const same = this.root.querySelector(`[data-view="${CSS.escape(focused)}"]`);
      const isShown = same?.getClientRects().length;
      /** @type {HTMLElement | null | undefined} */
      const other = isShown ? same : same?.parentElement?.querySelector("[data-view]:not([aria-current])");
      other?.focus({ preventScroll: true });
    }
    this.last = Number(part.dataset.last);
    getElement(this.root, "#printed", HTMLElement).textContent = this.root.querySelector("#count")?.textContent ?? "";
    if (!isMore) {
      for (const name of ["data-etag", "data-total", "data-order"]) this.root.setAttribute(name, part.getAttribute(name) ?? "");
      for (const name of ["data-changes", "data-empty"]) this.root.toggleAttribute(name, part.hasAttribute(name));
    }
    this.#showRows([...getElement(part, "#wallets", HTMLElement).children], isMore);
    this.#fitChips();
    for (const listener of this.listeners) listener();
  }

  /**
   * Replace the rows, or append some; those that haven't changed are kept.
   * @param {Element[]} served
   * @param {boolean} isMore
   */
  #showRows(served, isMore) {
    const before = this.rows;
    const rows = new Map(isMore ? before : []);
    for (const row of served) {
      const [id, html] = [idOf(row), row.outerHTML];
      const known = before.get(id);
      if (known?.html === html) rows.set(id, known);
      else rows.set(id, { row: keepState(known?.row, document.adoptNode(row)), html });
    }
    this.rows = rows;
    keepFocus(this.list, () => arrange(this.list, [...rows.values()].map(({ row }) => row)));
    this.markMine(this.mine.ids, this.mine.mark);
  }

  /** @param {string} address */
  #findRow(address) {
    const rows = /** @type {HTMLElement[]} */ ([...this.list.children]);
    return rows.find((row) => row.querySelector(".detail code")?.textContent === address) ?? null;
  }

  /** Count the chips for which there's no room, or show all. */
  #fitChips() {
    const chips = this.root.querySelector(".chips");
    const button = this.root.querySelector("#more-chips");
    if (!chips || !(button instanceof HTMLElement)) return;
    chips.classList.toggle("all", this.areChipsOpen);
    button.hidden = true;
    const end = chips.getBoundingClientRect();
    const isCut = (/** @type {Element} */ chip) => {
      const { left, right } = chip.getBoundingClientRect();
      return left < end.left - 1 || right > end.right - (button.hidden ? -1 : button.offsetWidth);
    };
    const all = [...chips.querySelectorAll("li")];
    button.hidden = !this.areChipsOpen && !all.some(isCut);
    button.textContent = this.areChipsOpen ? "−" : `+${all.filter(isCut).length}`;
    button.ariaExpanded = String(this.areChipsOpen);
  }

  /** Show all rows of a list that isn't very long before it's printed; printing waits for nothing else. */
  #showAllForPrint() {
    if (this.total > MOST_PRINTED || !this.root.querySelector("#show-more")) return;
    const request = new XMLHttpRequest();
    request.open("GET", locatePart(this.address, 1, MOST_PARTS), false);
    attempt(() => request.send()); // if it fails, the rows shown are printed
    if (request.status === 200) this.#show(getElement(parsePage(request.responseText), "main", HTMLElement));
  }

  /** @param {KeyboardEvent} event */
  #openSearch(event) {
    if (event.key !== "Enter" || !this.search) return;
    event.preventDefault(); // a sandbox may block the form
    location.href = locate(this.address, { q: this.search.value.trim() }).href;
  }
}

/**
 * Let the list have these rows. Those that stay are left alone, so a long list isn't laid out anew, and what is
 * selected or scrolled in them stays.
 * @param {HTMLElement} list
 * @param {Element[]} rows
 */
export function arrange(list, rows) {
  const wanted = new Set(rows);
  const gone = [...list.children].filter((row) => !wanted.has(row));
  if (gone.length > rows.length) return list.replaceChildren(...rows); // faster
  for (const row of gone) row.remove();
  let next = list.firstElementChild;
  for (const row of rows) {
    if (row === next) next = next.nextElementSibling;
    else list.insertBefore(row, next);
  }
}

/** @param {Element} row */
const idOf = (row) => row.getAttribute("data-id") ?? "";

/**
 * Return the list's address with other arguments; "" leaves one out.
 * @param {URL} address
 * @param {Record<string, string>} changes
 */
function locate(address, changes) {
  const url = new URL(address);
  for (const [name, text] of Object.entries({ page: "", ...changes })) {
    if (text) url.searchParams.set(name, text);
    else url.searchParams.delete(name);
  }
  return url;
}

/**
 * @param {URL} address
 * @param {number} first
 * @param {number} last
 */
const locatePart = (address, first, last) =>
  locate(address, { part: "rows", page: String(first), to: String(last) }).href;

/** Keep the shown view when the page is loaded again. @param {URL} address */
const rememberAddress = (address) => attempt(() => history.replaceState(history.state, "", address));

/**
 * Remember the visitor's order for this page, so that the server draws it the next time.
 * @param {string} order "auto": none
 */
const rememberOrder = (order) =>
  setCookie(ORDER_COOKIE, order, { path: location.pathname, age: order === "auto" ? 0 : undefined });

/** @param {HTMLElement | null} [row] */
export function focusRow(row) {
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
  // The host page's script changes the frame's height a moment later, so the row may move out of sight.
  addEventListener("resize", () => {
    if (document.activeElement === row) row.scrollIntoView({ block: "nearest" });
  }, { once: true });
}

/** @param {MouseEvent} event */
function copyAddress(event) {
  const button = findAround(event, ".copy");
  const code = button?.closest(".detail")?.querySelector("code");
  if (button && code) copyText(code.textContent, button);
}

/**
 * Open a wallet's new row if its old one was open, so a refresh doesn't close anything.
 * @param {Element | undefined} from
 * @param {Element} to
 */
function keepState(from, to) {
  if (!from || !getElement(from, "details", HTMLDetailsElement).open) return to;
  getElement(to, ".detail", HTMLElement).replaceWith(getElement(from, ".detail", HTMLElement));
  getElement(to, "details", HTMLDetailsElement).open = true; // this reads the details again
  return to;
}

// The keyboard in the list: one stop for Tab, then arrow keys (a roving tabindex). It stays a plain list,
// which screen readers read in their own way; a grid would prevent that.

const STOP = ".wallet > details > summary"; // a row's control

/**
 * Listen to keys, and return a function that chooses the control for Tab.
 * @param {HTMLElement} list
 */
function steerByKeys(list) {
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
    event.preventDefault(); // the page must not also scroll
    next?.focus();
  });
  new MutationObserver(chooseOne).observe(list, { childList: true, subtree: true });
  chooseOne();
  return choose;
}

/**
 * Run `change`, which may replace rows, and keep the focus on the same wallet, or on the one that took
 * its place.
 * @param {HTMLElement} list
 * @param {() => void} change
 */
function keepFocus(list, change) {
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
 * Return the control that a key goes to: null if there's none, undefined if the key isn't ours.
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
