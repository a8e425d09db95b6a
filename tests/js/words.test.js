import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../static/widget/api.js";

const { explain, formatAmount, formatDuration, say } = await import("../../static/widget/words.js");

test("placeholders are filled in, and left empty where nothing is known", () => {
  assert.equal(say("keeps_for", { host: "$1", site: "https://a.example" }), "$1 keeps this for https://a.example");
  assert.equal(say("keeps_for"), " keeps this for ");
  assert.equal(say("no such sentence"), "Something went wrong.");
});

for (const [amount, text] of /** @type {[string | number, string][]} */ ([
  [0, "0"],
  [10000, "10,000"],
  ["1500", "1,500"],
  ["0.0000001", "0"],
  ["1.5e+21", "1,500,000,000,000,000,000,000"],
  ["18446744073709551615", "18,446,744,073,709,551,615"],
  ["18446744073.709551615", "18,446,744,073.709552"],
  ["0.0000005", "0"], // half to even, as Python rounds
  ["0.0000015", "0.000002"],
])) {
  test(`${amount} is shown as ${text}`, () => {
    assert.equal(formatAmount(amount), text);
  });
}

for (const [seconds, text] of /** @type {[number, string][]} */ ([
  [-1, "a moment"],
  [0, "a moment"],
  [0.2, "1 second"],
  [60, "1 minute"],
  [5400, "1 hour 30 minutes"],
  [86400 + 59, "1 day"],
  [2 * 86400 + 3600, "2 days 1 hour"],
])) {
  test(`${seconds} seconds are shown as ${text}`, () => {
    assert.equal(formatDuration(seconds), text);
  });
}

test("a refusal by the minimum balance shows both amounts exactly", () => {
  const details = { balance: "0.000001", minBalance: "18446744073709551615" };

  assert.equal(
    explain(new Problem("ca_gate_failed", { details })),
    "at least 18,446,744,073,709,551,615 tokens; this wallet holds 0.000001",
  );
});

test("a refusal for a time shows what is left of it", (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const problem = new Problem("cooldown_active", { retryAfter: 90 });

  context.mock.timers.tick(30_000);
  assert.equal(explain(problem), "again in 1 minute");
});
