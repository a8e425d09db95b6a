// The list of wallets: filtered, sorted, and rendered as far as the visitor has asked for.

import { findAround, getElement } from "../elements.js";
import { compareAmounts, Problem } from "./api.js";
import {
  keepFocus, keepState, makeRow, nameOf, readProof, readRow, readStanding, showMine, showProof, showStanding, steerByKeys,
} from "./wallet-row.js";
import { copyText, explain, formatAmount, formatShare, language, say } from "./words.js";

/**
 * @import { Proof, TrackedWallet, TrackingPage } from "./api.js"
 * @import { Shown } from "./row-details.js"
 * @import { Standing } from "./wallet-row.js"
 */

/**
 * @typedef {TrackedWallet & { searchText: string }} Entry a wallet, and the text that is searched
 */

const FEW = 25; // shown at first, as many as the server renders
const GROWTH = 4; // so that a few clicks lead through any list

export class List {
  /**
   * @param {HTMLElement} root
   * @param {() => Promise<unknown>} readAll reads the whole list and shows it
   */
  constructor(root, readAll) {
    this.root = root;
    this.readAll = readAll;
    this.list = getElement(root, "#wallets", HTMLElement);
    this.more = getElement(root, "#more", HTMLButtonElement);
    this.noMatch = getElement(root, "#no-match", HTMLElement);
    this.state = getElement(root, "#state", HTMLElement);
    this.printed = getElement(root, "#printed", HTMLElement);
    this.sort = getElement(root, "#sort", HTMLSelectElement);
    this.template = getElement(document, "#wallet-row", HTMLTemplateElement);
    this.chosenOrder = new ChosenOrder(root.dataset.page ?? "");
    /** @type {Entry[]} */
    this.wallets = []; // all, or as many as the server has rendered
    this.isComplete = false;
    /** @type {Entry[]} */
    this.chosen = []; // by search and tags, in order
    /** @type {Map<string, Standing>} */
    this.standings = new Map();
    /** @type {(() => void)[]} */
    this.listeners = []; // called when other rows are shown
    /** @type {Set<string>} */
    this.mine = new Set();
    /** @type {Set<string>} */
    this.tags = new Set();
    this.search = "";
    this.warning = "";
    this.total = 0; // of the page
    this.count = FEW;
    /** @type {Map<string, { row: HTMLElement, text: string }>} */
    this.rows = new Map(); // id -> {row, text}: rows of unchanged wallets are reused
    /** @type {Shown[]} */
    this.shown = []; // the wallets that have a row on the page, in order
    /** @type {Promise<unknown> | null} */
    this.reading = null;
    /** @type {{ wallet: TrackedWallet, proof: Proof | undefined }[]} */
    this.served = []; // what the document says of proofs, so that it is not asked for
    this.#adopt(this.list, Number(root.dataset.total));
    this.shown = this.chosen.map((wallet) => ({ wallet, row: this.#getRow(wallet) }));
    this.#tell();
    this.chooseStop = steerByKeys(this.list);
    this.#listen(root);
  }

  /**
   * Show the public payload, without touching unchanged rows; null: it has not changed.
   * @param {TrackingPage | null} page
   */
  show(page) {
    if (!page && !this.warning) return;
    this.warning = "";
    if (page) {
      this.wallets = page.wallets.map(addSearchText);
      this.total = this.wallets.length;
      this.isComplete = true;
      this.standings = rankWallets(page);
    }
    this.#render();
  }

  /**
   * Show the wallets that the server has rendered again; unchanged rows stay.
   * @param {HTMLElement} root of the other document
   */
  showServed(root) {
    this.warning = "";
    this.#adopt(getElement(root, "#wallets", HTMLElement), Number(root.dataset.total));
    this.#render();
  }

  /**
   * Mark the wallets of this visitor.
   * @param {string[]} addresses
   */
  markMine(addresses) {
    this.mine = new Set(addresses);
    for (const { wallet, row } of this.shown) showMine(row, this.mine.has(wallet.address));
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

  /**
   * Lead to a wallet's row, wherever it is; return whether the list has it.
   * @param {string} address
   */
  async lead(address) {
    await this.readRest();
    const isIt = (/** @type {TrackedWallet} */ wallet) => wallet.address === address;
    if (!this.has(address)) return false;
    if (!this.chosen.some(isIt)) this.#chooseAll();
    this.count = Math.max(this.count, this.chosen.findIndex(isIt) + 1);
    this.#render();
    focusRow(this.shown.find(({ wallet }) => isIt(wallet))?.row);
    return true;
  }

  /** End the search, and choose no tag. */
  #chooseAll() {
    this.search = getElement(this.root, "#search", HTMLInputElement).value = "";
    this.tags.clear();
    for (const button of this.root.querySelectorAll("[data-filter]")) button.setAttribute("aria-pressed", "false");
    this.#render();
  }

  /**
   * Take over the wallets that the server has rendered, in its order.
   * @param {HTMLElement} list
   * @param {number} total
   */
  #adopt(list, total) {
    const rows = /** @type {HTMLElement[]} */ ([...list.children]);
    const places = new Map(rows.map((row) => [row.dataset.id, Number(row.dataset.place)]));
    this.served = rows.map((row) => ({ wallet: readRow(row), proof: readProof(row) }));
    this.wallets = rows.map((row, index) => {
      const wallet = addSearchText(this.served[index].wallet);
      this.standings.set(wallet.id, readStanding(row));
      showProof(this.#keepRow(wallet, () => row), this.served[index].proof);
      return wallet;
    });
    this.total = total;
    this.isComplete = rows.length === total;
    this.chosen = [...this.wallets];
    if (!this.isComplete) return;
    this.wallets.sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0));
  }

  /** @param {HTMLElement} root */
  #listen(root) {
    const search = getElement(root, "#search", HTMLInputElement);
    const again = () => {
      this.search = search.value.trim().toLocaleLowerCase(language);
      this.count = FEW;
      return this.#update();
    };
    search.addEventListener("input", again);
    this.sort.addEventListener("change", () => {
      this.chosenOrder.remember(this.sort.value);
      again();
    });
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
    this.#recallOrder();
  }

  /** Show the list in the order that the visitor has chosen before. */
  #recallOrder() {
    const order = this.chosenOrder.recall();
    if (!order || order === this.sort.value || this.sort.closest(".tools[hidden]")) return;
    this.sort.value = order;
    this.#update();
  }

  /** Show what is chosen, for which all wallets have to be known. */
  async #update() {
    if (this.isComplete) this.#render();
    else await this.readRest();
  }

  /** Read all wallets, unless they are known, and show what is chosen. A failure is told. */
  async readRest() {
    if (this.isComplete) return;
    try {
      this.state.textContent = say("loading");
      await (this.reading ??= this.readAll());
    } catch (error) {
      this.warn(error instanceof Problem ? explain(error) : say("server"));
    } finally {
      this.reading = null;
    }
  }

  async #showMore() {
    const { length } = this.shown;
    this.count *= GROWTH;
    await this.#update();
    const first = this.shown[length]?.row.querySelector("summary");
    if (first) this.chooseStop(first); // Shift+Tab leads to what is new
  }

  /**
   * Focus the row at `place`, or the last one, since the button that had the focus is gone.
   * @param {number} place
   */
  #focusRow(place) {
    const { row } = this.shown[place] ?? this.shown.at(-1) ?? {};
    row?.querySelector("summary")?.focus({ preventScroll: true });
  }

  /** Print all that fit the search, not only those that are shown. */
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
    if (this.isComplete) {
      this.chosen = this.wallets.filter((wallet) => this.#isChosen(wallet));
      const order = ORDERS[this.sort.value];
      if (order) this.chosen.sort(order);
    }
    const { length } = this.shown;
    const first = this.chosen.slice(0, this.count);
    const isFocused = document.activeElement === this.more;
    keepFocus(this.list, () => {
      this.shown = first.map((wallet) => ({ wallet, row: this.#getRow(wallet) }));
      replaceRows(this.list, this.shown.map(({ row }) => row));
    });
    for (const { wallet, row } of this.shown) {
      showStanding(row, this.standings.get(wallet.id) ?? { rank: 0, part: 0, share: "" });
      showMine(row, this.mine.has(wallet.address));
    }
    this.more.hidden = this.isComplete && this.count >= this.chosen.length;
    if (isFocused && this.more.hidden) this.#focusRow(length);
    this.noMatch.hidden = this.chosen.length > 0;
    this.root.toggleAttribute("data-empty", this.total === 0);
    this.#tell();
    for (const listener of this.listeners) listener();
  }

  #tell() {
    const shown = this.chosen.length < this.wallets.length ? this.chosen.length : this.shown.length;
    const count = { shown: formatAmount(shown), total: formatAmount(this.total) };
    const sentence = say("shown_of", count);
    this.printed.textContent = sentence;
    this.state.textContent = this.warning || (shown < this.total ? sentence : "");
  }

  /** @param {Entry} wallet */
  #isChosen(wallet) {
    if (this.search && !wallet.searchText.includes(this.search)) return false;
    return [...this.tags].every((id) => wallet.tags.some((tag) => tag.id === id));
  }

  /** @param {Entry} wallet */
  #getRow(wallet) {
    return this.#keepRow(wallet, () => makeRow(this.template, wallet));
  }

  /**
   * Return a wallet's row, unless it has changed: then a new one, which is as open as the old one.
   * @param {Entry} wallet
   * @param {() => HTMLElement} make
   */
  #keepRow(wallet, make) {
    const text = JSON.stringify(wallet);
    const existing = this.rows.get(wallet.id);
    if (existing?.text === text) return existing.row;
    const row = make();
    if (existing) keepState(existing.row, row);
    this.rows.set(wallet.id, { row, text });
    return row;
  }
}

/** @param {HTMLElement} [row] */
export function focusRow(row) {
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
  // The site's script changes the frame's height a moment later, so the row may be out of sight again.
  addEventListener("resize", () => {
    if (document.activeElement === row) row.scrollIntoView({ block: "nearest" });
  }, { once: true });
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

// The orders of the list, the visitor's choice of one, and the ranks.

const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

/** @param {TrackedWallet} one @param {TrackedWallet} other */
const byBalance = (one, other) => compareAmounts(other.tokenBalance, one.tokenBalance);

/** @type {Record<string, ((one: TrackedWallet, other: TrackedWallet) => number) | null>} */
const ORDERS = {
  listed: null,
  balance: byBalance,
  name: (one, other) => collator.compare(nameOf(one), nameOf(other)),
};

/**
 * Rank wallets by their balances, and measure their bars and shares.
 * @param {TrackingPage} page
 * @returns {Map<string, Standing>} by the wallets' ids
 */
function rankWallets({ wallets, supply }) {
  const sorted = [...wallets].sort(byBalance);
  const highest = Number(sorted[0]?.tokenBalance);
  let rank = 0;
  return new Map(sorted.map(({ id, tokenBalance }, index) => {
    if (tokenBalance !== sorted[index - 1]?.tokenBalance) rank = index + 1;
    const balance = Number(tokenBalance);
    const part = highest ? Math.round((balance / highest) * 1000) / 10 : 0;
    const share = supply && balance ? formatShare(balance / supply) : "";
    return [id, { rank: balance ? rank : 0, part, share }];
  }));
}

/** The order that a visitor has chosen on a page, as far as the browser lets a frame remember it. */
class ChosenOrder {
  /** @param {string} pageId */
  constructor(pageId) {
    this.key = `embed-order-${pageId}`;
  }

  /** @returns {string | null} */
  recall() {
    try {
      const order = localStorage.getItem(this.key);
      return order && Object.hasOwn(ORDERS, order) ? order : null;
    } catch {
      return null;
    }
  }

  /** @param {string} order */
  remember(order) {
    try {
      localStorage.setItem(this.key, order);
    } catch {
      // it counts until the page is left
    }
  }
}
