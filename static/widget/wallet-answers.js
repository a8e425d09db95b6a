// What wallets answer or throw when they are asked: a signature as base64, or a Problem that says what
// went wrong, so that a visitor is not asked to sign again without an end (the server decides about a
// signature); and whether they still let this page use an account.

import { Problem } from "./api.js";
import {
  decodeBase58, decodeBase64, encodeBase64, findSignature, holdsText, listSignableForms, readSignature,
} from "./signatures.js";

/**
 * @typedef {{ text: string, address: string, others?: string[] }} SigningRequest the text to sign, the
 *   account that is to sign it, and the wallet's other accounts
 */

const USER_REJECTED = 4001; // EIP-1193, which wallets of Solana follow, too
const REQUEST_REJECTED = 4001000; // @wallet-standard/errors
const REQUEST_OPEN = -32002; // an earlier question is still open in the wallet
const CAUSES = 4; // wallets wrap errors; an error that is its own cause must end, too

const DECLINED = /reject|den(?:y|ied)|declin|cancel|dismiss|abort|closed by|window ?closed|closed the/i;
const BY_VISITOR = /\buser (?:has )?(?:reject|den|declin|cancel|dismiss|clos|abort)/i;
// "Rejected: the message must be ASCII" is said by the wallet, not by the visitor.
const ABOUT_TEXT = /ascii|utf-?8|charact|encoding|unsupported|not supported/i;

/**
 * Call a wallet; turn what it throws into a Problem.
 * @template T
 * @param {() => T | Promise<T>} question
 * @returns {Promise<T>}
 */
export async function ask(question) {
  try {
    return await question();
  } catch (thrown) {
    throw explainThrown(thrown);
  }
}

// Answers

/**
 * Return the signature in a wallet's answer as base64.
 * Raises a Problem that says whether the answer is malformed, or the text or the account another one.
 * @param {any} raw what the wallet answered, or the first of several
 * @param {SigningRequest} request
 * @returns {Promise<string>}
 */
export async function parseAnswer(raw, request) {
  const answer = Array.isArray(raw) && typeof raw[0] === "object" ? raw[0] : raw;
  const signature = parseSignature(answer?.signature ?? answer);
  if (!signature) throw new Problem("wallet_bad_answer");
  const signed = parseBytes(answer.signedOffchainMessage ?? answer.signedMessage);
  if (signed && !holdsText(signed, request.text)) throw new Problem("wallet_altered_text");
  const signer = answer.publicKey?.toBase58?.();
  if (signer && signer !== request.address) throw new Problem("wallet_other_account");
  await checkSignature(signature, signed, request);
  return encodeBase64(signature);
}

/** @param {unknown} raw bytes, or a text or its bytes, which are never as short as a signature's */
function parseSignature(raw) {
  const bytes = parseBytes(raw);
  const signature = bytes && readSignature(bytes);
  if (signature) return signature;
  const text = bytes ? new TextDecoder().decode(bytes) : raw;
  const base64 = typeof text === "string" ? findSignature(text) : null;
  return base64 && decodeBase64(base64);
}

/**
 * Return a copy of the bytes, or null. Wallets of other frames have other classes for them, and JSON
 * makes numbered objects of them: {"0": 255, "1": 7}.
 * @param {any} raw
 */
function parseBytes(raw) {
  if (ArrayBuffer.isView(raw)) return new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength).slice();
  if (Object.prototype.toString.call(raw) === "[object ArrayBuffer]") return new Uint8Array(raw).slice();
  const numbered = Object.entries((raw?.type === "Buffer" ? raw.data : raw) ?? {});
  const areBytes = numbered.every(([key, one], index) => key === String(index) && isByte(one));
  return areBytes && numbered.length > 0 ? Uint8Array.from(numbered, ([, one]) => one) : null;
}

/** @param {unknown} one */
const isByte = (one) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256;

/**
 * Raise a Problem if the signature fits neither the text nor the account; in browsers without
 * Ed25519 the server finds that out.
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {Uint8Array | null} signed
 * @param {SigningRequest} request
 */
async function checkSignature(signature, signed, { text, address, others = [] }) {
  const fits = await isSignatureOf(address, signature, signed, text);
  if (fits !== false) return;
  for (const other of others) {
    if (await isSignatureOf(other, signature, signed, text)) throw new Problem("wallet_other_account");
  }
  throw new Problem("wallet_wrong_signature", { details: { address } });
}

/**
 * Return whether this account signed the text in some form; null where that cannot be checked.
 * @param {string} address
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {Uint8Array | null} signed
 * @param {string} text
 */
async function isSignatureOf(address, signature, signed, text) {
  const publicKey = decodeBase58(address);
  if (!publicKey) return null;
  let key;
  try {
    key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  } catch {
    return null;
  }
  const hosts = [globalThis.location?.host, globalThis.location?.hostname].filter((host) => host);
  const forms = [...(signed ? [signed] : []), ...listSignableForms(text, publicKey, hosts)];
  for (const form of forms) {
    if (await crypto.subtle.verify("Ed25519", key, signature, Uint8Array.from(form))) return true;
  }
  return false;
}

// What is thrown. A visitor who declined must not be asked a second time

/**
 * Return the Problem for what a wallet threw: anything, also a string or nothing.
 * @param {unknown} thrown
 */
export function explainThrown(thrown) {
  if (thrown instanceof Problem) return thrown;
  try {
    const chain = [...unwrap(thrown)];
    if (chain.some(isDeclined)) return new Problem("wallet_rejected");
    if (chain.some(({ code }) => code === REQUEST_OPEN)) return new Problem("wallet_busy");
  } catch {
    // an error whose properties cannot be read
  }
  return new Problem("wallet_failed");
}

/**
 * Yield the error and what caused it.
 * @param {any} error
 * @returns {Generator<{ code: unknown, name: string, text: string }>}
 */
function* unwrap(error) {
  for (let count = 0; error && count < CAUSES; count++) {
    if (typeof error === "string") {
      yield { code: null, name: "", text: error };
      return;
    }
    const code = Number(error.context?.__code ?? error.code);
    yield { code, name: String(error.name ?? ""), text: String(error.message ?? "") };
    error = error.cause ?? error.error;
  }
}

/** @param {{ code: unknown, name: string, text: string }} error */
function isDeclined({ code, name, text }) {
  if (code === USER_REJECTED || code === REQUEST_REJECTED) return true;
  // The code of a production build, where the error came through a message and kept only its text.
  if (text.includes(`Wallet Standard error #${REQUEST_REJECTED};`)) return true;
  if (name === "AbortError") return true;
  if (BY_VISITOR.test(text)) return true;
  return DECLINED.test(`${name} ${text}`) && !ABOUT_TEXT.test(text);
}

// Accounts that are lost

const GRACE_MS = 500; // some wallets have no account for a moment while they connect again

/**
 * Call `onLost` when, some time after a change in the wallet, the account cannot be used; return
 * how to stop that. A wallet that cannot be listened to is checked when it signs.
 * @param {(onChange: () => void) => unknown} listen starts to listen to the wallet; gives how to stop
 * @param {() => Problem | null} findLoss
 * @param {(problem: Problem) => void} onLost
 */
export function watchAccount(listen, findLoss, onLost) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isWatching = true;
  const check = () => {
    const problem = findLoss();
    if (problem) onLost(problem);
  };
  const off = attempt(() => listen(() => {
    clearTimeout(timer);
    if (isWatching) timer = setTimeout(check, GRACE_MS);
  }));
  return () => {
    isWatching = false;
    clearTimeout(timer);
    if (typeof off === "function") attempt(() => off());
  };
}

/** @param {() => unknown} action a wallet's own code, which may throw anything */
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
