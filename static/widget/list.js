// The list of wallets: filtered, sorted, and rendered as far as the visitor has asked for.

import { findAround, getElement } from "../elements.js";
import { compareAmounts } from "./amounts.js";
import { copyText } from "./clipboard.js";
import { keepFocus, steerByKeys } from "./list-keys.js";
import { keepProof, makeRow, nameOf, readProof, readRow, showProof } from "./wallet-row.js";
import { formatAmount, language, say } from "./words.js";

/**
 * @import { TrackedWallet, TrackingPage } from "./api.js"
 * @import { Shown } from "./row-details.js"
 * @typedef {TrackedWallet & { searchText: string }} Entry a wallet, and the text that is searched
 */

const FEW = 100; // shown at first, as many as the server renders
const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
/** @type {Record<string, ((a: Entry, b: Entry) => number) | null>} */
const ORDERS = {
  listed: null,
  balance: (a, b) => compareAmounts(b.tokenBalance, a.tokenBalance),
  name: (a, b) => collator.compare(nameOf(a), nameOf(b)),
};

export class List {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.list = getElement(root, "#wallets", HTMLElement);
    this.more = getElement(root, "#more", HTMLButtonElement);
    this.empty = getElement(root, "#empty", HTMLElement);
    this.state = getElement(root, "#state", HTMLElement);
    this.template = getElement(document, "#wallet-row", HTMLTemplateElement);
    /** @type {Entry[] | null} */
    this.wallets = null;
    /** @type {Entry[]} */
    this.chosen = []; // by search and tags, in order
    /** @type {(() => void)[]} */
    this.listeners = []; // called when other rows are shown
    /** @type {Set<string>} */
    this.mine = new Set();
    /** @type {Set<string>} */
    this.tags = new Set();
    this.search = "";
    this.order = ORDERS.listed;
    this.warning = "";
    this.total = 0;
    this.count = FEW;
    /** @type {Map<string, { row: HTMLElement, text: string }>} */
    this.rows = new Map(); // id -> {row, text}: rows of unchanged wallets are reused
    this.#listen(root);
    this.served = this.#readServed();
    /** @type {Shown[]} */
    this.shown = this.served; // the wallets that have a row on the page, in order
    this.#adopt(Number(root.dataset.total));
    this.chooseStop = steerByKeys(this.list);
  }

  /** Whether all wallets are known, and not only those that the document shows. */
  get isComplete() {
    return this.wallets !== null;
  }

  /**
   * Show the public payload, without touching unchanged rows; null: it has not changed.
   * @param {TrackingPage | null} page
   */
  show(page) {
    if (!page && !this.warning) return;
    this.warning = "";
    if (page) this.wallets = page.wallets.map(addSearchText);
    this.#render();
  }

  /**
   * Mark the wallets of this visitor.
   * @param {string[]} addresses
   */
  markMine(addresses) {
    const mine = new Set(addresses);
    if (mine.size === this.mine.size && addresses.every((one) => this.mine.has(one))) return;
    this.mine = mine;
    this.#render();
  }

  /**
   * Show why the list cannot be refreshed, until it is.
   * @param {string} sentence
   */
  warn(sentence) {
    this.warning = sentence;
    this.#tell();
  }

  /** @param {string} address */
  has(address) {
    return Boolean(this.wallets?.some((wallet) => wallet.address === address));
  }

  /** Return the wallets that the server has rendered, with their rows, which are reused, and proofs. */
  #readServed() {
    const rows = /** @type {HTMLElement[]} */ ([...this.list.children]);
    return rows.map((row) => {
      const proof = readProof(row);
      const wallet = addSearchText(readRow(row));
      showProof(row, proof); // as a button instead of a link
      this.rows.set(wallet.id, { row, text: describeRow(wallet, false) });
      return { wallet, row, proof };
    });
  }

  /**
   * Use the wallets rendered by the server, if they are all, so that no request is needed.
   * @param {number} total
   */
  #adopt(total) {
    if (this.served.length !== total) return;
    this.wallets = this.served.map(({ wallet }) => wallet);
    this.chosen = this.wallets;
    this.total = total;
  }

  /** @param {HTMLElement} root */
  #listen(root) {
    const search = getElement(root, "#search", HTMLInputElement);
    const sort = getElement(root, "#sort", HTMLSelectElement);
    const again = () => {
      this.search = search.value.trim().toLocaleLowerCase(language);
      this.order = ORDERS[sort.value];
      this.count = FEW;
      this.#render();
    };
    search.addEventListener("input", again);
    sort.addEventListener("change", again);
    /** @type {NodeListOf<HTMLElement>} */
    const filters = root.querySelectorAll("[data-filter]");
    for (const button of filters) {
      const { filter: id = "" } = button.dataset;
      button.addEventListener("click", () => {
        const isOn = !this.tags.delete(id);
        if (isOn) this.tags.add(id);
        button.setAttribute("aria-pressed", String(isOn));
        again();
      });
    }
    this.list.addEventListener("click", (event) => {
      const button = findAround(event, "[data-copy]");
      if (button) copyText(button.dataset.copy ?? "", button);
    });
    this.more.addEventListener("click", () => this.#showMore());
    this.#printAll();
  }

  /** Show twice as many, so that a few clicks lead through any list. */
  #showMore() {
    const { length } = this.shown;
    this.count *= 2;
    this.#render();
    const first = this.shown[length]?.row.querySelector("code");
    if (first) this.chooseStop(first); // Shift+Tab leads to what is new
  }

  /**
   * Focus the row at `place`, or the last one, since the button that had the focus is gone.
   * @param {number} place
   */
  #focusRow(place) {
    const { row } = this.shown[place] ?? this.shown.at(-1) ?? {};
    row?.querySelector("code")?.focus({ preventScroll: true });
  }

  /** Paper has no button: print all that fit the search. */
  #printAll() {
    let { count } = this;
    window.addEventListener("beforeprint", () => {
      count = this.count;
      this.count = Infinity;
      this.#render();
    });
    window.addEventListener("afterprint", () => {
      this.count = count;
      this.#render();
    });
  }

  #render() {
    if (!this.wallets) return;
    this.chosen = this.wallets.filter((wallet) => this.#isChosen(wallet));
    if (this.order) this.chosen.sort(this.order);
    this.total = this.chosen.length;
    const { length } = this.shown;
    const first = this.chosen.slice(0, this.count);
    const isFocused = document.activeElement === this.more;
    keepFocus(this.list, () => {
      this.shown = first.map((wallet) => ({ wallet, row: this.#getRow(wallet) }));
      replaceRows(this.list, this.shown.map(({ row }) => row));
    });
    this.more.hidden = this.count >= this.total;
    if (isFocused && this.more.hidden) this.#focusRow(length);
    this.empty.hidden = this.total > 0;
    this.empty.textContent = say(this.wallets.length ? "no_match" : "no_wallets");
    this.#tell();
    for (const listener of this.listeners) listener();
  }

  #tell() {
    const total = this.wallets?.length ?? 0;
    const shown = this.total < total ? this.total : this.shown.length;
    const isPartial = this.wallets && shown < total;
    const count = { shown: formatAmount(shown), total: formatAmount(total) };
    this.state.textContent = this.warning || (isPartial ? say("shown_of", count) : "");
  }

  /** @param {Entry} wallet */
  #isChosen(wallet) {
    if (this.search && !wallet.searchText.includes(this.search)) return false;
    return [...this.tags].every((id) => wallet.tags.some((tag) => tag.id === id));
  }

  /** @param {Entry} wallet */
  #getRow(wallet) {
    const isMine = this.mine.has(wallet.address);
    const text = describeRow(wallet, isMine);
    const existing = this.rows.get(wallet.id);
    if (existing?.text === text) return existing.row;
    const row = makeRow(this.template, wallet, { isMine });
    if (existing) keepProof(existing.row, row);
    this.rows.set(wallet.id, { row, text });
    return row;
  }
}

/**
 * @param {TrackedWallet} wallet
 * @returns {Entry}
 */
const addSearchText = (wallet) => ({
  ...wallet,
  searchText: `${wallet.publicAlias ?? ""}\n${wallet.address}`.toLocaleLowerCase(language),
});

/**
 * Return the contents of a row as text, to detect changes.
 * @param {Entry} wallet
 * @param {boolean} isMine
 */
const describeRow = (wallet, isMine) => JSON.stringify([wallet, isMine]);

/**
 * Make `rows` the list's children, moving only those that are not in place.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} rows
 */
export function replaceRows(list, rows) {
  /** @type {Set<Element>} */
  const wanted = new Set(rows);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  let place = list.firstElementChild;
  for (const row of rows) {
    if (row === place) place = row.nextElementSibling;
    else list.insertBefore(row, place);
  }
}
