// The wallets that can be used in a frame: its own, and those of the host page, which its script
// (embed.js) lends. What it answers is checked for its form only: the server verifies the signature, as
// it does for every wallet.

import { eitherOf, Problem } from "./api.js";
import { call } from "./calls.js";
import { isAddress } from "./signatures.js";
import { watchWallets } from "./wallets.js";

/** @import { Account, SignOptions, Wallet } from "./wallets.js" */

const TIMEOUT_MS = 600_000; // as long as a text can be signed
const MOST = 40; // of wallets, and of accounts of one
const LONGEST_ICON = 200_000;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
// The sentences that the host page may choose; all others would be about the server.
const CODES = /^(wallet_[a-z_]+|host_refused)$/;

/**
 * Call `onChange` with the wallets that are found in this frame, then with those that the host page
 * lends, too, whenever they change; with the host page's origin if there are any of its own.
 * @param {Promise<string>} lender the origin of a host page that lends its wallets
 * @param {(wallets: Wallet[], lender: string | null) => void} onChange
 */
export function watchAllWallets(lender, onChange) {
  /** @type {Wallet[]} */
  let own = [];
  /** @type {Wallet[]} */
  let lent = [];
  /** @type {string | null} */
  let origin = null;
  const tell = () => {
    // A wallet that is here, too, needs nobody in between.
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
 * Call `onChange` with the wallets of the host page at `origin`, whenever they change.
 * @param {string} origin
 * @param {(wallets: Wallet[]) => void} onChange
 */
function watchLentWallets(origin, onChange) {
  /** @type {Map<string, Wallet>} */
  const known = new Map(); // a wallet stays the same object, so that its button stays
  const port = post({ kind: "embed:wallets", args: [] }, origin);
  port.onmessage = ({ data }) => onChange(readWallets(data).map(({ id, name, icon }) => {
    const wallet = known.get(id);
    if (wallet?.name === name) return wallet;
    const added = { name, icon, site: origin, connect: () => connect(origin, { id, name }) };
    known.set(id, added);
    return added;
  }));
}

/**
 * Post a message with a port, and return the port's other end.
 * @param {{ kind: string, args: unknown[] }} message
 * @param {string} origin
 */
function post(message, origin) {
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
 * @param {{ id: string, name: string }} wallet
 * @returns {Promise<Account[]>}
 */
async function connect(origin, { id, name }) {
  const found = readList(await ask(origin, { kind: "embed:connect", args: [id] }));
  const accounts = found.filter((one) => typeof one?.address === "string" && isAddress(one.address));
  if (accounts.length === 0) throw new Problem("wallet_no_account");
  return accounts.map((account) => new LentAccount(origin, { ...account, walletName: name }));
}

/** @implements {Account} */
class LentAccount {
  /**
   * @param {string} origin of the host page
   * @param {{ id: unknown, address: string, label?: unknown, walletName: string }} given
   */
  constructor(origin, { id, address, label, walletName }) {
    this.origin = origin;
    this.id = id;
    this.address = address;
    this.label = typeof label === "string" ? label : undefined;
    this.walletName = walletName;
  }

  /** @param {(problem: Problem) => void} onLost */
  watch(onLost) {
    const port = post({ kind: "embed:watch", args: [this.id] }, this.origin);
    port.onmessage = ({ data }) => onLost(readProblem(data));
    return () => {
      port.postMessage("stop");
      port.close();
    };
  }

  /**
   * @param {string} text
   * @param {SignOptions} [options]
   */
  async sign(text, options) {
    const signature = await ask(this.origin, { kind: "embed:sign", args: [this.id, text] }, options);
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) throw new Problem("wallet_bad_answer");
    return signature;
  }
}

/** @param {unknown} code from the host page */
const readProblem = (code) =>
  new Problem(typeof code === "string" && CODES.test(code) ? code : "wallet_failed");

let asking = new AbortController();

/**
 * Ask the host page. A question that is still open is given up: the visitor has left it.
 * @param {string} origin
 * @param {{ kind: string, args: unknown[] }} message
 * @param {SignOptions} [options]
 */
async function ask(origin, message, { signal: left, onNextWay } = {}) {
  asking.abort(new Problem("wallet_failed"));
  asking = new AbortController();
  const signal = left ? eitherOf(left, asking.signal) : asking.signal;
  try {
    return await call(window.parent, message, { origin, timeoutMs: TIMEOUT_MS, signal, onProgress: onNextWay });
  } catch (error) {
    throw readProblem(error instanceof Problem ? error.code : null);
  }
}
