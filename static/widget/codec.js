// Base58 and base64 of keys and signatures.

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Return the bytes of a base58 text, or null if it is invalid.
 * @param {string} text
 */
export function decodeBase58(text) {
  if (text.length > 128) return null;
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const bytes = [];
  for (; value > 0n; value >>= 8n) bytes.unshift(Number(value & 255n));
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...new Array(zeros).fill(0), ...bytes]);
}

/** @param {Uint8Array} bytes */
export function encodeBase58(bytes) {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) + BigInt(byte);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = "1" + text;
  }
  return text;
}

/** @param {Uint8Array} bytes */
export const encodeBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** @param {string} text */
export const isAddress = (text) => decodeBase58(text)?.length === 32;

/**
 * Return a base64 or base58 signature in the API's form, base64, or null.
 * @param {string} text
 */
export function normalizeSignature(text) {
  const given = text.replace(/\s+/g, "");
  const base58 = decodeBase58(given);
  if (base58?.length === 64) return encodeBase64(base58);
  try {
    const base64 = given.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const signature = encodeBase64(bytes);
    // atob ignores stray bits at the end, so truncated base58 could be accepted as base64.
    return bytes.length === 64 && signature.startsWith(base64) ? signature : null;
  } catch {
    return null;
  }
}
