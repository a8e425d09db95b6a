import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";

import {
  address, compileOffchainMessageEnvelope, getOffchainMessageEnvelopeEncoder, signatureBytes,
} from "@solana/kit";

import {
  decodeBase58, decodeBase64, encodeBase58, encodeBase64, findAddress, findSignature, isAddress, isPrivateKey,
} from "../../static/widget/wallets.js";

const SIGNATURE = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 250) % 256);
const BASE64 = encodeBase64(SIGNATURE);
const BASE58 = encodeBase58(SIGNATURE);
const HEX = Buffer.from(SIGNATURE).toString("hex");
const DOMAIN = [0xff, ...new TextEncoder().encode("solana offchain")];
const MESSAGE = [...new TextEncoder().encode("x".repeat(450))];
const { publicKey, seed } = makeKey();
const ADDRESS = encodeBase58(publicKey);

function makeKey() {
  const pair = generateKeyPairSync("ed25519");
  const jwk = pair.privateKey.export({ format: "jwk" });
  return { publicKey: Uint8Array.from(Buffer.from(jwk.x ?? "", "base64url")),
    seed: Uint8Array.from(Buffer.from(jwk.d ?? "", "base64url")) };
}

/** @param {{ count?: number, domain?: number[], body?: number[] }} [changes] */
function makeEnvelope({ count = 1, domain = DOMAIN, body = MESSAGE } = {}) {
  return Uint8Array.from([count, ...SIGNATURE, ...domain, 0, ...new Array(32).fill(0), 1, 1, ...publicKey, 0, 0, ...body]);
}

const WRITINGS = {
  base64: BASE64,
  "base64 for URLs": BASE64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  base58: BASE58,
  "base58 with a line end": `${BASE58}\r\n`,
  "base64 broken into lines": `  ${BASE64.slice(0, 40)}\r\n ${BASE64.slice(40)} `,
  "base58 broken into lines": `${BASE58.slice(0, 40)}\n${BASE58.slice(40)}`,
  hex: HEX,
  "hex with 0x": `0x${HEX.toUpperCase()}`,
  "hex broken into lines": HEX.replace(/.{32}/g, "$&\n"),
  "what the command line prints with a Ledger": `Waiting for your approval on Ledger Nano S\n✅ Approved\n${BASE58}\n`,
  "the same signature twice": `${BASE58}\n${BASE64}`,
  "an envelope in base58": encodeBase58(makeEnvelope()),
  "an envelope in hex": Buffer.from(makeEnvelope()).toString("hex"),
  "an envelope in base64": encodeBase64(makeEnvelope()),
  "an envelope in base64, in lines": encodeBase64(makeEnvelope()).replace(/.{64}/g, "$&\n"),
  "an envelope around the longest text": encodeBase58(makeEnvelope({ body: new Array(1_212).fill(120) })),
};

for (const [name, text] of Object.entries(WRITINGS)) {
  test(`a signature is found in ${name}`, () => assert.equal(findSignature(text), BASE64));
}

for (const version of /** @type {const} */ ([0, 1])) {
  test(`a signature is found in an envelope that the Solana kit writes, version ${version}`, () => {
    const text = "Two\nlines with ñ";
    const requiredSignatories = [{ address: address(ADDRESS) }];
    const message = version === 1 ? { version, content: text, requiredSignatories } : { version,
      applicationDomain: "1".repeat(32), content: { format: 1, text }, requiredSignatories };
    const draft = compileOffchainMessageEnvelope(/** @type {any} */ (message));
    const signatures = { [ADDRESS]: signatureBytes(SIGNATURE) };
    const envelope = new Uint8Array(getOffchainMessageEnvelopeEncoder().encode({ ...draft, signatures }));

    assert.equal(findSignature(encodeBase58(envelope)), BASE64);
    assert.equal(findSignature(encodeBase64(envelope)), BASE64);
  });
}

test("a signature is found in an envelope that Ledger's kit writes", () => {
  // By buildEnvelopeBase58 of @ledgerhq/device-signer-kit-solana 1.13.0; the signature is 64 times 7.
  const envelope = "QoexgfknPMUWAihSzKMACKbovEnrhhXUvFmzZSKiY47XP6xRv3UnSfFJT7T6fRmGWkgEp1qNiN7VgwWKWH4rbV2MVVAFp2"
    + "jCSV7eEDHLJRkCkRQTMf6cUw87BR6pHTBaVj59718k3ckTUKpzPCU9nBPw9LtuKArLcJFGLFjpTGQ8nrdEBiNBgGFmnCdQu61BHhV1oGEfk"
    + "EVhjSznc36vmiLJ";

  assert.equal(findSignature(envelope), encodeBase64(new Uint8Array(64).fill(7)));
});

const NO_SIGNATURES = {
  nothing: "",
  "white space": " \n ",
  "a word": "nonsense",
  "an address": ADDRESS,
  "the message": "embed.example asks for proof that you own this wallet.",
  "a base58 text of 63 bytes": encodeBase58(SIGNATURE.slice(1)),
  "a base58 text of 65 bytes": encodeBase58(Uint8Array.from([1, ...SIGNATURE])),
  "a base64 text of 63 bytes": encodeBase64(SIGNATURE.slice(1)),
  "truncated base64": BASE64.slice(4),
  "base64 with three more bytes": `AAAA${BASE64}`,
  "base64 with another character": `${BASE64}!`,
  "base64 with stray bits": BASE64.replace(/.==$/, "1=="),
  "hex of 63 bytes": HEX.slice(2),
  "hex with half a byte less": HEX.slice(1),
  "hex with half a byte more": `${HEX}0`,
  "two signatures": `${BASE58}\n${encodeBase58(SIGNATURE.toReversed())}`,
  "an envelope of two signatures": encodeBase58(makeEnvelope({ count: 2 })),
  "an envelope of no signature": encodeBase64(makeEnvelope({ count: 0 })),
  "an envelope of another domain": encodeBase58(makeEnvelope({ domain: [0xfe, ...DOMAIN.slice(1)] })),
  "an envelope without a text": encodeBase64(makeEnvelope().slice(0, 70)),
  "only what was signed": encodeBase64(makeEnvelope().slice(65)),
  "a very long text": "2".repeat(500_000),
};

for (const [name, text] of Object.entries(NO_SIGNATURES)) {
  test(`no signature is found in ${name}`, () => assert.equal(findSignature(text), null));
}

test("a private key is known by the public key at its end, or as a key file", () => {
  const secret = Uint8Array.from([...seed, ...publicKey]);

  const base58 = encodeBase58(secret);
  for (const text of [base58, `\n${encodeBase64(secret)} `, Buffer.from(secret).toString("hex"),
    `${base58.slice(0, 40)}\n${base58.slice(40)}`, `My key: ${base58}`, JSON.stringify([...secret]),
    JSON.stringify([...secret], null, 2), JSON.stringify([...SIGNATURE])]) {
    assert.equal(isPrivateKey(text, ADDRESS), true, text);
  }
});

test("a signature is no private key", () => {
  const { privateKey } = generateKeyPairSync("ed25519");

  for (let count = 0; count < 200; count += 1) {
    const signature = new Uint8Array(sign(null, Buffer.from(`message ${count}`), privateKey));
    assert.equal(findSignature(encodeBase58(signature)), encodeBase64(signature));
    assert.equal(isPrivateKey(encodeBase58(signature), ADDRESS), false);
  }
  assert.equal(isPrivateKey(BASE64, "no address"), false);
});

// The codecs

const MINT = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

for (const [text, bytes] of /** @type {[string, number[]][]} */ ([
  ["", []],
  ["1", [0]],
  ["11", [0, 0]],
  ["2", [1]],
  ["z", [57]],
  ["21", [58]],
  ["5Q", [255]],
  ["5R", [1, 0]],
  ["1112", [0, 0, 0, 1]],
])) {
  test(`base58 ${JSON.stringify(text)} is [${bytes}]`, () => {
    assert.deepEqual([.../** @type {Uint8Array} */ (decodeBase58(text))], bytes);
    assert.equal(encodeBase58(Uint8Array.from(bytes)), text);
  });
}

for (const text of ["0", "O", "I", "l", "a b", "é", "+", "1".repeat(129)]) {
  test(`${JSON.stringify(text.slice(0, 9))} of ${text.length} is no base58`, () => {
    assert.equal(decodeBase58(text), null);
  });
}

test("an address is 32 bytes of base58", () => {
  assert.equal(isAddress(MINT), true);
  assert.equal(isAddress("1".repeat(32)), true);
  assert.equal(isAddress("1".repeat(31)), false);
  assert.equal(isAddress(MINT.slice(2)), false);
  assert.equal(isAddress(`${MINT}1`), false);
  assert.equal(isAddress(MINT.replace("D5", "O5")), false);
  assert.equal(isAddress(` ${MINT}`), false);
});

for (const pasted of [MINT, ` ${MINT}\u00a0\r\n`, `\ufeff\u200b${MINT}\u2069`, `solana:${MINT}?label=Ann`,
  `https://solscan.io/account/${MINT}?x#y`, `https://explorer.solana.com/address/${MINT}/tokens`]) {
  test(`the address is found in ${JSON.stringify(pasted)}`, () => assert.equal(findAddress(pasted), MINT));
}

for (const pasted of ["", `${MINT} ${MINT}`, `${MINT}/${"1".repeat(32)}`, `https://solscan.io/?account=${MINT}`]) {
  test(`no single address is found in ${JSON.stringify(pasted)}`, () => assert.equal(findAddress(pasted), null));
}

test("base64 is read with and without padding, in both alphabets", () => {
  const urlSafe = BASE64.replaceAll("+", "-").replaceAll("/", "_");

  assert.notEqual(urlSafe, BASE64);
  for (const text of [BASE64, urlSafe, BASE64.replace(/=+$/, "")]) assert.deepEqual(decodeBase64(text), SIGNATURE);
});

test("what is no base64, or has stray bits at its end, is refused", () => {
  const texts = ["!", "AAAAA", `${BASE64}!`, "AB==", "AAB=", "AAAA=AAA"];

  for (const text of texts) assert.equal(decodeBase64(text), null, text);
});

test("base58 longer than a caller allows is refused before it is read", () => {
  assert.equal(decodeBase58("2".repeat(200)), null);
  assert.equal(decodeBase58("2".repeat(200), 200)?.length, 146);
});
