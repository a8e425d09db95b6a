// The bytes that a wallet may sign in place of the plain text (embed/domain/offchain_messages.py,
// which decides). Only to tell what went wrong before anything is sent.

const DOMAIN = new Uint8Array([0xff, ...new TextEncoder().encode("solana offchain")]);
const APPLICATION_BYTES = 32;
const FORMATS = [0, 1]; // ASCII and UTF-8

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
export const isEnvelope = (bytes) => DOMAIN.every((byte, index) => bytes[index] === byte);

/**
 * @param {number[]} head
 * @param {Uint8Array} body
 */
const join = (head, body) => Uint8Array.from([...DOMAIN, ...head, ...body]);

/** @param {string} host */
const pad = (host) => new TextEncoder().encode(host.padEnd(APPLICATION_BYTES, "\0"));
