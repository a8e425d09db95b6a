// What wallets answer when they are asked to sign. The server decides about a signature; here it is
// told apart what went wrong, so that the visitor is not asked to sign again without an end.

import { Problem } from "./api.js";
import { decodeBase58, decodeBase64, encodeBase64 } from "./codec.js";
import { holdsText, isEnvelope, listSignableForms } from "./envelopes.js";
import { findSignature } from "./hand-signature.js";

/**
 * @typedef {{ text: string, address: string, others?: string[] }} Asked the text, the account that
 *   was asked, and the wallet's other accounts
 */

const SIGNATURE_BYTES = 64;

/**
 * Return the signature in a wallet's answer as base64.
 * Raises a Problem that says whether the answer is malformed, or the text or the account another one.
 * @param {any} raw what the wallet answered, or the first of several
 * @param {Asked} asked
 * @returns {Promise<string>}
 */
export async function parseAnswer(raw, asked) {
  const answer = Array.isArray(raw) && typeof raw[0] === "object" ? raw[0] : raw;
  const signature = parseSignature(answer?.signature ?? answer);
  if (!signature) throw new Problem("wallet_bad_answer");
  const signed = parseBytes(answer.signedOffchainMessage ?? answer.signedMessage);
  if (signed && !holdsText(signed, asked.text)) throw new Problem("wallet_altered_text");
  const signer = answer.publicKey?.toBase58?.();
  if (signer && signer !== asked.address) throw new Problem("wallet_other_account");
  await checkSignature(signature, signed, asked);
  return encodeBase64(signature);
}

/**
 * Return 64 bytes, or null. Hardware wallets may answer with the whole envelope: a count of 1, the
 * signature, and what was signed.
 * @param {unknown} raw
 */
function parseSignature(raw) {
  if (typeof raw === "string") raw = decodeText(raw);
  const bytes = parseBytes(raw);
  if (bytes && bytes[0] === 1 && isEnvelope(bytes.slice(1 + SIGNATURE_BYTES))) {
    return bytes.slice(1, 1 + SIGNATURE_BYTES);
  }
  return bytes?.length === SIGNATURE_BYTES ? bytes : null;
}

/** @param {string} text base58 or base64 */
function decodeText(text) {
  const base64 = findSignature(text);
  return base64 && decodeBase64(base64);
}

/**
 * Return a copy of the bytes, or null. Wallets of other frames have other classes for them.
 * @param {any} raw
 */
function parseBytes(raw) {
  if (ArrayBuffer.isView(raw)) return new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength).slice();
  if (Object.prototype.toString.call(raw) === "[object ArrayBuffer]") return new Uint8Array(raw).slice();
  const list = Array.isArray(raw) ? raw : raw?.type === "Buffer" ? raw.data : null;
  return Array.isArray(list) && list.every(isByte) ? Uint8Array.from(list) : null;
}

/** @param {unknown} one */
const isByte = (one) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256;

/**
 * Raise a Problem if the signature fits neither the text nor the account; in browsers without
 * Ed25519 the server finds that out.
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {Uint8Array | null} signed
 * @param {Asked} asked
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
