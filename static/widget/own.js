// The visitor's own submissions: their status, and advice for refused ones.

import { getElement } from "../elements.js";
import { formatDuration, say } from "./words.js";

/**
 * @import { Submission } from "./api.js"
 * @import { Answer } from "./flow-api.js"
 */

const APPROVED = new Set(["approved", "auto_approved"]);

export class OwnSubmissions {
  /**
   * @param {HTMLElement} root
   * @param {{ cooldown: number, locateReceipt: (submissionId: string) => string }} options
   *   `cooldown` in seconds
   */
  constructor(root, { cooldown, locateReceipt }) {
    this.root = root;
    this.list = getElement(root, "#own-list", HTMLElement);
    this.cooldown = cooldown;
    this.locateReceipt = locateReceipt;
    /** @type {Submission[]} */
    this.remembered = []; // the session's submissions from the server
    /** @type {Map<string, Submission & { wasListed: boolean }>} */
    this.sentNow = new Map(); // address -> submission, for browsers that store no cookie
    this.isCookieBlocked = false; // the browser sends no session cookie
    /** @type {Map<string, HTMLElement>} */
    this.rows = new Map(); // text -> row: screen readers do not read unchanged rows again
    setInterval(() => this.#count(), 1000);
  }

  get all() {
    const known = new Set(this.remembered.map(({ id }) => id));
    return [...[...this.sentNow.values()].filter(({ id }) => !known.has(id)), ...this.remembered];
  }

  get isPending() {
    return this.all.some(({ status }) => status === "pending");
  }

  get approvedAddresses() {
    return this.all.filter(({ status }) => APPROVED.has(status)).map((one) => one.walletAddress);
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

  showCookieBlocked() {
    this.isCookieBlocked = true;
    getElement(this.root, "#cookie-blocked", HTMLElement).hidden = false;
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

  /** @param {Answer & { address: string, nickname: string, wasListed: boolean }} sent */
  addSent({ address, submissionId, status, nickname, wasListed }) {
    const sent = { id: submissionId, walletAddress: address, nickname, status };
    this.sentNow.set(address, { ...sent, wasListed });
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
    const rows = new Map(this.all.map((one) => {
      const text = JSON.stringify(one);
      return [text, this.rows.get(text) ?? this.#makeRow(one)];
    }));
    const isSame = [...rows.keys()].join() === [...this.rows.keys()].join();
    this.root.hidden = rows.size === 0 && !this.isCookieBlocked;
    this.rows = rows;
    if (!isSame) this.list.replaceChildren(...rows.values());
  }

  /** @param {Submission} submission */
  #makeRow(submission) {
    const row = document.createElement("li");
    row.dataset.status = submission.status;
    const address = document.createElement("code");
    address.dir = "ltr";
    address.textContent = submission.walletAddress;
    const name = document.createElement("strong");
    name.textContent = submission.nickname ?? "";
    const status = document.createElement("span");
    status.className = "status";
    status.textContent = say(`status_${submission.status}`);
    row.append(name, " ", status, " ", address);
    if (this.#hasReceipt(submission)) row.append(this.#linkReceipt(submission.id));
    if (submission.rejectReason) row.append(this.#makeAdvice(submission));
    return row;
  }

  /**
   * Whether this browser may read a receipt: of what is on the list, or with the session's cookie.
   * @param {Submission} submission
   */
  #hasReceipt({ id, status }) {
    if (APPROVED.has(status)) return true;
    return status !== "soft_rejected" && this.remembered.some((one) => one.id === id);
  }

  /** @param {string} submissionId */
  #linkReceipt(submissionId) {
    const link = document.createElement("a");
    link.className = "receipt";
    link.href = this.locateReceipt(submissionId);
    link.download = "";
    link.dataset.receipt = submissionId;
    link.textContent = say("receipt");
    return link;
  }

  /** @param {Submission} submission */
  #makeAdvice({ rejectReason, decidedAtIso, status }) {
    const advice = document.createElement("p");
    advice.className = "quiet";
    advice.append(say(`reason_${rejectReason}`));
    if (status === "rejected" && decidedAtIso) {
      const until = Date.parse(decidedAtIso) + this.cooldown * 1000;
      const again = document.createElement("span");
      again.dataset.until = String(until);
      again.setAttribute("aria-live", "off"); // a countdown must not be read out every second
      again.textContent = sayAgain(until);
      advice.append(" ", again);
    }
    return advice;
  }

  #count() {
    /** @type {NodeListOf<HTMLElement>} */
    const all = this.list.querySelectorAll("[data-until]");
    for (const again of all) {
      const sentence = sayAgain(Number(again.dataset.until));
      if (again.textContent !== sentence) again.textContent = sentence;
    }
  }
}

/** @param {number} until in milliseconds */
function sayAgain(until) {
  const left = (until - Date.now()) / 1000;
  return left > 0 ? say("again_in", { time: formatDuration(left) }) : say("again_now");
}
