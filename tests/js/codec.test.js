import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decodeBase58, decodeBase64, encodeBase58, encodeBase64, isAddress,
} from "../../static/widget/signatures.js";

const MINT = "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const BYTES = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 250) % 256);

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

test("base64 is read with and without padding, in both alphabets", () => {
  const base64 = encodeBase64(BYTES);
  const urlSafe = base64.replaceAll("+", "-").replaceAll("/", "_");

  assert.notEqual(urlSafe, base64);
  for (const text of [base64, urlSafe, base64.replace(/=+$/, "")]) assert.deepEqual(decodeBase64(text), BYTES);
});

test("what is no base64, or has stray bits at its end, is refused", () => {
  const texts = ["!", "AAAAA", `${encodeBase64(BYTES)}!`, "AB==", "AAB=", "AAAA=AAA"];

  for (const text of texts) assert.equal(decodeBase64(text), null, text);
});

test("base58 longer than a caller allows is refused before it is read", () => {
  assert.equal(decodeBase58("2".repeat(200)), null);
  assert.equal(decodeBase58("2".repeat(200), 200)?.length, 146);
});
