// The visitor's own wallets above the list, which the server draws (templates/widget/own.html). Loaded only
// when there are any, since most visitors just read.

import { findAround, getElement } from "../elements.js";
import { now, poll, Problem, readCookie, setCookie } from "./api.js";
import { arrange, focusRow } from "./list.js";
import { copyText, explain, formatInstant, say } from "./words.js";

/**
 * @import { Api } from "./api.js"
 * @import { FlowOpener } from "./flow-opener.js"
 * @import { List } from "./list.js"
 * @import { Answer } from "./flow-setup.js"
 */

const PAUSES = { seconds: 10, slowest: 2 * 60 };
const LIVE = new Set(["pending", "approved", "auto_approved"]);
const SHOWN_AT_FIRST = 3; // as in visitor.css
const HIDDEN_COOKIE = "embed_hidden"; // the server leaves these rows out
const MOST_HIDDEN = 20;

export class OwnSubmissions {
  /**
   * @param {HTMLElement} widget
   * @param {{ api: Api, list: List, tell: (event: string, detail?: object) => void,
   *   refresh: () => Promise<unknown>, tick: () => void, openFlow: FlowOpener["open"] }} options `refresh`
   *   reads these rows and reports failures; `tick` shows times
   */
  constructor(widget, { api, list, tell, refresh, tick, openFlow }) {
    this.widget = widget;
    this.api = api;
    this.wallets = list;
    this.tell = tell;
    this.tick = tick;
    this.openFlow = openFlow;
    this.notice = getElement(widget, "#cookie-blocked", HTMLElement);
    /** @type {string[]} */
    this.sent = []; // ids of submissions, for browsers that send no cookie
    this.isWhole = false; // whether all rows are shown
    this.root = getElement(widget, "#own", HTMLElement);
    this.list = getElement(this.root, "#own-list", HTMLElement);
    this.all = getElement(this.root, "#own-all", HTMLButtonElement);
    this.served = new Map(this.rows.map((row) => [row.dataset.id ?? "", { row, html: readHtml(row) }]));
    this.all.addEventListener("click", () => {
      this.#showAll();
      focusRow(this.rows[SHOWN_AT_FIRST]);
    });
    this.list.addEventListener("click", (event) => this.#act(event));
    this.list.addEventListener("keydown", (event) => this.#closeByKey(event));
    document.addEventListener("click", ({ target }) => this.#closeMenus(target));
    this.isAsked = false; // for the rows as they are now
    this.poll = poll(async () => !(this.isPending || this.isAsked) || refresh(), PAUSES);
    list.listeners.push(() => this.#mark());
    this.#mark();
  }

  get rows() {
    return /** @type {HTMLElement[]} */ ([...this.list.children]);
  }

  get isPending() {
    return this.rows.some(({ dataset }) => dataset.status === "pending");
  }

  // Called by the flow

  /**
   * Show a submission that was just sent.
   * @param {Answer} answer
   */
  add({ submissionId, status }) {
    this.sent.push(submissionId);
    this.tell("submitted", { status });
    this.refresh();
  }

  /** Ask the server for the rows as they are now. */
  refresh() {
    this.isAsked = true;
    this.poll.now();
  }

  /** Whether the browser sends no cookie, so that the server knows only what was sent just now. */
  get isForgotten() {
    return !this.notice.hidden;
  }

  /**
   * Return the row of a wallet's pending or approved submission, if there is one.
   * @param {string} address
   */
  find(address) {
    return this.rows.find(({ dataset }) => dataset.address === address && LIVE.has(dataset.status ?? "")) ?? null;
  }

  /**
   * Return the seconds until a wallet that the owner rejected can be sent again; 0 if it can.
   * @param {string} address
   */
  countCooldown(address) {
    const again = this.rows.filter(({ dataset }) => dataset.address === address).map(({ dataset }) => dataset.again ?? "");
    return Math.max(0, ...again.filter(Boolean).map((iso) => (Date.parse(iso) - now()) / 1000));
  }

  /** @param {string} address */
  canShow(address) {
    return this.find(address) !== null || this.wallets.found.has(address);
  }

  /**
   * Go to a wallet's row: among the visitor's own while it's pending, else on the list.
   * @param {string} address
   */
  async show(address) {
    const row = this.find(address);
    if (row?.dataset.status !== "pending" && await this.wallets.lead(address)) return;
    this.#showAll();
    focusRow(this.find(address));
  }

  // Updating

  /** Read the rows, and the list if it has changed, too; return whether the rows have. */
  async read() {
    const query = this.sent.length ? `?sent=${this.sent.slice(-MOST_HIDDEN).join(".")}` : "";
    const path = `/embed/tracking/${this.api.pageId}/own${query}`;
    const page = await this.api.readHtml(path, { etag: this.root.dataset.etag, isOwn: true });
    const listed = new Set(this.#listMine());
    this.isAsked = false;
    if (page) this.#show(getElement(page, "#own", HTMLElement));
    await this.wallets.refresh(this.root.dataset.list);
    if (this.#listMine().some((id) => !listed.has(id))) this.tell("listed");
    return page !== null;
  }

  /**
   * Replace what has changed. Screen readers read a row only when it's new or has another status.
   * @param {HTMLElement} served
   */
  #show(served) {
    const known = this.served;
    const rows = /** @type {NodeListOf<HTMLElement>} */ (served.querySelectorAll("#own-list > li"));
    Object.assign(this.root.dataset, { mine: "" }, served.dataset);
    for (const part of served.querySelectorAll(":scope > :is(link, svg, template)")) {
      if (!this.root.querySelector(part.localName)) this.root.prepend(document.adoptNode(part));
    }
    this.served = new Map([...rows].map((row) => {
      const { id = "", status } = row.dataset;
      const [before, html] = [known.get(id), readHtml(row)];
      if (before?.html === html) return [id, before];
      if (before?.row.dataset.status === status) row.ariaLive = "off";
      return [id, { html, row: document.adoptNode(row) }];
    }));
    this.#replaceRows([...known.values()].map(({ row }) => row));
    this.root.hidden = this.rows.length === 0;
    if (this.isForgotten && this.rows.length) this.root.after(this.notice); // it explains the rows above it
    this.#showMore();
    this.tick();
    this.#mark();
  }

  /** @param {HTMLElement[]} before */
  #replaceRows(before) {
    const focused = document.activeElement;
    const rows = [...this.served.values()].map(({ row }) => row);
    for (const old of before.filter((row) => !rows.includes(row))) {
      const now = this.served.get(old.dataset.id ?? "")?.row;
      const act = old.contains(focused) && (focused?.getAttribute("data-act") ?? "");
      if (now) getElement(now, "details", HTMLDetailsElement).open = getElement(old, "details", HTMLDetailsElement).open;
      if (now) old.replaceWith(now);
      else old.remove();
      if (act === false) continue;
      /** @type {HTMLElement | null | undefined} */
      const same = now?.querySelector(act ? `[data-act="${act}"]` : "summary");
      if (same) same.focus({ preventScroll: true });
      else focusRow(rows[0]);
    }
    arrange(this.list, rows);
  }

  #listMine() {
    return this.root.dataset.mine?.match(/\S+/g) ?? [];
  }

  #mark() {
    /** @type {HTMLTemplateElement | null} */
    const mark = this.root.querySelector("#mark");
    this.wallets.markMine(this.#listMine(), mark?.content.firstElementChild ?? null);
  }

  #showAll() {
    this.isWhole = true;
    this.#showMore();
  }

  #showMore() {
    this.list.classList.toggle("all", this.isWhole);
    this.all.hidden = this.isWhole || this.rows.length <= SHOWN_AT_FIRST;
  }

  // What a row's buttons do

  /** @param {Event} event */
  #act(event) {
    const control = findAround(event, "[data-act]");
    const row = control?.closest("li[data-id]");
    if (!control || !(row instanceof HTMLElement)) return;
    const { id = "", address = "", nickname = "" } = row.dataset;
    const title = control.textContent;
    const opener = getElement(row, "summary", HTMLElement);
    /** @type {Record<string, () => unknown>} */
    const acts = {
      show: () => this.show(address),
      share: () => copyText(control.dataset.link ?? "", control),
      receipt: () => this.#saveReceipt(id),
      hide: () => this.#hide(id),
      withdraw: () => this.openFlow(opener, "withdraw", { address, title }),
      again: () => this.openFlow(opener, "add", { address, nickname, title }),
    };
    if (control instanceof HTMLAnchorElement) event.preventDefault(); // the receipt's address may not answer with one
    acts[control.dataset.act ?? ""]?.();
    this.#closeMenus();
  }

  /** @param {EventTarget | null} [pressed] the menu around this element stays open */
  #closeMenus(pressed = null) {
    for (const menu of this.list.querySelectorAll("details")) {
      if (!(pressed instanceof Node && menu.contains(pressed))) menu.open = false;
    }
  }

  /** @param {KeyboardEvent} event */
  #closeByKey(event) {
    const menu = findAround(event, "details[open]");
    if (event.key !== "Escape" || !menu) return;
    event.preventDefault(); // so it doesn't also close the steps
    this.#closeMenus();
    menu.querySelector("summary")?.focus();
  }

  /** @param {string} id */
  #hide(id) {
    hideRow(id);
    this.served.get(id)?.row.remove();
    this.root.hidden = this.rows.length === 0;
    focusRow(this.rows[0] ?? this.wallets.list.querySelector("li"));
    this.refresh();
  }

  /** @param {string} id */
  async #saveReceipt(id) {
    const problem = getElement(this.root, "#own-problem", HTMLElement);
    try {
      await saveReceipt(id, this.api);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = explainFailure(error);
    }
  }
}

/** Return a row's HTML without its times, which tick. @param {HTMLElement} row */
const readHtml = ({ outerHTML }) => outerHTML.replace(/(<time[^>]*>)[^<]*/g, "$1");

/** Let the server leave out a row. @param {string} id */
function hideRow(id) {
  const hidden = readCookie(HIDDEN_COOKIE).split(".").filter(Boolean);
  setCookie(HIDDEN_COOKIE, [...hidden, id].slice(-MOST_HIDDEN).join("."));
}

// Saves the visitor's own receipts as files: before a wallet is on the list, only its visitor's session
// may read the receipt.

/**
 * @param {string} submissionId
 * @param {Api} api
 */
async function saveReceipt(submissionId, api) {
  const receipt = await api.readReceipt(submissionId);
  const file = new Blob([JSON.stringify(receipt, null, 2), "\n"], { type: "application/json" });
  saveFile(file, `receipt-${submissionId}.json`);
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function saveFile(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it
}

/**
 * Return why a receipt can't be read.
 * @param {unknown} error
 */
function explainFailure(error) {
  const problem = error instanceof Problem ? error : new Problem("server");
  if (problem.code === "not_found") return say("receipt_gone");
  if (problem.code !== "receipt_withdrawn") return explain(problem);
  return say("receipt_withdrawn", { date: formatInstant(String(problem.details.withdrawnAtIso)) });
}

