// The wallets available in this window: first by the Wallet Standard, then by the older globals.

import { Problem } from "./api.js";
import { encodeBase64 } from "./codec.js";

/**
 * @typedef {{ address: string, walletName?: string, sign?: (text: string) => Promise<string> }} Account
 * @typedef {{ name: string, icon?: string | null, connect: () => Promise<Account> }} Wallet
 *
 * What this file uses of the Wallet Standard (https://github.com/wallet-standard/wallet-standard):
 * @typedef {{ address: string, chains?: string[], features: string[] }} StandardAccount
 * @typedef {{ name: string, icon: string, chains: string[], accounts: StandardAccount[],
 *   features: Record<string, any> }} StandardWallet
 *
 * The objects that wallets put into `window` before there was a standard:
 * @typedef {{ signMessage: Function, connect: Function, publicKey?: any, isPhantom?: boolean,
 *   isSolflare?: boolean, isBackpack?: boolean }} Provider
 */

const SIGN = "solana:signMessage";
const REJECTED = 4001;

/**
 * Call `onChange` with a list of {name, icon, connect} now and whenever a wallet appears.
 * `connect()` gives {address, walletName, sign(text) -> base64} or throws a Problem.
 * @param {(wallets: Wallet[]) => void} onChange
 */
export function watchWallets(onChange) {
  /** @type {Set<StandardWallet>} */
  const standard = new Set();
  const tell = () => onChange(listWallets(standard));

  /** @param {StandardWallet[]} wallets */
  const register = (...wallets) => {
    wallets.filter(isUsable).forEach((wallet) => standard.add(wallet));
    tell();
    return () => {
      wallets.forEach((wallet) => standard.delete(wallet));
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

/** @param {StandardWallet} wallet */
function isUsable(wallet) {
  return isOnSolana(wallet) && wallet.features?.["standard:connect"] && wallet.features[SIGN];
}

/** @param {{ chains?: string[] }} one */
const isOnSolana = (one) => (one?.chains ?? []).some((chain) => chain.startsWith("solana:"));

/**
 * @param {Set<StandardWallet>} standard
 * @returns {Wallet[]}
 */
function listWallets(standard) {
  /** @type {Wallet[]} */
  const found = [...standard].map((wallet) => ({
    name: wallet.name,
    icon: wallet.icon,
    connect: () => connectStandard(wallet),
  }));
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  for (const [name, provider] of listOlder()) {
    if (names.has(name.toLowerCase())) continue;
    found.push({ name, icon: null, connect: () => connectOlder(name, provider) });
  }
  return found;
}

/** @returns {[name: string, provider: Provider][]} */
function listOlder() {
  const { phantom, solana, solflare, backpack } = /** @type {any} */ (window);
  /** @type {Map<Provider, string>} */
  const found = new Map();
  for (const provider of [phantom?.solana, solana, solflare, backpack]) {
    if (typeof provider?.signMessage !== "function") continue;
    if (typeof provider.connect !== "function" || found.has(provider)) continue;
    found.set(provider, nameOlder(provider, { solflare, backpack }));
  }
  return [...found].map(([provider, name]) => [name, provider]);
}

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
 * @param {StandardWallet} wallet
 * @returns {Promise<Account>}
 */
async function connectStandard(wallet) {
  const { accounts } = await ask(() => wallet.features["standard:connect"].connect());
  /** @type {StandardAccount[]} */
  const all = accounts?.length ? accounts : wallet.accounts;
  const account = all.find((one) => isOnSolana(one) && one.features.includes(SIGN));
  if (!account) throw new Problem("wallet_no_account");
  return {
    address: account.address,
    walletName: wallet.name,
    async sign(text) {
      const message = new TextEncoder().encode(text);
      // Pass the same account object: wallets compare identity.
      const [output] = await ask(() => wallet.features[SIGN].signMessage({ account, message }));
      return encodeBase64(output.signature);
    },
  };
}

/**
 * @param {string} name
 * @param {Provider} provider
 * @returns {Promise<Account>}
 */
async function connectOlder(name, provider) {
  const answer = await ask(() => provider.connect());
  const publicKey = answer?.publicKey ?? provider.publicKey;
  if (!publicKey) throw new Problem("wallet_no_account");
  return {
    address: publicKey.toBase58?.() ?? publicKey.toString(),
    walletName: name,
    async sign(text) {
      const output = await ask(() => provider.signMessage(new TextEncoder().encode(text), "utf8"));
      return encodeBase64(output.signature ?? output);
    },
  };
}

/**
 * Call a wallet; turn what it throws into a Problem.
 * @param {() => Promise<any>} question
 */
async function ask(question) {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const { code, message = "" } = /** @type {{ code?: unknown, message?: string }} */ (error ?? {});
    const declined = code === REJECTED || /reject|denied|declin|cancel/i.test(message);
    throw new Problem(declined ? "wallet_rejected" : "wallet_failed");
  }
}
