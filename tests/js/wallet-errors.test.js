import assert from "node:assert/strict";
import { test } from "node:test";

import * as wallets from "@wallet-standard/errors";

import { Problem } from "../../static/widget/api.js";
import { ask, explainThrown } from "../../static/widget/wallet-errors.js";

const { WALLET_STANDARD_ERROR__USER__REQUEST_REJECTED: REQUEST_REJECTED, WalletStandardError } = wallets;

/** @param {() => Error} make */
function inProduction(make) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

const rejected = inProduction(() => new WalletStandardError(REQUEST_REJECTED));
const unimplemented = inProduction(
  () => new WalletStandardError(wallets.WALLET_STANDARD_ERROR__FEATURES__WALLET_FEATURE_UNIMPLEMENTED, {
    featureName: "solana:signMessage", supportedChains: [], supportedFeatures: [], walletName: "W",
  }),
);
/** @type {any} */
const endless = new Error("Something");
endless.cause = endless;
const unreadable = { get message() { throw new Error("no"); } };

test("the official error of a production build names only its code", () => {
  assert.match(rejected.message, /#4001000;/);
  assert.doesNotMatch(rejected.message, /reject/i);
});

for (const [what, thrown] of /** @type {[string, unknown][]} */ ([
  ["the official error of a production build", rejected],
  ["the official error after a message between windows", new Error(rejected.message)],
  ["the official error as a cause", new Error("Unexpected", { cause: rejected })],
  ["an error within a wallet adapter's", Object.assign(new Error(""), { error: { code: 4001 } })],
  ["EIP-1193's code", { code: 4001, message: "No." }],
  ["EIP-1193's code as a text", { code: "4001" }],
  ["an AbortError", new DOMException("signal is aborted", "AbortError")],
  ["an AbortError about characters", new DOMException("while encoding", "AbortError")],
  ["the official code alone", { context: { __code: 4001000 } }],
  ["a text", "User rejected the request."],
  ["a text alone", "cancelled"],
  ["an internal error with a text that says it", { code: -32603, message: "User denied message signature" }],
  ["a visitor's \"no\" to a way that is not supported", "User rejected the request (unsupported)"],
  ["a name alone", { name: "WalletWindowClosedError" }],
  ["a device that declined", { statusCode: 0x6985, message: "Condition of use not satisfied (denied by the user?)" }],
])) {
  test(`${what} is the visitor's "no"`, () => {
    assert.equal(explainThrown(thrown).code, "wallet_rejected");
  });
}

for (const [what, thrown] of /** @type {[string, unknown][]} */ ([
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["an empty text", ""],
  ["an internal error", { code: -32603, message: "Internal error" }],
  ["an unauthorised account", { code: 4100, message: "Unauthorized" }],
  ["another official error", unimplemented],
  ["a wallet that rejects characters", new Error("Message rejected: only ASCII characters")],
  ["a message that is no text", { message: { reason: 1 } }],
  ["an error that is its own cause", endless],
  ["an error that cannot be read", unreadable],
])) {
  test(`${what} is a failure, not a "no"`, () => {
    assert.equal(explainThrown(thrown).code, "wallet_failed");
  });
}

test("a question that is open already is told apart", () => {
  assert.equal(explainThrown({ code: -32002, message: "already pending" }).code, "wallet_busy");
});

test("a call that throws at once, or later, ends in a Problem", async () => {
  await assert.rejects(ask(() => { throw "User rejected"; }), { code: "wallet_rejected" });
  await assert.rejects(ask(() => Promise.reject(new TypeError("x"))), { code: "wallet_failed" });
  const known = new Problem("wallet_no_account");
  await assert.rejects(ask(() => { throw known; }), (error) => error === known);
});
