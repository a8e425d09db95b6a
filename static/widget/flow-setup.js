// The flow in the frame: puts its loaded steps into the panel, defines their purposes, opens the signing
// window, and finds the wallets in the frame and on its host page.

import { getElement } from "../elements.js";
import { eitherOf, Problem } from "./api.js";
import { FlowView } from "./flow-view.js";
import { Flow } from "./flow.js";
import { answerCall, call, isAddress, watchWallets } from "./wallets.js";
import { addWords } from "./words.js";

/**
 * @import { Api, Submission, Tag } from "./api.js"
 * @import { About } from "./flow-view.js"
 * @import { Retry } from "./flow.js"
 * @import { OwnSubmissions } from "./own.js"
 * @import { Account, SignOptions, Wallet } from "./wallets.js"
 */

/**
 * @typedef {{ address?: string, nickname?: string }} Wanted a wallet that the visitor named, and its nickname
 * @typedef {{ start: (purpose: PurposeName, wanted: Wanted) => void, leave: () => void }} Steps
 */

/**
 * @param {HTMLElement} panel only its head is kept
 * @param {Document} part the steps, and their sentences
 * @param {{ api: Api, own: OwnSubmissions, lender: Promise<string>, site: string | null,
 *   symbol: string, close: () => void }} options
 * @returns {Steps}
 */
export function setUpSteps(panel, part, { api, own, lender, site, symbol, close }) {
  addWords(part);
  const head = getElement(panel, ".flow-head", HTMLElement);
  panel.replaceChildren(head, ...getElement(part, "#flow", HTMLElement).children);
  /** @type {Record<PurposeName, (address: string) => Purpose>} */
  const purposes = {
    add: () => makeAdding(api, own),
    show: () => makeShowing(api, own),
    withdraw: (address) => makeWithdrawing(api, own, address),
  };
  const view = new FlowView(panel);
  view.about = { site, symbol, minimum: view.minimum };
  const flow = new Flow(view, purposes.add(""), {
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
  return {
    leave: () => flow.close(),
    start: (name, { address = "", nickname }) =>
      flow.start({ ...purposes[name](address), address, nickname }),
  };
}

// Visitors sign to add a wallet, or, as its holder, to see the data that the page stores about it and to
// withdraw it. Each purpose requests a text from the service, and sends its signature.

/**
 * @typedef {{ nonceId: string, message: string, isDuplicate?: boolean,
 *   belowMinimum?: Record<string, unknown> }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string, receipt?: string | null }} Answer to a submission, and
 *   where its receipt is, if this browser may read it
 * @typedef {{ amount: string, observedAtIso: string }} Balance
 * @typedef {{ publicAlias: string | null, tags: Tag[], hideFromPublic: boolean, withheld: boolean,
 *   addedBy: "owner" | "submission", createdAtIso: string }} Entry on the list
 * @typedef {{ walletAddress: string, listed: Entry | null,
 *   submissions: (Submission & { createdAtIso: string, hasReceipt: boolean })[], activity: object[],
 *   messages: number, listings: object[], observedBalance: Balance | null,
 *   enteredBalance: Balance | null }} Records the data that a page stores about a wallet
 * @typedef {{ withdrawnSubmissions: number, leftList: boolean, staysListed: boolean }} Withdrawal
 * @typedef {"add" | "show" | "withdraw"} PurposeName
 * @typedef {Wanted & { name: PurposeName,
 *   findRefusal?: (address: string) => Problem | null,
 *   createNonce: (address: string, nickname: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Answer | Records | Withdrawal>,
 *   withdraw?: (address: string) => Purpose }} Purpose `createNonce` requests a text to sign; `submit`
 *   is never aborted; `withdraw` can follow for the wallet that was shown
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
    const { nickname, status } = found.dataset;
    return new Problem(status === "pending" ? "duplicate_waits" : "duplicate_sent", { details: { name: nickname } });
  },
  async createNonce(walletAddress, nickname, signal) {
    const cooldown = findCooldown(own, walletAddress); // the signing window hasn't checked it yet
    if (cooldown) throw cooldown;
    const fields = nickname ? { walletAddress, nickname } : { walletAddress };
    const nonce = await post(api, "siws/nonce", fields, { signal });
    if (nonce.belowMinimum) throw new Problem("ca_gate_failed", { details: nonce.belowMinimum });
    if (!nonce.isDuplicate) return nonce; // for a duplicate, nothing is signed
    await Promise.all([own.refresh(), own.wallets.has(walletAddress)]); // is there a row to show?
    throw new Problem("duplicate");
  },
  async submit(draft) {
    // Even if the tab is closed, since it may already have been accepted.
    const answer = await post(api, "submissions", draft, { keepalive: true }).catch((refusal) => {
      own.refresh(); // the visitor's own list also shows it
      throw refusal;
    });
    own.add(answer);
    const isReadable = !own.isForgotten || answer.status === "auto_approved";
    const receipt = isReadable ? api.locateReceipt(answer.submissionId) : null;
    return { ...answer, receipt };
  },
});

/**
 * Show a wallet's holder the data that the page stores about it.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "refresh">} own
 * @returns {Purpose}
 */
const makeShowing = (api, own) => ({
  name: "show",
  createNonce: (walletAddress, _, signal) =>
    post(api, "wallet-records/nonce", { walletAddress, action: "show" }, { signal }),
  async submit({ nickname: _, ...draft }) {
    const records = await post(api, `wallet-records?lang=${document.documentElement.lang}`, draft);
    own.refresh();
    return records;
  },
  withdraw: (address) => makeWithdrawing(api, own, address),
});

/**
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "refresh">} own
 * @param {string} address the wallet that the visitor chose
 * @returns {Purpose}
 */
const makeWithdrawing = (api, own, address) => ({
  name: "withdraw",
  address,
  async createNonce(walletAddress, _, signal) {
    if (walletAddress !== address) throw new Problem("records_other_wallet", { details: { address } });
    return post(api, "wallet-records/nonce", { walletAddress, action: "withdraw" }, { signal });
  },
  async submit({ nickname: _, ...draft }) {
    const answer = await post(api, "wallet-records/withdraw", draft, { keepalive: true });
    own.refresh(); // even if the visitor has left
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
   * @param {About} about what the window says about the list
   */
  constructor(flow, about) {
    this.flow = flow;
    this.about = about;
    /** @type {Window | null} */
    this.window = null;
    this.isDone = this.isSending = false;
    this.isReached = false; // whether the window has reported that it's ready
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /** Open the window. Call this in the click's handler; otherwise browsers block it. */
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
    // A submission that's being sent may be accepted, with or without the window.
    if (!this.window?.closed || this.isSending) return;
    clearInterval(this.watch);
    this.window = null;
    if (this.isDone) return;
    // A window that never was ready may have been cut off by a policy in its own response.
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
      const { name, address, nickname } = purpose;
      const about = { ...this.about, purpose: { name, address, nickname } };
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

/** Return the parameters of the window's address: the list, for links to it, and the frame's look. */
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
    // A host page with `Cross-Origin-Opener-Policy: same-origin` gets an unreachable window. Except in
    // WebKit, an opened window uses up the click, but a blocked one doesn't.
    return { opened, isCutOff: mayOpen === true && navigator.userActivation?.isActive === false };
  } catch {
    return { opened: null, isCutOff: false }; // Firefox throws if a sandbox doesn't allow windows
  }
}

// The wallets that a frame can use: its own, and the host page's, lent by its script (embed.js). Only the
// form of its answers is checked; the server verifies the signature, as for every wallet.

const TIMEOUT_MS = 600_000; // as long as a text can be signed
const MOST = 40; // wallets, and accounts per wallet
const LONGEST_ICON = 200_000;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
// The problems that the host page may report; all others would be about the server.
const CODES = /^(wallet_[a-z_]+|host_refused)$/;

/**
 * Call `onChange` with this frame's wallets, then also with those that the host page lends, whenever they
 * change; the host page's origin is passed if any of them are only there.
 * @param {Promise<string>} lender the origin of a host page that lends its wallets
 * @param {(wallets: Wallet[], lender: string | null) => void} onChange
 */
function watchAllWallets(lender, onChange) {
  /** @type {Wallet[]} */
  let own = [];
  /** @type {Wallet[]} */
  let lent = [];
  /** @type {string | null} */
  let origin = null;
  const tell = () => {
    // A wallet that's also in this frame needn't be lent.
    const names = new Set(own.map(({ name }) => name.toLowerCase()));
    const others = lent.filter(({ name }) => !names.has(name.toLowerCase()));
    onChange([...own, ...others], others.length ? origin : null);
  };
  watchWallets((wallets) => {
    own = wallets;
    tell();
  });
  lender.then((found) => {
    origin = found;
    watchLentWallets(found, (wallets) => {
      lent = wallets;
      tell();
    });
  });
}

/**
 * Call `onChange` with the wallets of the host page at `origin` whenever they change.
 * @param {string} origin
 * @param {(wallets: Wallet[]) => void} onChange
 */
function watchLentWallets(origin, onChange) {
  /** @type {Map<string, Wallet>} */
  const known = new Map(); // a wallet keeps its object, so its button stays
  const port = openPort({ kind: "embed:wallets", args: [] }, origin);
  port.onmessage = ({ data }) => onChange(readWallets(data).map(({ id, name, icon }) => {
    const wallet = known.get(id);
    if (wallet?.name === name) return wallet;
    const added = { name, icon, site: origin, connect: () => connectLent(origin, id) };
    known.set(id, added);
    return added;
  }));
}

/**
 * Post a message with a port and return the port's other end.
 * @param {{ kind: string, args: unknown[] }} message
 * @param {string} origin
 */
function openPort(message, origin) {
  const { port1: port, port2: theirs } = new MessageChannel();
  window.parent.postMessage(message, origin, [theirs]);
  return port;
}

/** @param {unknown} data */
function readWallets(data) {
  return readList(data).flatMap((one) => {
    const { id, name, icon } = one ?? {};
    if (typeof id !== "string" || typeof name !== "string" || !name.trim()) return [];
    const isIcon = typeof icon === "string" && icon.length <= LONGEST_ICON;
    return [{ id, name, icon: isIcon ? icon : null }];
  });
}

/** @param {unknown} data */
const readList = (data) => (Array.isArray(data) ? data.slice(0, MOST) : []);

/**
 * @param {string} origin
 * @param {string} id of a wallet
 * @returns {Promise<Account[]>}
 */
async function connectLent(origin, id) {
  const found = readList(await askHost(origin, { kind: "embed:connect", args: [id] }));
  const accounts = found.filter((one) => typeof one?.address === "string" && isAddress(one.address));
  if (accounts.length === 0) throw new Problem("wallet_no_account");
  return accounts.map((account) => makeLent(origin, account));
}

/**
 * @param {string} origin
 * @param {{ id: unknown, address: string, label?: string }} given by the host page
 * @returns {Account}
 */
const makeLent = (origin, { id, address, label }) => ({
  address,
  label,
  watch(onLost) {
    const port = openPort({ kind: "embed:watch", args: [id] }, origin);
    port.onmessage = ({ data }) => onLost(readProblem(data));
    return () => {
      port.postMessage("stop");
      port.close();
    };
  },
  async sign(text, options) {
    const signature = await askHost(origin, { kind: "embed:sign", args: [id, text] }, options);
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) throw new Problem("wallet_bad_answer");
    return signature;
  },
});

/** @param {unknown} code from the host page */
const readProblem = (code) =>
  new Problem(typeof code === "string" && CODES.test(code) ? code : "wallet_failed");

let asking = new AbortController();

/**
 * Ask the host page. An earlier question that's still open is cancelled, since the visitor has left it.
 * @param {string} origin
 * @param {{ kind: string, args: unknown[] }} message
 * @param {SignOptions} [options]
 */
async function askHost(origin, message, { signal: left, onNextWay } = {}) {
  asking.abort(new Problem("wallet_failed"));
  asking = new AbortController();
  const signal = left ? eitherOf(left, asking.signal) : asking.signal;
  try {
    return await call(window.parent, message, { origin, timeoutMs: TIMEOUT_MS, signal, onProgress: onNextWay });
  } catch (error) {
    throw readProblem(error instanceof Problem ? error.code : null);
  }
}
