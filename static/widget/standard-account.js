// An account of a Wallet Standard wallet. Accounts and features may change at any time, so they are
// read again at each use.

import { watchAccount } from "./account-watch.js";
import { Problem } from "./api.js";
import { isAddress } from "./codec.js";
import { isOffered, WAYS } from "./signing-ways.js";
import { parseAnswer } from "./wallet-answers.js";
import { ask, explainThrown } from "./wallet-errors.js";

/**
 * @import { Way } from "./signing-ways.js"
 * @import { StandardWallet } from "./standard-wallet.js"
 * @import { Account, SignOptions } from "./wallets.js"
 *
 * What is used of the standard:
 * @typedef {{ address: string, publicKey: Uint8Array, chains?: string[], features?: string[],
 *   label?: string }} StandardAccount
 */

const EVENTS = "standard:events";

// After these the next way may help; after a "no", or with another account, it must not be tried.
const WORTH_ANOTHER_WAY = new Set(["wallet_failed", "wallet_bad_answer", "wallet_altered_text"]);

/** @param {{ chains?: string[] }} one */
export const isOnSolana = (one) => (one.chains ?? []).some((chain) => chain.startsWith("solana:"));

/**
 * Return the accounts that can sign, one object for each address.
 * @param {StandardAccount[]} accounts
 */
export function listUsable(accounts) {
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

/** @implements {Account} */
export class StandardAccountInUse {
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
