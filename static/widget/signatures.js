// Signatures: the bytes that one may cover in place of the plain text
// (embed/domain/wallet_signatures.py, which decides), and how wallets and command lines write it, in
// base58, base64 and hex.

const SIGNATURE_BYTES = 64;
const DOMAIN = new Uint8Array([0xff, ...new TextEncoder().encode("solana offchain")]);
const APPLICATION_BYTES = 32;
const FORMATS = [0, 1]; // ASCII and UTF-8
const MAX_BASE58 = 2_500; // an envelope around the longest text that a Ledger signs, and some more
const KEY_FILE = /^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$/;

// The bytes that a signature covers: only to tell what went wrong before anything is sent

/**
 * Yield the text's bytes as a wallet may sign them for one signer, the most frequent first.
 * @param {string} text
 * @param {Uint8Array} publicKey
 * @param {string[]} hosts the hosts that a wallet may name as the application
 */
export function* listSignableForms(text, publicKey, hosts) {
  const body = new TextEncoder().encode(text);
  const length = [body.length & 255, body.length >> 8];
  const signer = [1, ...publicKey];
  yield body;
  yield join([1, ...signer], body);
  yield join([1, ...signer, ...length], body); // an early form of version 1
  for (const format of FORMATS) yield join([0, format, ...length], body); // the command line's form
  for (const application of ["", ...hosts.filter((host) => host.length <= APPLICATION_BYTES)]) {
    for (const format of FORMATS) {
      yield join([0, ...pad(application), format, ...signer, ...length], body);
    }
  }
}

/**
 * Return whether these bytes are the text, alone or at the end of an off-chain envelope.
 * @param {Uint8Array} bytes
 * @param {string} text
 */
export function holdsText(bytes, text) {
  const body = new TextEncoder().encode(text);
  const start = bytes.length - body.length;
  if (start < 0 || !body.every((byte, index) => bytes[start + index] === byte)) return false;
  return start === 0 || isEnvelope(bytes);
}

/** @param {Uint8Array} bytes */
const isEnvelope = (bytes) => DOMAIN.every((byte, index) => bytes[index] === byte);

/**
 * @param {number[]} head
 * @param {Uint8Array} body
 */
const join = (head, body) => Uint8Array.from([...DOMAIN, ...head, ...body]);

/** @param {string} host */
const pad = (host) => new TextEncoder().encode(host.padEnd(APPLICATION_BYTES, "\0"));

// How it is written

/**
 * Return the 64 bytes of a signature, which may stand alone or before the envelope that was signed, as
 * hardware wallets answer: a count of 1, the signature, the envelope. Otherwise return null.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export function readSignature(bytes) {
  if (bytes.length === SIGNATURE_BYTES) return bytes;
  const isBeforeEnvelope = bytes[0] === 1 && isEnvelope(bytes.slice(1 + SIGNATURE_BYTES));
  return isBeforeEnvelope ? bytes.slice(1, 1 + SIGNATURE_BYTES) : null;
}

/**
 * Return the only signature in a text in the API's form, base64, or null. It may be broken into lines,
 * or stand among other words, as the command line prints some when it waits for a device.
 * @param {string} text
 */
export function findSignature(text) {
  const words = text.split(/\s+/);
  const whole = findInWord(words.join(""));
  if (whole) return encodeBase64(whole);
  const found = new Set(words.map(findInWord).filter((each) => each !== null).map(encodeBase64));
  return found.size === 1 ? [...found][0] : null;
}

/** @param {string} word */
function findInWord(word) {
  return decodeWord(word).map(readSignature).find((signature) => signature !== null) ?? null;
}

/** @param {string} word */
function decodeWord(word) {
  const decoded = [decodeBase58(word, MAX_BASE58), decodeBase64(word), decodeHex(word)];
  return decoded.filter((bytes) => bytes !== null); // at most one is as long as a signature
}

/**
 * Tell whether a text is the private key of the wallet rather than a signature: the contents of a key
 * file, or what wallets export, 64 bytes that end in the public key.
 * @param {string} text
 * @param {string} address
 */
export function isPrivateKey(text, address) {
  if (KEY_FILE.test(text)) return true;
  const bytes = decodeBase64(findSignature(text) ?? "");
  return bytes?.length === SIGNATURE_BYTES && encodeBase58(bytes.slice(32)) === address;
}

// Base58, base64 and hex of keys and signatures.

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

/**
 * Return the bytes of a text of hex digits, which may begin with 0x, or null.
 * @param {string} text
 */
function decodeHex(text) {
  const digits = text.replace(/^0x/i, "");
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
