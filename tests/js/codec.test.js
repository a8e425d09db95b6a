import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decodeBase58, encodeBase58, encodeBase64, isAddress, normalizeSignature,
} from "../../static/widget/codec.js";

const MINT = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const SIGNATURE = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 250) % 256);

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

test("a signature is taken in every usual writing", () => {
  const base64 = encodeBase64(SIGNATURE);
  const urlSafe = base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

  assert.notEqual(urlSafe, base64);
  for (const text of [base64, urlSafe, `${base64.slice(0, 40)}\n ${base64.slice(40)}`, encodeBase58(SIGNATURE)]) {
    assert.equal(normalizeSignature(text), base64);
  }
});

test("what is no signature of 64 bytes is refused", () => {
  const base64 = encodeBase64(SIGNATURE);
  const texts = ["", "nonsense", MINT, base64.slice(4), `AAAA${base64}`, `${base64}!`, base64.replace(/.==$/, ""),
    encodeBase58(SIGNATURE.slice(1)), encodeBase64(SIGNATURE.slice(1))];

  for (const text of texts) assert.equal(normalizeSignature(text), null, text);
});
