// The visitor's own submissions, and what becomes of them. Loaded once there are any, as most visitors
// only read.

import { findAround, getElement } from "../elements.js";
import { now, poll, Problem } from "./api.js";
import { focusRow, makeAvatar, replaceRows, shorten } from "./list.js";
import { addWords, explain, formatDuration, formatInstant, say } from "./words.js";

/**
 * @import { Api, Submission } from "./api.js"
 * @import { List } from "./list.js"
 * @import { Answer, Draft, Records } from "./flow-setup.js"
 */

const PAUSES = { seconds: 10, slowest: 2 * 60 };
const APPROVED = new Set(["approved", "auto_approved"]);
const SHOWN_AT_FIRST = 3; // as in widget.css

export class OwnSubmissions {
  /**
   * Take over what the server has rendered, and follow it.
   * @param {HTMLElement} widget
   * @param {{ api: Api, list: List, refreshList: () => void }} options
   */
  constructor(widget, { api, list, refreshList }) {
    this.api = api;
    this.wallets = list;
    this.refreshList = refreshList;
    this.cooldown = Number(widget.dataset.cooldown); // in seconds
    this.notice = getElement(widget, "#cookie-blocked", HTMLElement);
    this.root = getElement(widget, "#own", HTMLElement);
    this.list = getElement(this.root, "#own-list", HTMLElement);
    this.all = getElement(this.root, "#own-all", HTMLButtonElement);
    addWords(document, "own-words");
    /** @type {Submission[]} */
    this.remembered = JSON.parse(getElement(document, "#own-data", HTMLElement).textContent);
    /** @type {Map<string, Submission & { wasListed: boolean }>} */
    this.sentNow = new Map(); // address -> submission, for browsers that store no cookie
    const rows = /** @type {HTMLElement[]} */ ([...this.list.children]);
    /** @type {Map<string, HTMLElement>} */ // text -> row: screen readers do not read unchanged rows again
    this.rows = new Map(this.remembered.map((one, index) => [this.#describe(one), rows[index]]));
    this.all.addEventListener("click", () => this.#showAll());
    this.list.addEventListener("click", (event) => this.#saveReceipt(event));
    countDown(this.list, this.cooldown);
    setInterval(() => countDown(this.list, this.cooldown), 1000);
    const isWanted = () => this.isPending && !this.isForgotten;
    this.poll = poll(() => this.#read(), { ...PAUSES, isWanted });
    list.listeners.push(() => this.#compareWithList());
    list.markMine(this.approvedAddresses);
  }

  /** Whether the browser sends no cookie, so that the server knows of no submission. */
  get isForgotten() {
    return !this.notice.hidden;
  }

  /** What is known, with what waits first and else the newest first. */
  get known() {
    const ids = new Set(this.remembered.map(({ id }) => id));
    const sent = [...this.sentNow.values()].filter(({ id }) => !ids.has(id));
    const isDecided = (/** @type {Submission} */ { status }) => Number(status !== "pending");
    return [...sent, ...this.remembered].sort((one, other) => isDecided(one) - isDecided(other));
  }

  get isPending() {
    return this.known.some(({ status }) => status === "pending");
  }

  get approvedAddresses() {
    return this.known.filter(({ status }) => APPROVED.has(status)).map((one) => one.walletAddress);
  }

  // What the purposes of the flow tell

  /**
   * Add what was sent now.
   * @param {Draft} draft
   * @param {Answer} answer
   */
  add({ walletAddress, nickname }, { submissionId: id, status }) {
    if (this.isForgotten) this.root.after(this.notice); // it explains the row above it, and stays when that goes
    const sent = { id, walletAddress, nickname, status, wasListed: true };
    this.sentNow.set(walletAddress, sent);
    if (this.isForgotten) this.#noteWhetherListed(sent);
    this.#render();
    if (status !== "pending" || this.isForgotten) this.refreshList();
    this.poll.now();
  }

  /** Ask the server what became of the submissions; a failure changes nothing. */
  refresh() {
    this.#read().catch(() => {});
  }

  /**
   * Take over what the holder of a wallet was told after a signature.
   * @param {Records} records
   */
  update({ walletAddress, submissions }) {
    const sent = this.sentNow.get(walletAddress);
    if (!sent) return;
    const found = submissions.find(({ id }) => id === sent.id);
    if (found) this.sentNow.set(walletAddress, { ...sent, ...found });
    else this.sentNow.delete(walletAddress); // withdrawn from elsewhere
    this.#render();
  }

  /**
   * Forget what was sent from here for a wallet that is withdrawn.
   * @param {string} address
   */
  forget(address) {
    this.sentNow.delete(address);
    this.#render();
    this.refreshList();
    this.refresh();
  }

  // What the steps ask

  /**
   * Return the submission of a wallet that waits or was approved, if there is one.
   * @param {string} address
   */
  find(address) {
    return this.known.find(({ walletAddress, status }) =>
      walletAddress === address && (status === "pending" || APPROVED.has(status)));
  }

  /**
   * Return for how many seconds a wallet cannot be sent again, as the owner has rejected it; 0: it can.
   * @param {string} address
   */
  countCooldown(address) {
    const rejected = this.known.filter((one) => one.walletAddress === address && one.status === "rejected");
    return Math.max(0, ...rejected.map(({ decidedAtIso }) => countLeft(decidedAtIso ?? "", this.cooldown)));
  }

  /** @param {string} address */
  canShow(address) {
    return this.find(address) !== undefined || this.wallets.has(address);
  }

  /**
   * Lead to the row of a wallet: among the visitor's own while it waits, else on the list.
   * @param {string} address
   */
  async show(address) {
    const found = this.find(address);
    if (found?.status !== "pending" && await this.wallets.lead(address)) return;
    this.list.classList.add("all");
    this.all.hidden = true;
    focusRow(found && this.rows.get(this.#describe(found)));
  }

  // Following

  /** Read the submissions that the server knows; return whether they have changed. */
  async #read() {
    if (this.isForgotten) return false;
    const before = this.approvedAddresses.length;
    const submissions = await this.api.listOwn();
    const hasChanged = JSON.stringify(submissions) !== JSON.stringify(this.remembered);
    this.remembered = submissions;
    this.#render();
    if (this.approvedAddresses.length > before) this.refreshList();
    return hasChanged;
  }

  /** @param {Submission & { wasListed: boolean }} sent */
  async #noteWhetherListed(sent) {
    await this.wallets.readRest();
    if (this.wallets.isComplete) sent.wasListed = this.wallets.has(sent.walletAddress);
  }

  /** Without a cookie, only the public list shows that a wallet was approved. */
  #compareWithList() {
    for (const [address, sent] of this.sentNow) {
      const isNew = sent.status === "pending" && !sent.wasListed;
      if (isNew && this.wallets.has(address)) sent.status = "approved";
    }
    this.#render();
  }

  // Showing

  #render() {
    const rows = new Map(this.known.map((one) => {
      const text = this.#describe(one);
      return [text, this.rows.get(text) ?? this.#makeRow(one)];
    }));
    this.rows = rows;
    this.root.hidden = rows.size === 0;
    this.all.hidden = rows.size <= SHOWN_AT_FIRST || this.list.classList.contains("all");
    replaceRows(this.list, [...rows.values()]);
    this.wallets.markMine(this.approvedAddresses);
  }

  #showAll() {
    this.list.classList.add("all");
    this.all.hidden = true;
    focusRow(/** @type {HTMLElement | undefined} */ (this.list.children[SHOWN_AT_FIRST]));
  }

  /** @param {Event} event */
  async #saveReceipt(event) {
    const link = findAround(event, "a[data-receipt]");
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault(); // the answer may be no receipt
    const problem = getElement(this.root, "#own-problem", HTMLElement);
    try {
      await saveReceipt(link, this.api);
      problem.textContent = "";
    } catch (error) {
      problem.textContent = explainFailure(error);
    }
  }

  /** @param {Submission} submission */
  #makeRow(submission) {
    const receipt = this.#hasReceipt(submission) ? this.api.locateReceipt(submission.id) : null;
    return makeRow(submission, { receipt, cooldown: this.cooldown });
  }

  /**
   * Return what a row shows as text, to detect changes.
   * @param {Submission} submission
   */
  #describe(submission) {
    const { id, walletAddress, nickname, status, rejectReason = null, decidedAtIso = null } = submission;
    const { reasonCode = null, reasonText = null } = submission;
    const hasReceipt = this.#hasReceipt(submission);
    return JSON.stringify([id, walletAddress, nickname, status, rejectReason, reasonCode, reasonText, decidedAtIso, hasReceipt]);
  }

  /**
   * Whether this browser may read a receipt: of what is on the list, or with the session's cookie.
   * @param {Submission} submission
   */
  #hasReceipt({ id, status }) {
    if (APPROVED.has(status)) return true;
    return status !== "soft_rejected" && this.remembered.some((one) => one.id === id);
  }
}

// A row of the visitor's own submissions, as in templates/widget/own.html.

/**
 * @param {Submission} submission
 * @param {{ receipt: string | null, cooldown: number }} options the address of its receipt, if it
 *   may be read; `cooldown` in seconds
 */
function makeRow(submission, { receipt, cooldown }) {
  const { id, walletAddress, nickname, status, rejectReason } = submission;
  const row = document.createElement("li");
  row.dataset.status = status;
  const name = make("strong", nickname ?? "");
  name.dir = "auto";
  const address = make("code", shorten(walletAddress));
  name.translate = address.translate = false;
  address.dir = "ltr";
  address.title = walletAddress;
  row.append(makeAvatar(walletAddress), " ", name, " ", make("span", say(`status_${status}`), "status pill"), " ", address);
  if (receipt) row.append(" ", makeLink(id, receipt));
  if (rejectReason) row.append(makeAdvice(submission, cooldown));
  return row;
}

/**
 * Say in the rejected rows of a list when they can be sent again.
 * @param {HTMLElement} list
 * @param {number} cooldown in seconds
 */
function countDown(list, cooldown) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = list.querySelectorAll("[data-decided]");
  for (const again of all) {
    const left = countLeft(again.dataset.decided ?? "", cooldown);
    const sentence = left > 0 ? say("again_in", { time: formatDuration(left) }) : say("again_now");
    // Not compared with the page, where a translator may have changed it.
    if (again.dataset.said !== sentence) again.dataset.said = again.textContent = sentence;
  }
}

/**
 * Return for how many seconds a wallet that was rejected has to wait; less than 0: it need not.
 * @param {string} decidedAtIso
 * @param {number} cooldown in seconds
 */
const countLeft = (decidedAtIso, cooldown) => (Date.parse(decidedAtIso) - now()) / 1000 + cooldown;

/**
 * @param {string} id
 * @param {string} address
 */
function makeLink(id, address) {
  const link = document.createElement("a");
  link.className = "receipt button";
  link.href = address;
  link.download = "";
  link.dataset.receipt = id;
  link.textContent = say("receipt");
  return link;
}

/**
 * @param {Submission} submission
 * @param {number} cooldown in seconds
 */
function makeAdvice({ rejectReason, reasonCode, reasonText, decidedAtIso, status }, cooldown) {
  const advice = make("p", say(`reason_${reasonCode ?? rejectReason}`), "quiet");
  if (reasonText) {
    const words = make("q", reasonText);
    words.dir = "auto";
    advice.append(" ", words);
  }
  if (status === "rejected" && decidedAtIso) {
    const again = make("span", "", "again");
    again.dataset.decided = decidedAtIso;
    again.setAttribute("aria-live", "off"); // a countdown must not be read out every second
    advice.append(" ", again);
    countDown(advice, cooldown);
  }
  return advice;
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [className]
 */
function make(tag, text, className = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}

// The visitor's own receipts, saved as files: only the visitor's own session may read a receipt before
// its wallet is on the list.

/**
 * Save the receipt to which `link` leads.
 * @param {HTMLAnchorElement} link
 * @param {Api} api
 */
async function saveReceipt(link, api) {
  const { receipt: submissionId = "" } = link.dataset;
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
 * Return why a receipt cannot be read.
 * @param {unknown} error
 */
function explainFailure(error) {
  const problem = error instanceof Problem ? error : new Problem("server");
  if (problem.code === "not_found") return say("receipt_gone");
  if (problem.code !== "receipt_withdrawn") return explain(problem);
  return say("receipt_withdrawn", { date: formatInstant(String(problem.details.withdrawnAtIso)) });
}
