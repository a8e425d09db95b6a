// The signature in what a visitor pastes: what a command line, a wallet or a Ledger's kit gave them.

import { decodeBase58, decodeBase64, encodeBase64 } from "./codec.js";

const SIGNATURE_BYTES = 64;
// A whole envelope: the number of signatures, the signature, and the text that was signed, with its head.
const DOMAIN = "\xffsolana offchain";
const ENVELOPE_HEAD = "\x01";
const MAX_BASE58 = 2_500; // such an envelope around the longest text that a Ledger signs, and some more
const KEY_FILE = /^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$/;

/**
 * Return the only signature in a text in the API's form, base64, or null. It may be broken into lines,
 * or stand among other words, as the command line prints some when it waits for a device.
 * @param {string} text
 */
export function findSignature(text) {
  const words = text.split(/\s+/);
  const whole = readSignature(words.join(""));
  if (whole) return encodeBase64(whole);
  const found = new Set(words.map(readSignature).filter((each) => each !== null).map(encodeBase64));
  return found.size === 1 ? [...found][0] : null;
}

/**
 * Tell whether a text is the private key of the wallet rather than a signature: the contents of a key
 * file, or what wallets export, 64 bytes that end in the public key.
 * @param {string} text
 * @param {string} address
 */
export function isPrivateKey(text, address) {
  if (KEY_FILE.test(text)) return true;
  const publicKey = decodeBase58(address);
  return readForms(text.trim()).some((bytes) =>
    bytes.length === SIGNATURE_BYTES && publicKey?.every((byte, index) => byte === bytes[32 + index]));
}

/** @param {string} word */
function readSignature(word) {
  for (const bytes of readForms(word)) {
    if (bytes.length === SIGNATURE_BYTES) return bytes;
    if (isEnvelope(bytes)) return bytes.slice(ENVELOPE_HEAD.length, ENVELOPE_HEAD.length + SIGNATURE_BYTES);
  }
  return null;
}

/** @param {string} word */
function readForms(word) {
  return [decodeBase58(word, MAX_BASE58), decodeBase64(word)].filter((bytes) => bytes !== null);
}

/** @param {Uint8Array} bytes */
function isEnvelope(bytes) {
  const text = String.fromCharCode(...bytes.slice(0, 1 + SIGNATURE_BYTES + DOMAIN.length));
  return text.startsWith(ENVELOPE_HEAD) && text.indexOf(DOMAIN, 1) === 1 + SIGNATURE_BYTES;
}
