// The flow in the frame: puts its steps into the panel once they are loaded, knows what they are for,
// and opens the signing window.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { answerCall } from "./calls.js";
import { FlowView } from "./flow-view.js";
import { Flow } from "./flow.js";
import { watchAllWallets } from "./lent-wallets.js";
import { addWords } from "./words.js";

/**
 * @import { Api, Submission, Tag } from "./api.js"
 * @import { About } from "./flow-view.js"
 * @import { Retry } from "./flow.js"
 * @import { OwnSubmissions } from "./own.js"
 */

/**
 * @typedef {"add" | "show"} FirstPurpose
 * @typedef {{ start: (purpose: FirstPurpose) => void, leave: () => void }} Steps
 */

/**
 * @param {HTMLElement} panel keeps only its head of what it shows
 * @param {Document} part the steps, and their sentences
 * @param {{ api: Api, own: OwnSubmissions, lender: Promise<string>, site: string | null,
 *   symbol: string, close: () => void }} options
 * @returns {Steps}
 */
export function setUpSteps(panel, part, { api, own, lender, site, symbol, close }) {
  addWords(part);
  const head = getElement(panel, ".flow-head", HTMLElement);
  panel.replaceChildren(head, ...getElement(part, "#flow", HTMLElement).children);
  const purposes = { add: makeAdding(api, own), show: makeShowing(api, own) };
  const view = new FlowView(panel);
  view.about = { site, symbol, minimum: view.minimum };
  const flow = new Flow(view, purposes.add, {
    close() {
      signingWindow.close();
      close();
    },
    openWindow: () => signingWindow.open(),
    canShow: (address) => own.canShow(address),
    show: (address) => own.show(address),
  });
  const signingWindow = new SigningWindow(flow, view.about);
  watchAllWallets(lender, (wallets, origin) => view.showWallets(wallets, origin));
  return { leave: () => flow.close(), start: (purpose) => flow.start(purposes[purpose]) };
}

// What a visitor signs for: to add a wallet, or, as its holder, to see what the page keeps of it and to
// withdraw it. Each purpose asks the service for a text, and sends the signature of it.

/**
 * @typedef {{ nonceId: string, message: string, isDuplicate?: boolean }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string, isRemembered?: boolean,
 *   receipt?: string | null }} Answer to a submission; whether this browser will hear of it, and where
 *   its receipt is, if this browser may read it
 * @typedef {{ amount: string, observedAtIso: string }} Balance
 * @typedef {{ publicAlias: string | null, tags: Tag[], hideFromPublic: boolean, withheld: boolean,
 *   addedBy: "owner" | "submission", createdAtIso: string }} Entry of the list
 * @typedef {{ walletAddress: string, listed: Entry | null,
 *   submissions: (Submission & { createdAtIso: string, hasReceipt: boolean })[], activity: object[],
 *   messages: number, listings: object[], observedBalance: Balance | null,
 *   enteredBalance: Balance | null }} Records what a page keeps of a wallet
 * @typedef {{ withdrawnSubmissions: number, leftList: boolean, staysListed: boolean }} Withdrawal
 * @typedef {"add" | "show" | "withdraw"} PurposeName
 * @typedef {{ name: PurposeName,
 *   findRefusal?: (address: string) => Problem | null,
 *   createNonce: (address: string, nickname: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Answer | Records | Withdrawal>,
 *   withdraw?: (address: string) => Purpose }} Purpose `createNonce` asks for a text to sign; `submit`
 *   is never aborted; `withdraw` is what may follow for the wallet that was shown
 */

/**
 * @param {Pick<OwnSubmissions, "countCooldown">} own
 * @param {string} address
 */
function findCooldown(own, address) {
  const retryAfter = own.countCooldown(address);
  return retryAfter > 0 ? new Problem("cooldown_active", { retryAfter }) : null;
}

/**
 * Add a wallet under a nickname.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "add" | "refresh" | "find" | "countCooldown" | "isForgotten" | "wallets">} own
 * @returns {Purpose}
 */
export const makeAdding = (api, own) => ({
  name: "add",
  findRefusal(address) {
    const found = own.find(address);
    if (!found) return findCooldown(own, address);
    const details = { name: found.nickname ?? "" };
    return new Problem(found.status === "pending" ? "duplicate_waits" : "duplicate_sent", { details });
  },
  async createNonce(walletAddress, nickname, signal) {
    const cooldown = findCooldown(own, walletAddress); // the signing window has not asked yet
    if (cooldown) throw cooldown;
    const nonce = await post(api, "siws/nonce", { walletAddress, nickname }, { signal });
    if (!nonce.isDuplicate) return nonce; // else nothing is signed
    await own.wallets.readRest(); // to know whether there is a row to show
    throw new Problem("duplicate");
  },
  async submit(draft) {
    try {
      // Even if the tab is closed meanwhile: it may have been accepted already.
      const answer = await post(api, "submissions", draft, { keepalive: true });
      own.add(draft, answer);
      const isReadable = !own.isForgotten || answer.status === "auto_approved";
      const receipt = isReadable ? api.locateReceipt(answer.submissionId) : null;
      return { ...answer, isRemembered: !own.isForgotten, receipt };
    } finally {
      own.refresh(); // the visitor's list also shows refusals
    }
  },
});

/**
 * Show the holder of a wallet what the page keeps of it.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "update" | "forget">} own
 * @returns {Purpose}
 */
const makeShowing = (api, own) => ({
  name: "show",
  createNonce: (walletAddress, _, signal) =>
    post(api, "wallet-records/nonce", { walletAddress, action: "show" }, { signal }),
  async submit({ nickname: _, ...draft }) {
    const records = await post(api, `wallet-records?lang=${document.documentElement.lang}`, draft);
    own.update(records);
    return records;
  },
  withdraw: (address) => makeWithdrawing(api, own, address),
});

/**
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "forget">} own
 * @param {string} shown the wallet whose records the visitor has read
 * @returns {Purpose}
 */
const makeWithdrawing = (api, own, shown) => ({
  name: "withdraw",
  async createNonce(walletAddress, _, signal) {
    if (walletAddress !== shown) throw new Problem("records_other_wallet", { details: { address: shown } });
    return post(api, "wallet-records/nonce", { walletAddress, action: "withdraw" }, { signal });
  },
  async submit({ nickname: _, ...draft }) {
    const answer = await post(api, "wallet-records/withdraw", draft, { keepalive: true });
    own.forget(shown); // also if the visitor has left meanwhile
    return answer;
  },
});

/**
 * @param {Api} api
 * @param {string} path
 * @param {object} fields
 * @param {{ signal?: AbortSignal, keepalive?: boolean }} [options]
 */
function post(api, path, fields, options) {
  return api.call(`/embed/api/${path}`, { body: { trackingPageId: api.pageId, ...fields }, ...options });
}

// The frame's side of the signing window: opens it, and makes its API calls with the cookie.

const NAME = "embed-sign";
const FEATURES = "popup,width=440,height=680";

class SigningWindow {
  /**
   * @param {Flow} flow waits while the visitor goes through its steps in the window
   * @param {About} about what the window says of the list
   */
  constructor(flow, about) {
    this.flow = flow;
    this.about = about;
    /** @type {Window | null} */
    this.window = null;
    this.isDone = this.isSending = false;
    this.isReached = false; // whether the window has told that it is ready
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /** Open the window. Call this in the click's handler, or browsers block it. */
  open() {
    clearInterval(this.watch);
    this.isDone = this.isReached = false;
    const { opened, isCutOff } = tryToOpen(`/embed/sign?${describeList()}`);
    this.window = opened;
    if (this.window) {
      this.window.focus();
      this.watch = setInterval(() => this.#checkClosed(), 500);
      return this.flow.waitElsewhere();
    }
    if (isCutOff) this.#explain(new Problem("window_cut_off"));
    else this.#explain(new Problem("window_blocked"), () => this.open());
  }

  close() {
    clearInterval(this.watch);
    this.window?.close();
    this.window = null;
  }

  #checkClosed() {
    // What is being sent may be accepted, with or without the window.
    if (!this.window?.closed || this.isSending) return;
    clearInterval(this.watch);
    this.window = null;
    if (this.isDone) return;
    // A window that never was ready may have been cut off by a policy in its own answer.
    const problem = new Problem(this.isReached ? "window_closed" : "window_unreached");
    this.#explain(problem, () => this.open());
  }

  /**
   * @param {Problem} problem
   * @param {Retry} [retry]
   */
  #explain(problem, retry) {
    this.flow.start();
    this.flow.fail(problem, retry);
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    if (event.origin !== location.origin || !this.window || event.source !== this.window) return;
    const { kind, args } = event.data ?? {};
    const [port] = event.ports;
    const { purpose } = this.flow;
    if (kind === "ready") {
      this.isReached = true;
      const about = { ...this.about, purpose: purpose.name };
      this.window.postMessage({ kind: "about", about }, location.origin);
    } else if (kind === "createNonce") {
      answerCall(port, (signal) => purpose.createNonce(args[0], args[1], signal));
    } else if (kind === "submit") {
      answerCall(port, () => this.#submit(args[0]));
    }
  }

  /** @param {Draft} draft */
  async #submit(draft) {
    this.isSending = true;
    try {
      const answer = await this.flow.purpose.submit(draft);
      this.isDone = true;
      this.flow.finish({ address: draft.walletAddress, nickname: draft.nickname, ...answer });
      return answer;
    } finally {
      this.isSending = false;
    }
  }
}

/** Return what the window is told in its address: the list, for links to it, and the frame's look. */
function describeList() {
  const root = document.getElementById("widget");
  const { page = "", key = "" } = root?.dataset ?? {};
  const { lang, dataset: { theme = "auto", accent } } = document.documentElement;
  const query = new URLSearchParams({ lang, page, key, theme });
  if (accent) query.set("accent", accent);
  return query;
}

/** @param {string} address */
function tryToOpen(address) {
  const mayOpen = navigator.userActivation?.isActive;
  try {
    const opened = window.open(address, NAME, FEATURES);
    // A host page with `Cross-Origin-Opener-Policy: same-origin` gets a window that nobody can
    // reach. As every window that opens, it uses the click up, but in WebKit; one that is blocked does not.
    return { opened, isCutOff: mayOpen === true && navigator.userActivation?.isActive === false };
  } catch {
    return { opened: null, isCutOff: false }; // Firefox throws where a sandbox allows no windows
  }
}
