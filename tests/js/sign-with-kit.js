// Signs texts with the official packages, for tests/domain/test_offchain_forms.py: JSON on standard input and output.

import { readFileSync } from "node:fs";

import {
  createKeyPairSignerFromPrivateKeyBytes, createSignableMessage, getBase58Decoder, getBase64Decoder,
} from "@solana/kit";
import {
  compileOffchainMessageEnvelope, getOffchainMessageEnvelopeEncoder, signOffchainMessageEnvelope,
} from "@solana/offchain-messages";

/** @typedef {{ text: string, seed: number[], domain: number[] }} Task the domain has 32 bytes */

const base64 = getBase64Decoder();
const base58 = getBase58Decoder();

/** @param {Task} task */
async function signInEveryForm({ text, seed, domain }) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(seed));
  const requiredSignatories = [{ address: signer.address }];
  const [{ [signer.address]: raw }] = /** @type {any} */ (
    await signer.signMessages([createSignableMessage(text)]));
  const signed = { raw: describe(raw, new TextEncoder().encode(text)) };
  const messages = {
    v0: { version: 0, applicationDomain: base58.decode(Uint8Array.from(domain)), content: { format: 1, text } },
    v1: { version: 1, content: text },
  };
  for (const [form, message] of Object.entries(messages)) {
    const draft = compileOffchainMessageEnvelope(/** @type {any} */ ({ ...message, requiredSignatories }));
    const envelope = await signOffchainMessageEnvelope([signer.keyPair], draft);
    const whole = getOffchainMessageEnvelopeEncoder().encode(envelope);
    Object.assign(signed, {
      [form]: { ...describe(envelope.signatures[signer.address], envelope.content), envelope: base58.decode(whole) },
    });
  }
  return { address: signer.address, signed };
}

/**
 * @param {any} signature
 * @param {any} bytes
 */
const describe = (signature, bytes) => ({ signature: base64.decode(signature), bytes: base64.decode(bytes) });

const tasks = /** @type {Task[]} */ (JSON.parse(readFileSync(0, "utf8")));
console.log(JSON.stringify(await Promise.all(tasks.map(signInEveryForm))));
