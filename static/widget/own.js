// The visitor's own wallets above the list, and the status of submissions. Loaded only when there are any,
// since most visitors just read.

import { findAround, getElement } from "../elements.js";
import { now, poll, Problem } from "./api.js";
import { focusRow, makeAvatar, replaceRows, shorten } from "./list.js";
import { addWords, copyText, explain, formatAge, formatAmount, formatDuration, formatInstant, roundAmount, say } from "./words.js";

/**
 * @import { Api, Submission } from "./api.js"
 * @import { FlowOpener } from "./flow-opener.js"
 * @import { List, Place } from "./list.js"
 * @import { Answer, Draft, Records } from "./flow-setup.js"
 */

const PAUSES = { seconds: 10, slowest: 2 * 60 };
const APPROVED = new Set(["approved", "auto_approved"]);
const SHOWN_AT_FIRST = 3; // as in widget.css
const HIDDEN_COOKIE = "embed_hidden"; // the server leaves these rows out, so nothing moves
const MOST_HIDDEN = 20;

export class OwnSubmissions {
  /**
   * Adopt the rows that the server rendered, and keep them up to date.
   * @param {HTMLElement} widget
   * @param {{ api: Api, list: List, tell: (event: string, detail?: object) => void,
   *   refreshList: () => void, openFlow: FlowOpener["open"] }} options
   */
  constructor(widget, { api, list, tell, refreshList, openFlow }) {
    this.api = api;
    this.tell = tell;
    this.wallets = list;
    this.refreshList = refreshList;
    this.openFlow = openFlow;
    this.cooldown = Number(widget.dataset.cooldown); // in seconds
    this.notice = getElement(widget, "#cookie-blocked", HTMLElement);
    this.root = getElement(widget, "#own", HTMLElement);
    this.list = getElement(this.root, "#own-list", HTMLElement);
    this.all = getElement(this.root, "#own-all", HTMLButtonElement);
    addWords(document, "own-words");
    /** @type {Submission[]} */
    this.remembered = JSON.parse(getElement(document, "#own-data", HTMLElement).textContent);
    /** @type {Map<string, Submission & { wasListed: boolean }>} */
    this.sentNow = new Map(); // address -> submission, for browsers that don't store cookies
    this.hidden = new Set(readHidden());
    /** @type {Map<string, Place>} */ // by submission, for wallets that the list may not have
    this.served = readPlaces(this.root);
    this.listed = new Set(this.approvedAddresses);
    /** @type {Map<string, HTMLElement>} */ // text -> row: screen readers don't read unchanged rows again
    this.rows = new Map();
    for (const one of this.shown) {
      const row = this.#findRow(one.id);
      if (row) this.rows.set(this.#describe(one), row);
    }
    this.all.addEventListener("click", () => this.#showAll());
    this.list.addEventListener("click", (event) => this.#act(event));
    document.addEventListener("click", ({ target }) => this.#closeMenus(target));
    this.list.addEventListener("keydown", (event) => this.#closeByKey(event));
    setInterval(() => this.#countDown(), 1000);
    const isWanted = () => this.isPending && !this.isForgotten;
    this.poll = poll(() => this.#read(), { ...PAUSES, isWanted });
    list.listeners.push(() => this.#compareWithList());
    this.#render();
  }

  /** Whether the browser sends no cookie, so the server can't know its submissions. */
  get isForgotten() {
    return !this.notice.hidden;
  }

  /** All known submissions, newest first. */
  get known() {
    const ids = new Set(this.remembered.map(({ id }) => id));
    const sent = [...this.sentNow.values()].filter(({ id }) => !ids.has(id));
    return [...sent, ...this.remembered];
  }

  /** The submissions with a row: one per wallet, and the newest refusal of each kind, as in rendered.py. */
  get shown() {
    const seen = new Set();
    const order = (/** @type {Submission} */ { status, rejectReason }) =>
      status === "pending" ? 0 : APPROVED.has(status) ? 1 : rejectReason === "cooldown" ? 3 : 2;
    return this.known.sort((one, other) => order(one) - order(other)).filter((one) => {
      const kinds = [one.walletAddress, ...(one.status === "soft_rejected" ? [one.rejectReason] : [])];
      if (kinds.some((kind) => seen.has(kind))) return false;
      for (const kind of kinds) seen.add(kind);
      return !this.hidden.has(one.id);
    });
  }

  get isPending() {
    return this.known.some(({ status }) => status === "pending");
  }

  get approvedAddresses() {
    return this.known.filter(({ status }) => APPROVED.has(status)).map((one) => one.walletAddress);
  }

  // Called by the flow's purposes

  /**
   * Add a submission that was just sent.
   * @param {Draft} draft
   * @param {Answer} answer
   */
  add({ walletAddress, nickname }, { submissionId: id, status }) {
    if (this.isForgotten) this.root.after(this.notice); // it explains the row above it, and stays when the row goes
    const createdAtIso = new Date(now()).toISOString();
    const sent = { id, walletAddress, nickname, status, createdAtIso, wasListed: true };
    this.sentNow.set(walletAddress, sent);
    this.tell("submitted", { status });
    if (this.isForgotten) this.#noteWhetherListed(sent);
    this.#render();
    if (status !== "pending" || this.isForgotten) this.refreshList();
    this.poll.now();
  }

  /**
   * Read the places of the visitor's wallets on the list from the current page.
   * @param {Document} page
   */
  adopt(page) {
    const { link } = getElement(page, "#own", HTMLElement).dataset;
    if (link) this.root.dataset.link = link;
    this.served = readPlaces(page);
    this.#render();
  }

  /** Ask the server for the submissions' status; a failure changes nothing. */
  refresh() {
    this.#read().catch(() => {});
  }

  /**
   * Adopt the records that a wallet's holder got after signing.
   * @param {Records} records
   */
  update({ walletAddress, submissions }) {
    const sent = this.sentNow.get(walletAddress);
    if (!sent) return;
    const found = submissions.find(({ id }) => id === sent.id);
    if (found) this.sentNow.set(walletAddress, { ...sent, ...found });
    else this.sentNow.delete(walletAddress); // withdrawn elsewhere
    this.#render();
  }

  /**
   * Forget this browser's submissions of a withdrawn wallet.
   * @param {string} address
   */
  forget(address) {
    this.sentNow.delete(address);
    this.#render();
    this.refreshList();
    this.refresh();
  }

  // Called by the steps

  /**
   * Return a wallet's pending or approved submission, if there is one.
   * @param {string} address
   */
  find(address) {
    return this.known.find(({ walletAddress, status }) =>
      walletAddress === address && (status === "pending" || APPROVED.has(status)));
  }

  /**
   * Return the seconds until a wallet that the owner rejected can be sent again; 0 if it can.
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
   * Go to a wallet's row: among the visitor's own while it's pending, else on the list.
   * @param {string} address
   */
  async show(address) {
    const found = this.find(address);
    if (found?.status !== "pending" && await this.wallets.lead(address)) return;
    this.list.classList.add("all");
    this.all.hidden = true;
    if (found) focusRow(this.#findRow(found.id));
  }

  // Updating

  /** Read the submissions from the server; return whether they've changed. */
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

  /** Without a cookie, find approved wallets on the public list. */
  #compareWithList() {
    for (const [address, sent] of this.sentNow) {
      const isNew = sent.status === "pending" && !sent.wasListed;
      if (isNew && this.wallets.has(address)) sent.status = "approved";
    }
    this.#render();
  }

  // Showing

  #render() {
    const rows = new Map(this.shown.map((one) => {
      const text = this.#describe(one);
      const row = this.rows.get(text) ?? this.#makeRow(one);
      this.#showPlace(row, this.#findPlace(one));
      return [text, row];
    }));
    this.rows = rows;
    if (rows.size > 0) loadStyle();
    this.root.hidden = rows.size === 0;
    this.all.hidden = rows.size <= SHOWN_AT_FIRST || this.list.classList.contains("all");
    replaceRows(this.list, [...rows.values()]);
    this.#countDown();
    const listed = new Set(this.approvedAddresses);
    if ([...listed].some((address) => !this.listed.has(address))) this.tell("listed");
    this.listed = listed;
    this.wallets.markMine([...listed]);
  }

  #showAll() {
    this.list.classList.add("all");
    this.all.hidden = true;
    focusRow(/** @type {HTMLElement | undefined} */ (this.list.children[SHOWN_AT_FIRST]));
  }

  /**
   * @param {string} id
   * @returns {HTMLElement | null}
   */
  #findRow(id) {
    return this.list.querySelector(`[data-id="${id}"]`);
  }

  /** @param {Event} event */
  #act(event) {
    const control = findAround(event, "[data-act]");
    const row = control?.closest("li[data-id]");
    const one = this.known.find(({ id }) => row instanceof HTMLElement && row.dataset.id === id);
    if (!control || !row || !one) return;
    const { walletAddress: address, nickname } = one;
    const title = control.textContent;
    const opener = getElement(row, "summary", HTMLElement);
    /** @type {Record<string, () => unknown>} */
    const acts = {
      show: () => this.show(address),
      share: () => copyText(this.root.dataset.link ?? "", control),
      receipt: () => this.#saveReceipt(one.id),
      hide: () => this.#hide(one.id),
      withdraw: () => this.openFlow(opener, "withdraw", { address, title }),
      again: () => this.openFlow(opener, "add", { address, nickname: nickname ?? "", title }),
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
    this.hidden.add(id);
    writeHidden([...this.hidden].slice(-MOST_HIDDEN));
    this.#render();
    focusRow(this.list.querySelector("li") ?? this.wallets.list.querySelector("li"));
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

  /**
   * Return a wallet's place on the list, or null if it isn't there.
   * @param {Submission} submission
   */
  #findPlace({ id, walletAddress, status }) {
    if (!APPROVED.has(status)) return null;
    const found = this.wallets.findPlace(walletAddress);
    return found ?? (this.wallets.isComplete ? null : this.served.get(id) ?? null);
  }

  /**
   * @param {HTMLElement} row
   * @param {Place | null} place
   */
  #showPlace(row, place) {
    if (!place) return;
    const { rank, balance } = place;
    const given = { rank: formatAmount(rank), total: formatAmount(this.wallets.total) };
    const [whole, decimals] = roundAmount(balance || "0");
    const amount = make("bdi", whole);
    amount.append(make("small", decimals));
    amount.translate = false;
    const parts = [...(rank ? [" · ", say("place", given)] : []), ...(balance ? [" · ", amount] : [])];
    const figures = getElement(row, ".figures", HTMLElement);
    const text = parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
    if (figures.textContent !== text) figures.replaceChildren(...parts);
  }

  /** Show in rows when they can be sent again, or offer to do it. */
  #countDown() {
    for (const one of this.shown) {
      const again = this.#findRow(one.id)?.querySelector(".again");
      if (!(again instanceof HTMLElement) || one.rejectReason === "duplicate") continue;
      const left = this.countCooldown(one.walletAddress);
      const sentence = left > 0 ? say("again_in", { time: formatDuration(left) }) : "";
      // Not compared with the page's text, which a translator may have changed.
      if (again.dataset.said === sentence) continue;
      again.dataset.said = again.textContent = sentence;
      if (!sentence && one.nickname) again.append(makeButton("again", say("again")));
    }
  }

  /**
   * Make a row like templates/widget/own_row.html. It's read out if it has news.
   * @param {Submission} submission
   */
  #makeRow(submission) {
    const { id, walletAddress, nickname, status, rejectReason, reasonCode, reasonText, createdAtIso } = submission;
    const place = this.#findPlace(submission);
    const name = (place ? place.name : nickname) || shorten(walletAddress);
    const { content } = getElement(document, "#own-row", HTMLTemplateElement);
    const row = document.importNode(getElement(content, "li", HTMLElement), true);
    if (this.#findRow(id)?.dataset.status === status) row.setAttribute("aria-live", "off");
    row.dataset.id = id;
    row.dataset.status = status;
    row.classList.toggle("mine", place !== null);
    getElement(row, ".avatar", SVGElement).replaceWith(makeAvatar(walletAddress));
    getElement(row, "summary span", HTMLElement).textContent = say("more", { name });
    const named = make(place ? "a" : "strong", name);
    named.dir = "auto";
    named.translate = false;
    const [first, second] = row.querySelectorAll(".who > p");
    if (named instanceof HTMLAnchorElement) {
      named.href = "#wallets";
      named.title = say("show_it");
      named.dataset.act = "show";
      first.setAttribute("aria-live", "off"); // because figures change
      first.replaceChildren(make("strong", say("you")), make("span", "", "figures"));
      second.replaceChildren(named, " ", makeProofMark());
    } else {
      named.title = walletAddress;
      first.replaceChildren(named, " ", make("span", say(`status_${status}`), "pill"));
      if (createdAtIso && status === "pending") second.replaceChildren(say("answer_here"), " ", makeAge(createdAtIso));
      const reason = reasonCode ?? (rejectReason === "manual" ? null : rejectReason); // the status says that it was rejected
      const said = reasonText ? makeQuote(reasonText) : reason && say(`reason_${reason}`);
      if (rejectReason) second.replaceChildren(...(said ? [said, " "] : []), makeCountdown());
    }
    const hasReceipt = this.#hasReceipt(submission);
    const canWithdraw = status !== "soft_rejected" && Boolean(nickname);
    const items = { receipt: hasReceipt, hide: status !== "pending", withdraw: canWithdraw };
    for (const [act, isOffered] of Object.entries(items)) {
      const item = getElement(row, `[data-act=${act}]`, HTMLElement);
      if (item.parentElement) item.parentElement.hidden = !isOffered;
      if (item instanceof HTMLAnchorElement) item.href = this.api.locateReceipt(id);
    }
    return row;
  }

  /**
   * Return a row's text without figures, to detect changes.
   * @param {Submission} submission
   */
  #describe(submission) {
    const { id, nickname, status, rejectReason = null, decidedAtIso = null } = submission;
    const { reasonCode = null, reasonText = null } = submission;
    const place = this.#findPlace(submission);
    return JSON.stringify([id, place ? place.name : nickname, place !== null, status, rejectReason, reasonCode, reasonText, decidedAtIso, this.#hasReceipt(submission)]);
  }

  /**
   * Return whether this browser may read a receipt: if the wallet is listed, or with the session's cookie.
   * @param {Submission} submission
   */
  #hasReceipt({ id, status }) {
    if (APPROVED.has(status)) return true;
    return status !== "soft_rejected" && this.remembered.some((one) => one.id === id);
  }
}

/**
 * Return the places of own rows' wallets, as rendered by the server.
 * @param {ParentNode} root
 */
function readPlaces(root) {
  /** @type {NodeListOf<HTMLElement>} */
  const rows = root.querySelectorAll("#own-list > .mine");
  return new Map([...rows].map((row) => {
    const { id = "", rank, balance = "" } = row.dataset;
    return [id, { name: getElement(row, ".line-2 a", HTMLElement).textContent, rank: Number(rank), balance }];
  }));
}

function readHidden() {
  try {
    const { [1]: ids = "" } = document.cookie.match(`(?:^|; )${HIDDEN_COOKIE}=([\\w.]+)`) ?? [];
    return ids.split(".").filter(Boolean);
  } catch {
    return []; // in a sandbox
  }
}

/** @param {string[]} ids */
function writeHidden(ids) {
  try {
    document.cookie = `${HIDDEN_COOKIE}=${ids.join(".")}; Path=/embed; Max-Age=2592000; Secure; SameSite=None; Partitioned`;
  } catch {
    // they are hidden until the page is left
  }
}

/**
 * Return the seconds that a rejected wallet must wait; below 0, it can be sent.
 * @param {string} decidedAtIso
 * @param {number} cooldown in seconds
 */
const countLeft = (decidedAtIso, cooldown) => (Date.parse(decidedAtIso) - now()) / 1000 + cooldown;

function makeProofMark() {
  const { content } = getElement(document, "#wallet-row", HTMLTemplateElement);
  const mark = document.importNode(getElement(content, ".proved", HTMLElement), true);
  mark.hidden = false;
  return mark;
}

/** @param {string} iso */
function makeAge(iso) {
  const age = document.createElement("time");
  age.dateTime = iso; // main.js keeps its text up to date
  age.textContent = formatAge(iso);
  age.setAttribute("aria-live", "off");
  return age;
}

/** @param {string} words the owner's words */
function makeQuote(words) {
  const quote = make("q", words);
  quote.dir = "auto";
  return quote;
}

function makeCountdown() {
  const again = make("span", "", "again");
  again.setAttribute("aria-live", "off"); // a countdown must not be read out every second
  return again;
}

/**
 * @param {string} act
 * @param {string} label
 */
function makeButton(act, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.act = act;
  button.textContent = label;
  return button;
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

/** Load the rows' style; it's loaded with the flow's, since most visitors see neither. */
function loadStyle() {
  if (document.querySelector("link[href*='/widget/visitor.css']")) return;
  const { content } = getElement(document, "#flow-links", HTMLTemplateElement);
  document.head.append(getElement(content, "[rel=stylesheet]", HTMLLinkElement).cloneNode());
}
