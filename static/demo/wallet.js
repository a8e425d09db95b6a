// A test wallet, loaded only in demo mode (flask demo). It implements the Wallet Standard like real
// wallets. Its key, which has no tokens, stays in this browser's storage for the demo's site.

import { encodeBase58 } from "../widget/wallets.js";

const CHAINS = ["solana:mainnet"];
const STORED = "demo-wallet";
const SIGN = "solana:signMessage";
const ICON = "data:image/svg+xml;base64," + btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6"' +
    ' fill="#0d8a83"/><path d="M6 8h12v9H6z" fill="#fff"/><circle cx="15" cy="12.5" r="1.5"/></svg>',
);

const key = await loadKey();
const privateKey = await crypto.subtle.importKey("jwk", key, "Ed25519", false, ["sign"]);
const publicKey = Uint8Array.from(atob((key.x ?? "").replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
const account = Object.freeze({
  address: encodeBase58(publicKey),
  publicKey,
  chains: CHAINS,
  features: [SIGN],
});

/** Return the key of an earlier visit, or a new one. @returns {Promise<JsonWebKey>} */
async function loadKey() {
  const stored = recall();
  if (stored) return JSON.parse(stored);
  const { privateKey } = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey("Ed25519", true, ["sign"]));
  const made = await crypto.subtle.exportKey("jwk", privateKey);
  try {
    localStorage.setItem(STORED, JSON.stringify(made));
  } catch {
    // it lasts until the page is left
  }
  return made;
}

function recall() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // in a sandbox
  }
}

/** @type {Set<(change: { accounts: object[] }) => void>} */
const listeners = new Set();
/** @type {object[]} */
let accounts = [];

async function connect() {
  accounts = [account];
  listeners.forEach((listener) => listener({ accounts }));
  return { accounts };
}

/**
 * @param {string} event
 * @param {(change: { accounts: object[] }) => void} listener
 */
function listen(event, listener) {
  if (event === "change") listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {{ account: object, message: BufferSource }[]} inputs */
async function signMessage(...inputs) {
  return Promise.all(inputs.map(async ({ account: asked, message }) => {
    if (asked !== account) throw new Error("This wallet does not know that account.");
    const signature = await crypto.subtle.sign("Ed25519", privateKey, message);
    return { signedMessage: message, signature: new Uint8Array(signature) };
  }));
}

const wallet = Object.freeze({
  version: "1.0.0",
  name: "Demo wallet",
  icon: ICON,
  chains: CHAINS,
  features: {
    "standard:connect": { version: "1.0.0", connect },
    "standard:events": { version: "1.0.0", on: listen },
    [SIGN]: { version: "1.0.0", signMessage },
  },
  get accounts() {
    return accounts;
  },
});

// Announce the wallet in both ways, so it's found whichever side loads last.
/** @param {{ register: (wallet: object) => void }} app */
const register = ({ register }) => register(wallet);
dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
addEventListener("wallet-standard:app-ready", (event) => {
  register(/** @type {CustomEvent} */ (event).detail);
});
