// The wallets available in this window: first by the Wallet Standard, then by the older globals.

import { Problem } from "./api.js";
import { isAddress } from "./signatures.js";
import { connectStandard, isUsable, listenToChanges } from "./standard-wallets.js";
import { ask, parseAnswer, watchAccount } from "./wallet-answers.js";

/** @import { StandardWallet } from "./standard-wallets.js" */

/**
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

// The objects that wallets put into `window` before there was a standard.

/**
 * @typedef {{ signMessage: Function, connect: Function, publicKey?: any, isPhantom?: boolean,
 *   isSolflare?: boolean, isBackpack?: boolean, on?: Function, off?: Function,
 *   removeListener?: Function }} Provider
 */

const EVENTS = ["accountChanged", "disconnect"];

/** @returns {[name: string, provider: Provider][]} */
function listOlder() {
  const globals = /** @type {any} */ (window);
  /** @type {Map<Provider, string>} */
  const found = new Map();
  for (const read of [
    () => globals.phantom?.solana,
    () => globals.solana,
    () => globals.solflare,
    () => globals.backpack,
  ]) {
    try {
      const provider = read();
      if (!isProvider(provider) || found.has(provider)) continue;
      found.set(provider, nameOlder(provider, globals));
    } catch {
      // something else of this name that cannot be read, such as a frame of another site
    }
  }
  return [...found].map(([provider, name]) => [name, provider]);
}

/** @param {any} one */
const isProvider = (one) =>
  typeof one?.signMessage === "function" && typeof one.connect === "function";

/**
 * @param {Provider} provider
 * @param {{ solflare?: Provider, backpack?: Provider }} globals
 */
function nameOlder(provider, { solflare, backpack }) {
  if (provider.isPhantom) return "Phantom";
  if (provider.isSolflare || provider === solflare) return "Solflare";
  if (provider.isBackpack || provider === backpack) return "Backpack";
  return "Solana";
}

/**
 * @param {string} name
 * @param {Provider} provider
 * @returns {Promise<Account>}
 */
async function connectOlder(name, provider) {
  const address = await ask(async () => {
    const answer = await provider.connect();
    return toAddress(answer?.publicKey ?? provider.publicKey);
  });
  if (!address || !isAddress(address)) throw new Problem("wallet_no_account");
  const wasShown = toAddress(provider.publicKey) !== null;
  const findLoss = () => {
    const current = toAddress(provider.publicKey);
    if (current === null) return wasShown ? new Problem("wallet_disconnected") : null;
    return current === address ? null : new Problem("wallet_account_changed");
  };
  return {
    address,
    walletName: name,
    watch: (onLost) => watchAccount((onChange) => listen(provider, onChange), findLoss, onLost),
    sign: (text) => sign(provider, { text, address }, findLoss),
  };
}

/** @param {any} publicKey */
const toAddress = (publicKey) =>
  publicKey ? String(publicKey.toBase58?.() ?? publicKey.toString()) : null;

/**
 * @param {Provider} provider
 * @param {{ text: string, address: string }} request
 * @param {() => Problem | null} findLoss
 */
async function sign(provider, request, findLoss) {
  const loss = findLoss();
  if (loss) throw loss;
  const message = new TextEncoder().encode(request.text);
  return parseAnswer(await ask(() => provider.signMessage(message, "utf8")), request);
}

/**
 * @param {Provider} provider
 * @param {() => void} onChange
 */
function listen(provider, onChange) {
  for (const event of EVENTS) provider.on?.(event, onChange);
  return () => {
    const remove = provider.off ?? provider.removeListener;
    for (const event of EVENTS) remove?.call(provider, event, onChange);
  };
}
