// The wallets available in this window: first by the Wallet Standard, then by the older globals.

import { connectOlder, listOlder } from "./older-wallets.js";
import { connectStandard, isUsable, listenToChanges } from "./standard-wallets.js";

/**
 * @import { Problem } from "./api.js"
 * @import { Provider } from "./older-wallets.js"
 * @import { StandardWallet } from "./standard-wallets.js"
 *
 * @typedef {{ signal?: AbortSignal, onNextWay?: () => void }} SignOptions `signal` is aborted when
 *   the visitor leaves; `onNextWay` is called before the wallet is asked once more, in another way
 * @typedef {{ address: string, walletName?: string, label?: string,
 *   watch?: (onLost: (problem: Problem) => void) => (() => void),
 *   sign?: (text: string, options?: SignOptions) => Promise<string> }} Account
 * @typedef {{ name: string, icon?: string | null, site?: string,
 *   connect: () => Promise<Account | Account[]> }} Wallet `site` is the one whose page has it, if not this
 */

/**
 * Call `onChange` with the wallets now and whenever one comes or goes; each keeps its object.
 * `connect()` gives one account or several to choose from, or throws a Problem; `sign()` gives the
 * signature as base64, or throws a Problem.
 * @param {(wallets: Wallet[]) => void} onChange
 */
export function watchWallets(onChange) {
  /** @type {Map<StandardWallet, Wallet>} */
  const standard = new Map(); // all that are registered, since one may become usable later
  /** @type {Map<Provider, Wallet>} */
  const older = new Map();
  const tell = () => onChange(listWallets(standard, older));

  /** @param {StandardWallet[]} wallets */
  const register = (...wallets) => {
    const fresh = wallets.filter((wallet) => !standard.has(wallet)); // some register twice
    for (const wallet of fresh) {
      standard.set(wallet, makeStandard(wallet));
      listenToChanges(wallet, tell);
    }
    tell();
    return () => {
      fresh.forEach((wallet) => standard.delete(wallet));
      tell();
    };
  };
  const api = Object.freeze({ register });
  // Listen first, then announce that we are ready, so that the order of loading does not matter.
  window.addEventListener("wallet-standard:register-wallet", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event); // or a custom Event of the wallet
    if (typeof detail === "function") detail(api);
  });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  tell();
  // The older globals do not announce themselves by an event.
  window.addEventListener("load", tell, { once: true });
}

/**
 * @param {StandardWallet} wallet
 * @returns {Wallet}
 */
const makeStandard = (wallet) => ({
  get name() { return readText(() => wallet.name) ?? ""; },
  get icon() { return readText(() => wallet.icon); },
  connect: () => connectStandard(wallet),
});

/** @param {() => unknown} read a getter of a wallet, which may throw or answer anything */
function readText(read) {
  try {
    const text = read();
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

/**
 * @param {Map<StandardWallet, Wallet>} standard
 * @param {Map<Provider, Wallet>} older
 */
function listWallets(standard, older) {
  const usable = [...standard].filter(([wallet]) => isUsable(wallet)).map(([, made]) => made);
  const names = new Set(usable.map(({ name }) => name.toLowerCase()));
  for (const [name, provider] of listOlder()) {
    if (older.has(provider)) continue;
    older.set(provider, { name, icon: null, connect: () => connectOlder(name, provider) });
  }
  const absent = [...older.values()].filter(({ name }) => !names.has(name.toLowerCase()));
  return [...usable, ...absent];
}
