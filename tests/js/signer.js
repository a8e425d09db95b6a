// A real Ed25519 key pair for tests.

import { encodeBase58 } from "../../static/widget/wallets.js";

/** @typedef {{ address: string, publicKey: Uint8Array, sign: (bytes: Uint8Array) => Promise<Uint8Array> }} Signer */

/** @returns {Promise<Signer>} */
export async function makeSigner() {
  const pair = /** @type {CryptoKeyPair} */ (
    await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]));
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    address: encodeBase58(publicKey),
    publicKey,
    sign: async (bytes) =>
      new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, Uint8Array.from(bytes))),
  };
}
