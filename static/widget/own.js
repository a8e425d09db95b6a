// The visitor's own submissions: their status, and advice for refused ones.

import { getElement } from "../elements.js";
import { formatDuration, say } from "./words.js";

/**
 * @import { Submission } from "./api.js"
 * @import { Result } from "./flow.js"
 */

const APPROVED = new Set(["approved", "auto_approved"]);

export class OwnSubmissions {
  /**
   * @param {HTMLElement} root
   * @param {{ cooldown: number }} policy `cooldown` in seconds
   */
  constructor(root, { cooldown }) {
    this.root = root;
    this.list = getElement(root, "#own-list", HTMLElement);
    this.cooldown = cooldown;
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

  showCookieBlocked() {
    this.isCookieBlocked = true;
    getElement(this.root, "#cookie-blocked", HTMLElement).hidden = false;
    this.#render();
  }

  /** @param {Result & { nickname: string, wasListed: boolean }} sent */
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
    if (submission.rejectReason) row.append(this.#makeAdvice(submission));
    return row;
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
