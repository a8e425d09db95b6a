import assert from "node:assert/strict";
import { test } from "node:test";

import { compareAmounts, normalizeAmount, parseResponse } from "../../static/widget/api.js";

const MOST = "18446744073.709551615";

for (const [text, amount] of [
  ["0", "0"],
  ["0.0", "0"],
  ["0E-9", "0"],
  ["1500", "1500"],
  ["1500.0", "1500"],
  ["1.5e3", "1500"],
  ["1.5E+3", "1500"],
  ["1e20", "100000000000000000000"],
  ["100e-2", "1"],
  ["1E-7", "0.0000001"],
  ["12.345e-3", "0.012345"],
  ["12.345e1", "123.45"],
  [MOST, MOST],
]) {
  test(`${text} is written ${amount}`, () => {
    assert.equal(normalizeAmount(text), amount);
  });
}

for (const text of ["", "-1", "1,5", "NaN", "1e", ".5", "0x10"]) {
  test(`${JSON.stringify(text)} is no amount`, () => {
    assert.throws(() => normalizeAmount(text), TypeError);
  });
}

test("amounts are in order where numbers are not", () => {
  const sorted = ["0", "1e-9", "1E-7", "0.045", "0.45", "0.5", "2", "10", "1500", "18446744073.709551614",
    MOST, "18446744073.70955162"].map(normalizeAmount);

  assert.equal(Number(sorted.at(-2)), Number(sorted.at(-3)));
  assert.deepEqual(sorted.toReversed().sort(compareAmounts), sorted);
  assert.equal(compareAmounts(MOST, MOST), 0);
});

test("an answer keeps every digit of its amounts", () => {
  const text = `{"wallets": [{"tokenBalance": ${MOST}}], "balance": 1E-7, "minBalance": 1500.0}`;

  assert.deepEqual(parseResponse(text), {
    wallets: [{ tokenBalance: MOST }],
    balance: "0.0000001",
    minBalance: "1500",
  });
});

test("an answer keeps every digit and the sign of its changes", () => {
  const text = `{"changeDay": -${MOST}, "changeWeek": 1E-7, "changeLine": 0, "balance": null}`;

  assert.deepEqual(parseResponse(text), {
    changeDay: `-${MOST}`,
    changeWeek: "0.0000001",
    changeLine: "0",
    balance: null,
  });
});

test("an answer's other values stay what they are", () => {
  assert.deepEqual(parseResponse('{"count": 1.50, "tokenBalance": null, "a": ["balance"]}'), {
    count: 1.5,
    tokenBalance: null,
    a: ["balance"],
  });
});

test("without the source of a number, the number itself is used", (context) => {
  const { parse } = JSON;
  context.mock.method(JSON, "parse", (/** @type {string} */ text, /** @type {Function} */ revive) =>
    parse(text, (key, value) => revive(key, value)));

  assert.deepEqual(parseResponse('{"tokenBalance": 1E-7}'), { tokenBalance: "0.0000001" });
});
