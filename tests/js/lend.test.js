import assert from "node:assert/strict";
import { test } from "node:test";

import { isLendable, QuestionLimit } from "../../static/host/lend.js";

const SERVICE = "embed.example:8443";
const ADDRESS = "3oCn7GSAMnF5czrHA1ZSHxiTQ1dQ2rDh4LTBgA4ZTzwq";
const LINES = [
  `${SERVICE} asks for proof that you own this wallet.`,
  "",
  `Wallet: ${ADDRESS}`,
  "Tracking page: SpwaN0drOQepvf5AlrUr",
  "Name: Jürgen 山田",
  "Nonce: Pz3i9VpPYoMik9A11QTQ",
  "",
  "Signing is free. This signature does not authorize any transaction.",
];

/** @param {string[]} lines */
const judge = (lines) => isLendable(lines.join("\n"), { service: SERVICE, address: ADDRESS });

/**
 * @param {number} index
 * @param {(line: string) => string} change
 */
const withLine = (index, change) => LINES.map((line, at) => (at === index ? change(line) : line));

test("a wallet may be asked to sign the service's text", () => {
  assert.equal(judge(LINES), true);
});

/** @type {[about: string, lines: string[]][]} */
const OTHERS = [
  ["nothing", []],
  ["of another host", withLine(0, (line) => `evil.${line}`)],
  ["of another port", withLine(0, (line) => line.replace("8443", "84430"))],
  ["about another wallet", withLine(2, (line) => line.replace("3oCn", "4oCn"))],
  ["that names the wallet elsewhere only", withLine(2, (line) => `Not ${line}`)],
  ["without the statement", LINES.slice(0, -1)],
  ["that goes on after the statement", [...LINES, "But this one does."]],
  ["with a new line at the end", [...LINES, ""]],
  ["with a carriage return", withLine(4, (line) => `${line}\r`)],
  ["with a zero byte", withLine(4, (line) => `${line}\0`)],
  ["that changes the direction of writing", withLine(4, (line) => `${line}\u202e`)],
  ["with a character that shows nothing", withLine(4, (line) => `${line}\u200b`)],
  ["with half a character", withLine(4, (line) => `${line}\ud800`)],
  ["that is too long", withLine(4, (line) => line + "x".repeat(2000))],
];
for (const [about, lines] of OTHERS) {
  test(`a wallet is not asked to sign a text ${about}`, () => assert.equal(judge(lines), false));
}

test("wallets are asked one question at a time", () => {
  const limit = new QuestionLimit(() => 0);

  assert.deepEqual([limit.begin(), limit.begin()], [true, false]);
  limit.end();
  assert.equal(limit.begin(), true);
});

test("wallets are asked few questions in a short time, and again later", () => {
  let now = 0;
  const limit = new QuestionLimit(() => now);
  const ask = () => {
    const isAsked = limit.begin();
    if (isAsked) limit.end();
    return isAsked;
  };

  assert.deepEqual(Array.from({ length: 8 }, ask), [true, true, true, true, true, true, false, false]);
  now = 10_000;
  assert.equal(ask(), true);
});
