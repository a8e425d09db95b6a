// The rows' data that isn't in the payload: proofs and balance changes, read after the list for rows near
// the screen; and the details of an opened row.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { showProof } from "./list.js";
import { explain, formatChange, formatDuration, formatInFull, say } from "./words.js";

/**
 * @import { Api, TrackedWallet, WalletChange } from "./api.js"
 * @import { List } from "./list.js"
 */

/**
 * @typedef {{ wallet: TrackedWallet, row: HTMLElement }} Shown
 * @typedef {{ shown: Shown[] }} RenderedList
 */

/**
 * @template Detail
 * @typedef {{ balance: string, readAt: number, detail: Detail | undefined }} Known
 */

const MAX_READ = 100; // the server's limit per request
const KEPT_MS = 10 * 60_000;
const PAUSE_MS = 60_000; // after a failure

/** The proofs and the changes of the list's rows. */
export class ListDetails {
  /** @param {{ list: List, api: Api, hasChanges: boolean }} options */
  constructor({ list, api, hasChanges }) {
    const nearRows = new NearRows(() => this.update());
    const shared = { list, isNear: (/** @type {HTMLElement} */ row) => nearRows.has(row) };
    const proofs = new RowDetails({
      ...shared, isCheap: true, show: showProof, read: (ids) => api.readProofs(ids),
    });
    for (const { wallet, proof } of list.served) proofs.learn(wallet, proof);
    /** @type {{ update: () => Promise<void>, pausedUntil: number }[]} */
    this.details = [proofs];
    this.proofs = proofs;
    if (!hasChanges) return;
    const read = (/** @type {string[]} */ ids) => api.readChanges(ids);
    this.details.push(new RowDetails({ ...shared, show: showChange, read }));
  }

  /** Whether something couldn't be read and should be requested again. */
  get hasFailed() {
    return this.details.some((one) => one.pausedUntil > 0);
  }

  /** @param {{ hasChanged?: boolean }} [page] */
  update({ hasChanged = false } = {}) {
    if (hasChanged) this.proofs.expire(); // a wallet may be newly proved but otherwise unchanged
    for (const one of this.details) one.update();
  }
}

/** @template Detail the data shown about a wallet */
export class RowDetails {
  /**
   * @param {{ list: RenderedList, read: (ids: string[]) => Promise<Record<string, Detail>>,
   *   show: (row: HTMLElement, detail: Detail | undefined, wallet: TrackedWallet) => void,
   *   isNear: (row: HTMLElement) => boolean, isCheap?: boolean }} options `isNear` says whether a row
   *   is on the screen; `isCheap`: also request the following rows, and so less often
   */
  constructor({ list, read, show, isNear, isCheap = false }) {
    this.list = list;
    this.read = read;
    this.show = show;
    this.isNear = isNear;
    this.isCheap = isCheap;
    /** @type {Map<string, Known<Detail>>} */
    this.known = new Map();
    /** @type {WeakMap<HTMLElement, Detail | undefined>} */
    this.inRow = new WeakMap();
    this.isReading = false;
    this.expiries = 0;
    this.pausedUntil = 0; // after a failure
  }

  /**
   * Take a detail from the document, so it needn't be requested.
   * @param {TrackedWallet} wallet
   * @param {Detail | undefined} detail undefined: the wallet has none
   */
  learn({ id, tokenBalance: balance }, detail, readAt = Date.now()) {
    this.known.set(id, { balance, readAt, detail });
  }

  /** Request everything again; until then, show what's known. */
  expire() {
    this.expiries += 1;
    for (const known of this.known.values()) known.readAt = 0;
  }

  /** Show what's known, and request what's missing or old. Failures aren't shown. */
  async update() {
    this.#showKnown();
    if (this.isReading || Date.now() < this.pausedUntil) return;
    this.isReading = true;
    try {
      for (let missing; (missing = this.#listMissing()).length > 0; ) {
        const { expiries } = this;
        const details = await this.read(missing.map(({ id }) => id));
        const readAt = expiries === this.expiries ? Date.now() : 0; // otherwise the answer may be outdated
        for (const wallet of missing) this.learn(wallet, details[wallet.id], readAt);
        this.#showKnown();
      }
      this.pausedUntil = 0;
    } catch {
      this.pausedUntil = Date.now() + PAUSE_MS;
    } finally {
      this.isReading = false;
    }
  }

  #showKnown() {
    for (const { wallet, row } of this.list.shown) {
      const detail = this.known.get(wallet.id)?.detail;
      if (detail === this.inRow.get(row)) continue;
      this.inRow.set(row, detail);
      this.show(row, detail, wallet);
    }
  }

  #listMissing() {
    const oldest = Date.now() - KEPT_MS;
    const missing = this.list.shown.filter(({ wallet: { id, tokenBalance } }) => {
      const known = this.known.get(id);
      return known?.balance !== tokenBalance || known.readAt < oldest;
    });
    const near = missing.filter(({ row }) => this.isNear(row));
    const wanted = near.length && this.isCheap ? missing.slice(missing.indexOf(near[0])) : near;
    return wanted.slice(0, MAX_READ).map(({ wallet }) => wallet);
  }
}

/** Knows which rows are on the screen or, in a top-level window, less than a screen away. */
class NearRows {
  /** @param {() => void} onChange */
  constructor(onChange) {
    /** @type {WeakSet<Element>} */
    this.near = new WeakSet();
    /** @type {WeakSet<Element>} */
    this.watched = new WeakSet();
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.near.add(target);
        else this.near.delete(target);
      }
      onChange();
    }, { rootMargin: "100% 0px" });
  }

  /**
   * Return whether a row is near; the first call starts watching it.
   * @param {HTMLElement} row
   */
  has(row) {
    if (!this.watched.has(row)) {
      this.watched.add(row);
      this.observer.observe(row);
    }
    return this.near.has(row);
  }
}

// A row's change over a day, and its line of 30 days.

const SVG = "http://www.w3.org/2000/svg";
const VIEW_BOX = "0 0 144 48"; // as in embed/web/drawings.py
const DAY_SECONDS = 86_400;

/**
 * Show a change in a row of the list, replacing an earlier one.
 * @param {HTMLElement} row
 * @param {WalletChange | undefined} change
 */
function showChange(row, change) {
  for (const earlier of row.querySelectorAll(".change, .line")) earlier.remove();
  if (!change) return;
  const place = document.createElement("span");
  place.className = "change";
  if (change.changeDay !== null) place.append(makeDelta(change.changeDay));
  getElement(row, ".balance", HTMLElement).before(place, ...(change.linePath ? [makeLine(change)] : []));
}

/** @param {string} amount */
function makeDelta(amount) {
  const number = document.createElement("bdi");
  number.translate = false;
  number.className = amount.startsWith("-") ? "down" : amount === "0" ? "" : "up";
  number.title = describe(DAY_SECONDS, amount);
  number.textContent = formatChange(amount);
  return number;
}

/** @param {WalletChange} change */
function makeLine({ lineSeconds, changeLine, linePath }) {
  const svg = document.createElementNS(SVG, "svg");
  const title = document.createElementNS(SVG, "title");
  svg.setAttribute("class", "line");
  svg.setAttribute("role", "img");
  svg.setAttribute("viewBox", VIEW_BOX);
  title.textContent = describe(lineSeconds, changeLine);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.append(title, makePath(`${linePath}V48H${linePath.slice(1).split(" ", 1)}z`), makePath(linePath));
  return svg;
}

/** @param {string} data */
function makePath(data) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", data);
  return path;
}

/**
 * @param {number} seconds
 * @param {string} amount
 */
const describe = (seconds, amount) => `${formatDuration(seconds)}: ${formatInFull(amount, { sign: true })}`;

// The details of an opened row, rendered by the server.

/**
 * Read and show an opened row's details, replacing earlier ones unless they're in use.
 * @param {HTMLElement} row
 * @param {Api} api
 */
export async function showDetails(row, api) {
  const panel = getElement(row, ".detail", HTMLElement);
  const earlier = panel.querySelector(".loaded");
  if (earlier && isInUse(earlier)) return;
  const waiting = earlier ?? makeSentence(say("loading"));
  if (!earlier) panel.append(waiting);
  const details = await readDetails(row, api);
  if (!isInUse(waiting)) waiting.replaceWith(details);
}

/** @param {Element} details */
const isInUse = (details) =>
  details.contains(document.activeElement) || details.querySelector("details[open]") !== null;

/**
 * Return the details, or a sentence that says why there are none.
 * @param {HTMLElement} row
 * @param {Api} api
 */
async function readDetails(row, api) {
  const { id = "" } = row.dataset;
  try {
    const part = await api.readHtml(`/embed/tracking/${api.pageId}/wallets/${id}`);
    const details = part && getElement(part, ".loaded", HTMLElement);
    if (!details) throw new Problem("server");
    if (!details.querySelector(".proof")) showProof(row, undefined);
    return details;
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    return makeSentence(problem.code === "not_found" ? say("not_listed") : explain(problem));
  }
}

/** @param {string} text */
function makeSentence(text) {
  const sentence = document.createElement("p");
  sentence.className = "loaded";
  sentence.setAttribute("role", "status");
  sentence.textContent = text;
  return sentence;
}
