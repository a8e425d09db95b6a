// Base58 and base64 of keys and signatures.

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Return the bytes of a base58 text, or null if it is invalid or too long.
 * @param {string} text
 * @param {number} [maxLength] the work grows with its square
 */
export function decodeBase58(text, maxLength = 128) {
  if (text.length > maxLength) return null;
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const bytes = [];
  for (; value > 0n; value >>= 8n) bytes.push(Number(value & 255n));
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...bytes, ...new Array(zeros).fill(0)].reverse());
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
 * Return the bytes of a base64 text, also without padding or in the alphabet for URLs, or null.
 * @param {string} text
 */
export function decodeBase64(text) {
  const digits = text.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  try {
    const bytes = Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
    // atob ignores stray bits at the end, so truncated base58 could be accepted as base64.
    return encodeBase64(bytes).replace(/=+$/, "") === digits ? bytes : null;
  } catch {
    return null;
  }
}
