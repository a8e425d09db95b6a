// Wallets that this window can reach: first by the Wallet Standard, then by the older globals.

import { Problem } from "./api.js";
import { encodeBase64 } from "./codec.js";

const SIGN = "solana:signMessage";
const REJECTED = 4001;

/**
 * Call `onChange` with a list of {name, icon, connect} now and whenever a wallet appears.
 * `connect()` gives {address, walletName, sign(text) -> base64} or throws a Problem.
 */
export function watchWallets(onChange) {
  const standard = new Set();
  const tell = () => onChange(listWallets(standard));

  const register = (...wallets) => {
    wallets.filter(isUsable).forEach((wallet) => standard.add(wallet));
    tell();
    return () => {
      wallets.forEach((wallet) => standard.delete(wallet));
      tell();
    };
  };
  const api = Object.freeze({ register });
  // Listen first, then say that we are ready: whichever side loads last, both meet.
  window.addEventListener("wallet-standard:register-wallet", (event) => {
    if (typeof event.detail === "function") event.detail(api);
  });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  tell();
  // The older globals announce themselves by no event of their own.
  window.addEventListener("load", tell, { once: true });
}

function isUsable(wallet) {
  return isOnSolana(wallet) && wallet.features?.["standard:connect"] && wallet.features[SIGN];
}

const isOnSolana = (one) => (one?.chains ?? []).some((chain) => chain.startsWith("solana:"));

function listWallets(standard) {
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

function listOlder() {
  const found = new Map();
  const providers = [window.phantom?.solana, window.solana, window.solflare, window.backpack];
  for (const provider of providers) {
    if (typeof provider?.signMessage !== "function") continue;
    if (typeof provider.connect !== "function" || found.has(provider)) continue;
    found.set(provider, nameOlder(provider));
  }
  return [...found].map(([provider, name]) => [name, provider]);
}

function nameOlder(provider) {
  if (provider.isPhantom) return "Phantom";
  if (provider.isSolflare || provider === window.solflare) return "Solflare";
  if (provider.isBackpack || provider === window.backpack) return "Backpack";
  return "Solana";
}

async function connectStandard(wallet) {
  const { accounts } = await ask(() => wallet.features["standard:connect"].connect());
  const all = accounts?.length ? accounts : wallet.accounts;
  const account = all.find((one) => isOnSolana(one) && one.features.includes(SIGN));
  if (!account) throw new Problem("wallet_no_account");
  return {
    address: account.address,
    walletName: wallet.name,
    async sign(text) {
      const message = new TextEncoder().encode(text);
      // The same account object goes back: wallets compare identity.
      const [output] = await ask(() => wallet.features[SIGN].signMessage({ account, message }));
      return encodeBase64(output.signature);
    },
  };
}

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

async function ask(question) {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const declined = error?.code === REJECTED || /reject|denied|declin|cancel/i.test(error?.message);
    throw new Problem(declined ? "wallet_rejected" : "wallet_failed");
  }
}
