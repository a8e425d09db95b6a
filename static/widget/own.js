// The visitor's own submissions and their status.

import { getElement } from "../elements.js";
import { replaceRows } from "./list.js";
import { countDown, makeRow } from "./own-row.js";

/**
 * @import { Submission } from "./api.js"
 * @import { Answer, Records } from "./flow-api.js"
 */

const APPROVED = new Set(["approved", "auto_approved"]);
const SHOWN_AT_FIRST = 3; // as in widget.css

export class OwnSubmissions {
  /**
   * Take over what the server has rendered.
   * @param {HTMLElement} root
   * @param {{ cooldown: number, locateReceipt: (submissionId: string) => string }} options
   *   `cooldown` in seconds
   */
  constructor(root, { cooldown, locateReceipt }) {
    this.root = root;
    this.list = getElement(root, "#own-list", HTMLElement);
    this.all = getElement(root, "#own-all", HTMLButtonElement);
    this.cooldown = cooldown;
    this.locateReceipt = locateReceipt;
    /** @type {Submission[]} */
    this.remembered = JSON.parse(getElement(document, "#own-data", HTMLElement).textContent);
    /** @type {Map<string, Submission & { wasListed: boolean }>} */
    this.sentNow = new Map(); // address -> submission, for browsers that store no cookie
    const rows = /** @type {HTMLElement[]} */ ([...this.list.children]);
    /** @type {Map<string, HTMLElement>} */ // text -> row: screen readers do not read unchanged rows again
    this.rows = new Map(this.remembered.map((one, index) => [this.#describe(one), rows[index]]));
    this.all.addEventListener("click", () => this.#showAll());
    countDown(this.list, cooldown);
    setInterval(() => countDown(this.list, cooldown), 1000);
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

  /** @param {Submission[]} submissions */
  show(submissions) {
    this.remembered = submissions;
    this.#render();
  }

  /**
   * Show a sentence under the list; empty: none.
   * @param {string} sentence
   */
  tell(sentence) {
    getElement(this.root, "#own-problem", HTMLElement).textContent = sentence;
  }

  /** @param {Answer & { address: string, nickname: string, wasListed: boolean }} sent */
  addSent({ address, submissionId, status, nickname, wasListed }) {
    const sent = { id: submissionId, walletAddress: address, nickname, status };
    this.sentNow.set(address, { ...sent, wasListed });
    this.#render();
  }

  /**
   * Forget what was sent from here for a wallet that is withdrawn.
   * @param {string} address
   */
  forgetSent(address) {
    this.sentNow.delete(address);
    this.#render();
  }

  /**
   * Take over what the holder of a wallet was told after a signature.
   * @param {Records} records
   */
  learn({ walletAddress, submissions }) {
    const sent = this.sentNow.get(walletAddress);
    if (!sent) return;
    const found = submissions.find(({ id }) => id === sent.id);
    if (found) this.sentNow.set(walletAddress, { ...sent, ...found });
    else this.sentNow.delete(walletAddress); // withdrawn from elsewhere
    this.#render();
  }

  /**
   * Without a cookie, only the public list shows that a wallet was approved.
   * @param {(address: string) => boolean} isListed
   */
  noteListed(isListed) {
    for (const [address, sent] of this.sentNow) {
      const isNew = sent.status === "pending" && !sent.wasListed;
      if (isNew && isListed(address)) sent.status = "approved";
    }
    this.#render();
  }

  #render() {
    const rows = new Map(this.known.map((one) => {
      const text = this.#describe(one);
      return [text, this.rows.get(text) ?? this.#makeRow(one)];
    }));
    this.rows = rows;
    this.root.hidden = rows.size === 0;
    this.all.hidden = rows.size <= SHOWN_AT_FIRST || this.list.classList.contains("all");
    replaceRows(this.list, [...rows.values()]);
  }

  #showAll() {
    this.list.classList.add("all");
    this.all.hidden = true;
    const next = this.list.children[SHOWN_AT_FIRST];
    if (!(next instanceof HTMLElement)) return;
    next.tabIndex = -1;
    next.focus();
  }

  /** @param {Submission} submission */
  #makeRow(submission) {
    const receipt = this.#hasReceipt(submission) ? this.locateReceipt(submission.id) : null;
    return makeRow(submission, { receipt, cooldown: this.cooldown });
  }

  /**
   * Return what a row shows as text, to detect changes.
   * @param {Submission} submission
   */
  #describe(submission) {
    const { id, walletAddress, nickname, status, rejectReason = null, decidedAtIso = null } = submission;
    const hasReceipt = this.#hasReceipt(submission);
    return JSON.stringify([id, walletAddress, nickname, status, rejectReason, decidedAtIso, hasReceipt]);
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
