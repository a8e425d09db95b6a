// The objects that wallets put into `window` before there was a standard.

import { watchAccount } from "./account-watch.js";
import { Problem } from "./api.js";
import { isAddress } from "./codec.js";
import { ask, parseAnswer } from "./wallet-answers.js";

/**
 * @import { Account } from "./wallets.js"
 * @typedef {{ signMessage: Function, connect: Function, publicKey?: any, isPhantom?: boolean,
 *   isSolflare?: boolean, isBackpack?: boolean, on?: Function, off?: Function,
 *   removeListener?: Function }} Provider
 */

const EVENTS = ["accountChanged", "disconnect"];

/** @returns {[name: string, provider: Provider][]} */
export function listOlder() {
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
export async function connectOlder(name, provider) {
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
