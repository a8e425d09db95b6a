// Wallets of the Wallet Standard (https://github.com/wallet-standard/wallet-standard), their accounts,
// and the ways in which they sign a text. Accounts and features may change at any time, so they are
// read again at each use.

import { Problem } from "./api.js";
import { isAddress } from "./signatures.js";
import { ask, explainThrown, parseAnswer, watchAccount } from "./wallet-answers.js";

/**
 * @import { Account, SignOptions } from "./wallets.js"
 *
 * What is used of the standard:
 * @typedef {{ name: string, icon: string, chains: string[], accounts: StandardAccount[],
 *   features: Record<string, any> }} StandardWallet
 * @typedef {{ address: string, publicKey: Uint8Array, chains?: string[], features?: string[],
 *   label?: string }} StandardAccount
 *
 * @typedef {{ name: string, canUse: (feature: any) => boolean,
 *   sign: (feature: any, account: StandardAccount, text: string) => Promise<unknown> }} Way
 */

const CONNECT = "standard:connect";
const EVENTS = "standard:events";
const OFFCHAIN_VERSION = 1;

// After these the next way may help; after a "no", or with another account, it must not be tried.
const WORTH_ANOTHER_WAY = new Set(["wallet_failed", "wallet_bad_answer", "wallet_altered_text"]);

/** The ways to sign, in the order in which they are tried. @type {Way[]} */
const WAYS = [
  {
    name: "solana:signOffchainMessage",
    canUse: ({ signOffchainMessage, supportedMessageVersions: versions }) =>
      typeof signOffchainMessage === "function" && (versions?.includes(OFFCHAIN_VERSION) ?? true),
    sign: (feature, account, message) =>
      feature.signOffchainMessage({
        messageVersion: OFFCHAIN_VERSION,
        account,
        message,
        requiredSigners: [account.publicKey],
      }),
  },
  {
    name: "solana:signMessage",
    canUse: ({ signMessage }) => typeof signMessage === "function",
    sign: (feature, account, text) =>
      feature.signMessage({ account, message: new TextEncoder().encode(text) }),
  },
];

/**
 * @param {Way} way
 * @param {Record<string, any>} features a wallet's features
 * @returns {boolean}
 */
const isOffered = ({ name, canUse }, features) =>
  Boolean(features[name]) && canUse(features[name]);

// Wallets

/**
 * Return whether this is a wallet that can connect and sign on Solana now.
 * @param {StandardWallet} wallet
 */
export function isUsable(wallet) {
  try {
    const isShowable = typeof wallet.name === "string" && typeof (wallet.icon ?? "") === "string";
    return isShowable && isOnSolana(wallet) && typeof wallet.features[CONNECT].connect === "function" &&
      WAYS.some((way) => isOffered(way, wallet.features));
  } catch {
    return false; // an object that is no wallet
  }
}

/**
 * Ask the wallet for its accounts; at least one.
 * @param {StandardWallet} wallet
 * @returns {Promise<Account[]>}
 */
export async function connectStandard(wallet) {
  const accounts = await ask(async () => {
    const answer = await wallet.features[CONNECT].connect();
    const given = listUsable(answer?.accounts?.length ? answer.accounts : (wallet.accounts ?? []));
    return given.map((account) => new StandardAccountInUse(wallet, account));
  });
  if (accounts.length === 0) throw new Problem("wallet_no_account");
  return accounts;
}

/** @param {{ chains?: string[] }} one */
const isOnSolana = (one) => (one.chains ?? []).some((chain) => chain.startsWith("solana:"));

/**
 * Call `onChange` whenever the wallet's accounts, features or chains change; return how to stop, if
 * the wallet tells.
 * @param {StandardWallet} wallet
 * @param {() => void} onChange
 * @returns {(() => unknown) | null}
 */
export function listenToChanges(wallet, onChange) {
  try {
    const off = wallet.features[EVENTS].on("change", onChange);
    return typeof off === "function" ? off : null;
  } catch {
    return null; // a wallet without events, or with broken ones
  }
}

// Accounts

/**
 * Return the accounts that can sign, one object for each address.
 * @param {StandardAccount[]} accounts
 */
function listUsable(accounts) {
  /** @type {Map<string, StandardAccount>} */
  const found = new Map();
  for (const account of accounts) {
    if (canSign(account) && !found.has(account.address)) found.set(account.address, account);
  }
  return [...found.values()];
}

/** @param {StandardAccount} account */
function canSign(account) {
  try {
    return isOnSolana(account) && isAddress(account.address) &&
      WAYS.some(({ name }) => account.features?.includes(name));
  } catch {
    return false; // an object that is no account
  }
}

/** @implements {Account} */
class StandardAccountInUse {
  /** @type {Set<string>} */
  #failed = new Set(); // the ways that failed: "try again" does not begin with them

  /**
   * @param {StandardWallet} wallet
   * @param {StandardAccount} account
   */
  constructor(wallet, account) {
    this.wallet = wallet;
    this.given = account;
    this.address = account.address;
    this.label = account.label;
    this.walletName = wallet.name;
    this.wasListed = this.#find() !== undefined;
  }

  /**
   * Call `onLost` when the wallet no longer lets this page use the account; return what stops that.
   * @param {(problem: Problem) => void} onLost
   */
  watch(onLost) {
    const listen = (/** @type {() => void} */ onChange) => listenToChanges(this.wallet, onChange);
    return watchAccount(listen, () => this.#findLoss(), onLost);
  }

  /**
   * Return the signature of the text as base64, in the first way that works.
   * @param {string} text
   * @param {SignOptions} [options]
   */
  async sign(text, { signal, onNextWay } = {}) {
    let problem = new Problem("wallet_no_account");
    for (const [index, way] of this.#listWays().entries()) {
      if (index > 0) onNextWay?.();
      // One that never answers has failed, too, once the visitor no longer waits for it.
      const giveUp = () => this.#failed.add(way.name);
      signal?.addEventListener("abort", giveUp);
      try {
        return await this.#signBy(way, text);
      } catch (error) {
        problem = explainThrown(error);
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
      if (!WORTH_ANOTHER_WAY.has(problem.code)) throw problem;
      this.#failed.add(way.name);
      if (signal?.aborted) throw problem; // a visitor who has left is asked nothing more
    }
    throw this.#findLoss() ?? problem;
  }

  /** The ways that did not fail yet; if all have failed, all of them again. */
  #listWays() {
    const account = this.#getCurrent();
    const offered = WAYS.filter(
      (way) => account.features?.includes(way.name) && isOffered(way, this.wallet.features),
    );
    const untried = offered.filter(({ name }) => !this.#failed.has(name));
    if (untried.length > 0) return untried;
    this.#failed.clear();
    return offered;
  }

  /**
   * @param {Way} way
   * @param {string} text
   */
  async #signBy(way, text) {
    const account = this.#getCurrent();
    const answer = await ask(() => way.sign(this.wallet.features[way.name], account, text));
    const others = this.#listCurrent().map(({ address }) => address);
    return parseAnswer(answer, { text, address: this.address, others });
  }

  /** Return the account as the wallet has it now: wallets compare identity. */
  #getCurrent() {
    const problem = this.#findLoss();
    if (problem) throw problem;
    return this.#find() ?? this.given;
  }

  #findLoss() {
    if (this.#find()) return null;
    if (this.#listCurrent().length > 0) return new Problem("wallet_account_changed");
    // Some wallets never list the accounts that they return from connect().
    return this.wasListed ? new Problem("wallet_disconnected") : null;
  }

  #find() {
    return this.#listCurrent().find(({ address }) => address === this.address);
  }

  #listCurrent() {
    try {
      return listUsable(this.wallet.accounts ?? []);
    } catch {
      return []; // accounts that cannot be read
    }
  }
}
