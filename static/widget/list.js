// The list of wallets: filters, sorts and renders as many as the visitor wants to see; with its orders and
// ranks, rows, avatars, and keyboard control.

import { findAround, getElement } from "../elements.js";
import { compareAmounts, normalizeAmount, Problem } from "./api.js";
import { copyText, explain, formatAmount, formatInFull, formatShare, language, roundAmount, say } from "./words.js";

/**
 * @import { Proof, Tag, TrackedWallet, TrackingPage } from "./api.js"
 * @import { Shown } from "./row-details.js"
 */

/**
 * @typedef {TrackedWallet & { searchText: string }} Entry a wallet, and its searchable name
 * @typedef {{ name: string, rank: number, balance: string }} Place a wallet's place on the list; 0 and "" mean unknown
 */

const FEW = 25; // rows shown at first, as many as the server renders
const GROWTH = 4; // so a few clicks show any list completely

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
    this.unlisted = getElement(root, "#unlisted", HTMLElement);
    this.state = getElement(root, "#state", HTMLElement);
    this.printed = getElement(root, "#printed", HTMLElement);
    this.sort = getElement(root, "#sort", HTMLSelectElement);
    /** @type {NodeListOf<HTMLButtonElement>} */
    this.heads = root.querySelectorAll("[data-order]");
    this.template = getElement(document, "#wallet-row", HTMLTemplateElement);
    this.hasTools = !this.sort.closest(".tools[hidden]"); // without tools, there's no searching or sorting
    this.orderKey = `embed-order-${root.dataset.page}`;
    /** @type {Entry[]} */
    this.wallets = []; // all, or as many as the server rendered
    this.isComplete = false;
    this.isWanted = false; // whether all were requested, even if they couldn't be read
    /** @type {Entry[]} */
    this.chosen = []; // matching the search and tags, in order
    /** @type {Map<string, Standing>} */
    this.standings = new Map();
    /** @type {(() => void)[]} */
    this.listeners = []; // called when other rows are shown
    /** @type {Set<string>} */
    this.mine = new Set();
    /** @type {((wallet: TrackedWallet) => boolean) | null} */
    this.test = null; // the pressed part's filter (holders.js)
    this.tag = ""; // the id of the part's tag
    this.search = "";
    this.warning = "";
    this.total = 0; // the page's number of wallets
    this.count = FEW;
    /** @type {Map<string, { row: HTMLElement, text: string }>} */
    this.rows = new Map(); // id -> {row, text}: unchanged wallets' rows are reused
    /** @type {Shown[]} */
    this.shown = []; // wallets with a row on the page, in order
    /** @type {Promise<unknown> | null} */
    this.reading = null;
    /** @type {{ wallet: TrackedWallet, proof: Proof | undefined }[]} */
    this.served = []; // the document's proofs, which needn't be requested
    this.#adopt(this.list, Number(root.dataset.total));
    this.shown = this.chosen.map((wallet) => ({ wallet, row: this.#getRow(wallet) }));
    this.#tell();
    this.chooseStop = steerByKeys(this.list);
    this.#listen(root);
  }

  /**
   * Show the public payload without touching unchanged rows; null means it hasn't changed.
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
   * Show the wallets that the server rendered again; unchanged rows stay.
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
   * Show why the list can't be refreshed, until it is.
   * @param {string} sentence
   */
  warn(sentence) {
    this.warning = sentence;
    this.#tell();
  }

  /**
   * Return a wallet's place if the wallet is known.
   * @param {string} address
   * @returns {Place | null}
   */
  findPlace(address) {
    const wallet = this.wallets.find((one) => one.address === address);
    if (!wallet) return null;
    const balance = wallet.balanceKnown === false ? "" : wallet.tokenBalance;
    return { name: nameOf(wallet), rank: this.standings.get(wallet.id)?.rank ?? 0, balance };
  }

  /** @param {string} address */
  has(address) {
    return this.wallets.some((wallet) => wallet.address === address);
  }

  /**
   * Go to a wallet's row, wherever it is; return whether the list has it.
   * @param {string} address
   */
  async lead(address) {
    await this.readRest();
    if (!this.has(address)) return false;
    const find = () => this.chosen.findIndex((wallet) => wallet.address === address);
    if (find() < 0) this.#chooseAll();
    this.count = Math.max(this.count, find() + 1);
    this.#render();
    focusRow(this.shown[find()].row);
    return true;
  }

  /**
   * Show only the wallets that pass a test, or all if it's null.
   * @param {((wallet: TrackedWallet) => boolean) | null} test
   * @param {string} tag the id of the tag that they have
   */
  filter(test, tag = "") {
    this.test = test;
    this.tag = tag;
    this.count = FEW;
    this.#update();
  }

  /** Clear the search and the pressed part of the bar. */
  #chooseAll() {
    this.search = getElement(this.root, "#search", HTMLInputElement).value = "";
    this.test = null;
    this.tag = "";
    this.#render();
  }

  /**
   * Adopt the wallets that the server rendered, in its order.
   * @param {HTMLElement} list
   * @param {number} total
   */
  #adopt(list, total) {
    const rows = /** @type {HTMLElement[]} */ ([...list.children]);
    const places = new Map(rows.map((row) => [row.dataset.id, Number(row.dataset.place ?? 0)]));
    this.served = rows.map((row) => ({ wallet: readRow(row), proof: readProof(row) }));
    this.wallets = rows.map((row, index) => {
      const wallet = addSearchText(this.served[index].wallet);
      this.standings.set(wallet.id, readStanding(row));
      showProof(this.#keepRow(wallet, () => row), this.served[index].proof);
      showInFull(row);
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
      this.search = search.value.replace(/\p{Cf}/gu, "").trim(); // copied text may contain direction marks
      this.count = FEW;
      return this.#update();
    };
    search.addEventListener("input", again);
    this.sort.addEventListener("change", () => {
      rememberOrder(this.orderKey, this.sort.value);
      again();
    });
    /** @type {NodeListOf<HTMLButtonElement>} */
    const parts = root.querySelectorAll("[data-filter]");
    for (const control of [...parts, ...this.heads]) control.disabled = !this.hasTools; // see holders.js
    for (const head of this.heads) {
      head.addEventListener("click", () => {
        const isChosen = this.sort.value === head.dataset.order;
        this.sort.value = isChosen ? "listed" : head.dataset.order ?? "";
        this.sort.dispatchEvent(new Event("change"));
      });
    }
    this.list.addEventListener("click", (event) => {
      const button = findAround(event, ".copy");
      const copied = button && this.shown.find(({ row }) => row.contains(button));
      if (copied) copyText(copied.wallet.address, button);
    });
    this.more.addEventListener("click", () => this.#showMore());
    this.#printAll();
    this.#recallOrder();
  }

  /** Show the list in the order that the visitor chose before. */
  #recallOrder() {
    const order = recallOrder(this.orderKey);
    if (!order || order === this.sort.value || !this.hasTools) return;
    this.sort.value = order;
    this.#update();
  }

  /** Show the matching wallets, after reading all of them. */
  async #update() {
    if (this.isComplete) this.#render();
    else await this.readRest();
  }

  /** Read all wallets if necessary and show the matching ones. Reports failures. */
  async readRest() {
    if (this.isComplete) return;
    this.isWanted = true;
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
    if (first) this.chooseStop(first); // Shift+Tab goes to the first new row
  }

  /**
   * Focus the row at `place`, or the last one, because the focused button is gone.
   * @param {number} place
   */
  #focusRow(place) {
    const { row } = this.shown[place] ?? this.shown.at(-1) ?? {};
    row?.querySelector("summary")?.focus({ preventScroll: true });
  }

  /** Print all wallets that match the search, not only those shown. */
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
      const isFound = makeTest(this.search);
      this.chosen = this.wallets.filter((wallet) => isFound(wallet) && (!this.test || this.test(wallet)));
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
      for (const tag of row.querySelectorAll(".tag")) tag.classList.toggle("found", this.#isFound(tag));
    }
    for (const head of this.heads) head.setAttribute("aria-pressed", String(head.dataset.order === this.sort.value));
    this.more.hidden = this.isComplete && this.count >= this.chosen.length;
    if (isFocused && this.more.hidden) this.#focusRow(length);
    this.unlisted.hidden = !this.isComplete || !ADDRESS.test(this.search) || this.has(this.search);
    this.noMatch.hidden = this.chosen.length > 0 || !this.unlisted.hidden;
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

  /**
   * Return whether a row is shown because of this tag; it then shows the tag, however little room it has.
   * @param {Element} tag
   */
  #isFound(tag) {
    return /** @type {HTMLElement} */ (tag).dataset.tag === this.tag;
  }

  /** @param {Entry} wallet */
  #getRow(wallet) {
    return this.#keepRow(wallet, () => makeRow(this.template, wallet));
  }

  /**
   * Return a wallet's row, or a new one if the wallet changed, which is open if the old one was.
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

/**
 * @param {TrackedWallet} wallet
 * @returns {Entry}
 */
const addSearchText = (wallet) => ({ ...wallet, searchText: fold(wallet.publicAlias ?? "") });

/**
 * Fold a text for searching: without accents, spaces, direction marks and the like, and in capitals, which
 * make a language's special letters match: Turkish has an i without a dot, German "ß" for "SS".
 * @param {string} text
 */
const fold = (text) => text.toUpperCase().normalize("NFKD").replace(/[\p{M}\p{Cf}\s]/gu, "");

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Return a test whether a wallet's name or address contains the search, which may be a shortened address.
 * @param {string} search
 * @returns {(wallet: Entry) => boolean}
 */
function makeTest(search) {
  const text = fold(search);
  const [first, last] = search.toLowerCase().split(/\s*(?:…|\.{2,})\s*/);
  return ({ address, searchText }) => {
    if (searchText.includes(text)) return true;
    const whole = address.toLowerCase();
    return last === undefined ? whole.includes(first) : whole.startsWith(first) && whole.endsWith(last);
  };
}

/**
 * Make `rows` the list's children, moving only those that aren't in place.
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

// The list's orders, the visitor's choice, and the ranks.

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
 * Rank wallets by balance and compute their bars and shares.
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

/**
 * Return the order that a visitor chose on a page, if the browser lets the frame remember it.
 * @param {string} key
 */
function recallOrder(key) {
  try {
    const order = localStorage.getItem(key);
    return order && Object.hasOwn(ORDERS, order) ? order : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} order
 */
function rememberOrder(key, order) {
  try {
    localStorage.setItem(key, order);
  } catch {
    // it lasts until the page is left
  }
}

// The rows: made from wallets, or read from the server's HTML (templates/widget/row.html).

/**
 * @typedef {{ rank: number, part: number, share: string }} Standing a wallet's rank, or 0 for none, its bar,
 *   out of 100, and its share of the supply
 */

/** @param {string} address */
export const shorten = (address) => `${address.slice(0, 4)}…${address.slice(-4)}`;
/** @param {TrackedWallet} wallet */
export const nameOf = (wallet) => wallet.publicAlias ?? shorten(wallet.address);

/**
 * @param {HTMLTemplateElement} template
 * @param {TrackedWallet} wallet
 */
function makeRow(template, wallet) {
  const copy = document.importNode(template.content, true);
  const row = getElement(copy, ".wallet", HTMLElement);
  const { id, address } = wallet;
  row.dataset.id = id;
  row.toggleAttribute("data-nameless", wallet.publicAlias === null);
  getElement(row, ".name", HTMLElement).textContent = wallet.publicAlias ?? shorten(address);
  const code = getElement(row, "summary code", HTMLElement);
  code.textContent = shorten(address);
  getElement(row, ".about", HTMLElement).append(...wallet.tags.flatMap((tag) => [" ", makeTag(tag)]));
  const isKnown = wallet.balanceKnown !== false;
  row.dataset.balance = isKnown ? wallet.tokenBalance : "";
  const [whole, decimals] = isKnown ? roundAmount(wallet.tokenBalance) : [say("unknown"), ""];
  const figure = getElement(row, ".balance bdi", HTMLElement);
  const small = getElement(figure, "small", HTMLElement);
  small.textContent = decimals;
  figure.replaceChildren(whole, small);
  showInFull(row);
  getElement(row, ".detail code", HTMLElement).textContent = address;
  for (const link of row.querySelectorAll(".explorer")) {
    link.setAttribute("href", link.getAttribute("href") + address);
  }
  showAvatar(getElement(row, ".avatar", SVGElement), address);
  return row;
}

/** @param {string} address */
export function makeAvatar(address) {
  const { content } = getElement(document, "#wallet-row", HTMLTemplateElement);
  const avatar = document.importNode(getElement(content, ".avatar", SVGElement), true);
  showAvatar(avatar, address);
  return avatar;
}

/**
 * Draw an avatar if the browser can; it can't on pages without HTTPS.
 * @param {SVGElement} avatar
 * @param {string} address
 */
async function showAvatar(avatar, address) {
  if (!crypto.subtle) return;
  const { path, fill } = await drawAvatar(address);
  const squares = getElement(avatar, "path", SVGElement);
  squares.setAttribute("d", path);
  squares.setAttribute("fill", fill);
}

/**
 * Return the wallet of a row in the server's HTML, in the API's format.
 * @param {HTMLElement} row
 * @returns {TrackedWallet}
 */
function readRow(row) {
  const { id = "", balance = "", nameless } = row.dataset;
  /** @type {NodeListOf<HTMLElement>} */
  const tags = row.querySelectorAll(".tag");
  return {
    id,
    address: getElement(row, ".detail code", HTMLElement).textContent,
    publicAlias: nameless === undefined ? getElement(row, ".name", HTMLElement).textContent : null,
    tokenBalance: normalizeAmount(balance || "0"),
    ...(!balance && { balanceKnown: false }),
    tags: [...tags].map(readTag),
  };
}

/**
 * @param {HTMLElement} row
 * @returns {Standing}
 */
const readStanding = (row) => ({
  rank: Number(row.dataset.rank),
  part: Number(findBar(row).getAttribute("width")),
  share: findShare(row).textContent,
});

/**
 * Show a standing, without touching unchanged parts.
 * @param {HTMLElement} row
 * @param {Standing} standing
 */
function showStanding(row, { rank, part, share }) {
  const [text, width] = [rank ? formatAmount(rank) : "", String(part)];
  const [place, bar] = [findRank(row), findBar(row)];
  if (place.textContent !== text) place.textContent = text;
  if (bar.getAttribute("width") !== width) bar.setAttribute("width", width);
  if (findShare(row).textContent !== share) findShare(row).textContent = share;
}

/**
 * Show a rounded balance in full when someone points at it.
 * @param {HTMLElement} row
 */
function showInFull(row) {
  const { balance } = row.dataset;
  if (balance) getElement(row, ".balance bdi", HTMLElement).title = formatInFull(balance);
}

/** @param {HTMLElement} row */
const findRank = (row) => getElement(row, ".rank", HTMLElement);
/** @param {HTMLElement} row */
const findShare = (row) => getElement(row, ".share", HTMLElement);
/** @param {HTMLElement} row */
const findBar = (row) => getElement(row, ".bar rect + rect", SVGElement);

/**
 * Mark or unmark a row as the visitor's own.
 * @param {HTMLElement} row
 * @param {boolean} isMine
 */
function showMine(row, isMine) {
  if (row.classList.toggle("mine", isMine) === Boolean(row.querySelector(".mark"))) return;
  row.querySelector(".mark")?.remove();
  if (!isMine) return;
  const mark = document.createElement("span");
  mark.className = "mark pill";
  mark.textContent = say("you");
  getElement(row, ".name", HTMLElement).after(" ", mark);
}

/**
 * Mark a row as proved by its holder, or unmark it if `proof` is undefined.
 * @param {HTMLElement} row
 * @param {Proof | undefined} proof
 */
export function showProof(row, proof) {
  const mark = findProof(row);
  if (mark.hidden === Boolean(proof)) mark.hidden = !proof;
}

/**
 * Return a row's proof from the server's HTML, which only says whether there is one.
 * @param {HTMLElement} row
 * @returns {Proof | undefined}
 */
const readProof = (row) => (findProof(row).hidden ? undefined : { submissionId: "" });

/** @param {HTMLElement} row */
const findProof = (row) => getElement(row, ".proved", HTMLElement);

/**
 * Open a wallet's new row if its old one was open, and keep its separately read data, so a refresh
 * doesn't close anything.
 * @param {HTMLElement} from
 * @param {HTMLElement} to
 */
function keepState(from, to) {
  findProof(to).hidden = findProof(from).hidden;
  getElement(to, ".balance", HTMLElement).before(...from.querySelectorAll(".change, .line"));
  if (!getElement(from, "details", HTMLDetailsElement).open) return;
  getElement(to, ".detail", HTMLElement).replaceWith(getElement(from, ".detail", HTMLElement));
  getElement(to, "details", HTMLDetailsElement).open = true; // this reads the details again
}

/**
 * @param {HTMLElement} tag
 * @returns {Tag}
 */
function readTag({ dataset: { tag: id = "", color = "", uncounted }, textContent: name }) {
  return { id, name, color, ...(uncounted === "" && { counted: false }) };
}

/** @param {Tag} tag */
function makeTag({ id, color, name }) {
  const element = document.createElement("span");
  element.className = "tag";
  element.translate = false;
  element.dataset.tag = id;
  element.dataset.color = color;
  element.textContent = name;
  return element;
}

// Small pictures of addresses that help tell wallets apart; embed/web/drawings.py draws the same ones.

const SIDE = 5;
const HALF = 3; // columns; the others mirror them
const MIDDLE = "M2 2h1v1h-1z"; // drawn if there's nothing else

/**
 * Return the path data of squares in a 5-by-5 grid, and their color.
 * @param {string} address
 */
export async function drawAvatar(address) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address));
  const [hue, ...values] = new Uint8Array(digest);
  let path = "";
  for (let x = 0; x < HALF; x++) {
    for (let y = 0; y < SIDE; y++) {
      if (values[x * SIDE + y] % 2 === 0) continue;
      for (const column of new Set([x, SIDE - 1 - x])) path += `M${column} ${y}h1v1h-1z`;
    }
  }
  return { path: path || MIDDLE, fill: `hsl(${Math.floor((hue * 360) / 256)} 60% 50%)` };
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
