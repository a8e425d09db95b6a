// Lends this page's wallets to the service's frames in it. embed.js loads this file at the first
// frame's request, and checks where requests come from.

import { Problem } from "../widget/api.js";
import { answerCall, watchWallets } from "../widget/wallets.js";

/**
 * @import { Account, Wallet } from "../widget/wallets.js"
 * @typedef {MessageEventSource | null} Frame
 * @typedef {{ id: string, text: string, frame: Frame, signal: AbortSignal, tell: () => void }} Question
 */

const MOST_QUESTIONS = 6; // in SPAN_MS
const SPAN_MS = 10_000;
const STATEMENT = "This signature does not authorize any transaction.";
const MAX_LENGTH = 2_000;
// Control characters except newlines, invisible characters, and those that change the writing direction.
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const service = new URL(import.meta.url).host;

/** @type {Map<string, Wallet>} */
const wallets = new Map();
/** @type {WeakMap<Wallet, string>} */
const idByWallet = new WeakMap();
/** @type {{ id: string, name: string, icon: string | null }[]} */
let listed = [];
/** @type {Map<Frame, MessagePort>} */
const listeners = new Map();
/** @type {Map<string, { account: Account, frame: Frame }>} */
const accounts = new Map(); // a frame can only use accounts that it connected itself
let connected = 0; // accounts so far
let isWatching = false;
/** The frame with an open question, and how to cancel the question. */
const open = { frame: /** @type {Frame} */ (null), giveUp: () => {} };

/** @type {Map<unknown, (question: Question) => Promise<unknown>>} */
const actions = new Map();
actions.set("embed:connect", connect);
actions.set("embed:sign", sign);

/**
 * Answer a frame. The caller has checked the message's origin and source.
 * @param {MessageEvent} event
 */
export function lend({ data: { kind, args }, source: frame, ports: [port] }) {
  const [id = "", text = ""] = Array.isArray(args) ? args.map(String) : [];
  if (!port) return;
  if (kind === "embed:wallets") listWallets(port, frame);
  if (kind === "embed:watch") watchAccount(port, findAccount(id, frame));
  const action = actions.get(kind);
  if (action) answerCall(port, (signal, tell) => askWallet(action, { id, text, frame, signal, tell }));
}

/**
 * Send the list to `port` now and whenever it changes.
 * @param {MessagePort} port
 * @param {Frame} frame
 */
function listWallets(port, frame) {
  forgetRemoved();
  if (open.frame === frame) open.giveUp(); // the frame was reloaded and is no longer waiting
  listeners.get(frame)?.close();
  listeners.set(frame, port);
  if (isWatching) return port.postMessage(listed);
  isWatching = true;
  watchWallets((found) => {
    listed = found.map((wallet) => ({ id: register(wallet), name: wallet.name, icon: wallet.icon ?? null }));
    for (const listener of listeners.values()) listener.postMessage(listed);
  });
}

/** Cancel the questions of frames that were removed from the page. */
function forgetRemoved() {
  /** @param {Frame} frame */
  const isRemoved = (frame) => /** @type {Window | null} */ (frame)?.closed === true;
  if (isRemoved(open.frame)) open.giveUp();
  for (const [frame, port] of listeners) {
    if (!isRemoved(frame)) continue;
    port.close();
    listeners.delete(frame);
  }
  for (const [id, { frame }] of accounts) if (isRemoved(frame)) accounts.delete(id);
}

/** @param {Wallet} wallet */
function register(wallet) {
  const id = idByWallet.get(wallet) ?? String(wallets.size);
  idByWallet.set(wallet, id);
  wallets.set(id, wallet);
  return id;
}

/**
 * @param {string} id
 * @param {Frame} frame
 */
function findAccount(id, frame) {
  const known = accounts.get(id);
  return known?.frame === frame ? known.account : null;
}

/**
 * Report to `port` when the account is lost, until the frame answers there.
 * @param {MessagePort} port
 * @param {Account | null} account
 */
function watchAccount(port, account) {
  const stop = account?.watch?.(({ code }) => port.postMessage(code));
  port.onmessage = () => {
    stop?.();
    port.close();
  };
}

// Questions to a wallet

/** @param {Question} question */
async function connect({ id, frame }) {
  const wallet = wallets.get(id);
  if (!wallet) throw new Problem("wallet_failed");
  return [await wallet.connect()].flat().map((account) => {
    const accountId = String(connected);
    connected += 1;
    accounts.set(accountId, { account, frame });
    return { id: accountId, address: account.address, label: account.label };
  });
}

/** @param {Question} question */
async function sign({ id, text, frame, signal, tell }) {
  const account = findAccount(id, frame);
  if (!account?.sign) throw new Problem("wallet_failed");
  if (!isLendable(text, { service, address: account.address })) throw new Problem("host_refused");
  return account.sign(text, { signal, onNextWay: tell });
}

/**
 * Ask a wallet if the visitor has just clicked and no other question is open.
 * @param {(question: Question) => Promise<unknown>} action
 * @param {Question} question its signal is aborted when the frame stops waiting
 */
async function askWallet(action, question) {
  // A click in a frame also counts as a click in the pages around it (HTML, "user activation").
  if (navigator.userActivation?.isActive === false || !limit.begin()) throw new Problem("host_refused");
  const left = new Promise((_, reject) => (open.giveUp = () => reject(new Problem("wallet_failed"))));
  open.frame = question.frame;
  question.signal.addEventListener("abort", open.giveUp);
  try {
    return await Promise.race([action(question), /** @type {Promise<never>} */ (left)]);
  } finally {
    open.frame = null;
    limit.end();
  }
}

// Limits on questions

/** Allows one question to wallets at a time, and only a few in a short time. */
export class QuestionLimit {
  /** @param {() => number} now in milliseconds */
  constructor(now = () => performance.now()) {
    this.now = now;
    /** @type {number[]} */
    this.begunAt = [];
    this.isOpen = false;
  }

  /** Begin a question; return whether it's allowed. Every `true` needs an `end()`. */
  begin() {
    const now = this.now();
    this.begunAt = this.begunAt.filter((begun) => now - begun < SPAN_MS);
    if (this.isOpen || this.begunAt.length >= MOST_QUESTIONS) return false;
    this.begunAt.push(now);
    this.isOpen = true;
    return true;
  }

  end() {
    this.isOpen = false;
  }
}

const limit = new QuestionLimit();

/**
 * Return whether a text has the service's form (embed/domain/nonces.py): it begins with the service's
 * host, names the wallet's address, and ends by stating that it authorizes no transaction. A
 * transaction can't be such a text, since it has no lines.
 * @param {string} text
 * @param {{ service: string, address: string }} expected `service` is a host, with its port if that isn't the default
 */
export function isLendable(text, { service, address }) {
  const lines = text.split("\n");
  return (
    text.length <= MAX_LENGTH &&
    !lines.some((line) => MISLEADING.test(line)) &&
    lines[0].startsWith(`${service} asks `) &&
    lines.includes(`Wallet: ${address}`) &&
    (lines.at(-1) ?? "").endsWith(STATEMENT)
  );
}
