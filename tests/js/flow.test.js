import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

import { Problem } from "../../static/widget/api.js";
import { Flow } from "../../static/widget/flow.js";

const NONCE = { nonceId: "i", message: "Please sign" };
const RECEIPT = { submissionId: "s", status: "pending" };

/** A view that notes what it shows, and through which the visitor acts. */
class FakeView {
  /** @type {string[]} */
  shown = [];
  step = "";
  isHidden = true;
  isWaiting = false;
  canRetry = false;
  /** @type {any} */
  visitor = null;

  /** @param {object} handlers */
  listen(handlers) {
    this.visitor = handlers;
  }

  /** @param {string} step */
  showStep(step) {
    this.step = step;
    this.shown.push(step);
  }

  showNickname() {
    this.showStep("nickname");
  }

  showText() {
    this.showStep("confirm");
  }

  showDone() {
    this.showStep("done");
  }

  /** @param {string} sentence */
  startWaiting(sentence) {
    this.isWaiting = true;
    this.shown.push(sentence);
  }

  stopWaiting() {
    this.isWaiting = false;
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean }} options
   */
  showProblem(problem, { canRetry }) {
    this.canRetry = canRetry;
    this.shown.push(problem.code);
  }
}

/** Answers that a test gives when it likes: each call waits for its own. */
class Pending {
  /** @type {{ args: any[], resolve: (value: any) => void, reject: (error: Error) => void }[]} */
  calls = [];

  /** @param {any[]} args */
  call = (...args) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    this.calls.push({ args, resolve, reject });
    return promise;
  };
}

/** @type {FakeView} */
let view;
let nonces = new Pending();
let submissions = new Pending();
let signatures = new Pending();
/** @type {object[]} */
let results = [];
/** @type {Flow} */
let flow;

const wallet = {
  connect: async () => ({ address: "w", sign: signatures.call }),
};

beforeEach(() => {
  view = new FakeView();
  [nonces, submissions, signatures] = [new Pending(), new Pending(), new Pending()];
  results = [];
  flow = new Flow(/** @type {any} */ (view), {
    service: { createNonce: nonces.call, submit: submissions.call },
    on: { close: () => {}, done: (result) => results.push(result) },
  });
  flow.start();
});

async function enterNickname() {
  view.visitor.choose(wallet);
  await nextTurn();
  view.visitor.enterNickname("Nick");
  await nextTurn();
}

async function showText() {
  await enterNickname();
  nonces.calls[0].resolve(NONCE);
  await nextTurn();
}

async function send() {
  await showText();
  view.visitor.sign();
  signatures.calls[0].resolve("signature");
  await nextTurn();
}

test("the steps lead from a wallet to a submission", async () => {
  await send();
  submissions.calls[0].resolve(RECEIPT);
  await nextTurn();

  assert.deepEqual(view.shown,
    ["choose", "connecting", "nickname", "preparing", "confirm", "signing", "sending", "done"]);
  assert.deepEqual(submissions.calls[0].args,
    [{ walletAddress: "w", nickname: "Nick", nonceId: "i", signature: "signature" }]);
  assert.deepEqual(results, [{ address: "w", ...RECEIPT }]);
  assert.equal(view.isWaiting, false);
});

test("leaving a step aborts the request for a text, and its answer shows nothing", async () => {
  await enterNickname();
  const [{ args: [address, signal], resolve }] = nonces.calls;
  assert.equal(address, "w");
  assert.equal(signal.aborted, false);

  view.visitor.back();
  resolve(NONCE);
  await nextTurn();

  assert.equal(signal.aborted, true);
  assert.equal(view.step, "choose");
  assert.equal(view.isWaiting, false);
});

test("closing aborts, too, and the next attempt has a signal of its own", async () => {
  await enterNickname();
  flow.close();
  view.visitor.enterNickname("Nick");
  await nextTurn();

  assert.deepEqual(nonces.calls.map(({ args: [, signal] }) => signal.aborted), [true, false]);
});

test("a wallet that answers after the visitor has left sends nothing", async () => {
  await showText();
  view.visitor.sign();
  view.visitor.back();
  signatures.calls[0].resolve("signature");
  await nextTurn();

  assert.equal(view.step, "nickname");
  assert.deepEqual(submissions.calls, []);
});

test("a wallet that refuses after the visitor has left says nothing", async () => {
  await showText();
  view.visitor.sign();
  view.visitor.back();
  signatures.calls[0].reject(new Problem("wallet_rejected"));
  await nextTurn();

  assert.equal(view.shown.at(-1), "nickname");
});

test("a submission is not aborted, only no longer waited for", async () => {
  await send();
  view.visitor.back();
  assert.equal(submissions.calls[0].args.length, 1, "no signal goes with it");
  submissions.calls[0].resolve(RECEIPT);
  await nextTurn();

  assert.equal(view.step, "nickname");
  assert.deepEqual(results, []);
});

test("the end of a step that was left does not end the waiting for another", async () => {
  await send();
  view.visitor.back();
  view.visitor.enterNickname("Other");
  await nextTurn();
  submissions.calls[0].resolve(RECEIPT);
  await nextTurn();

  assert.equal(view.isWaiting, true);
});

test("a text that has run out is replaced, and explained", async () => {
  await send();
  submissions.calls[0].reject(new Problem("invalid_nonce"));
  await nextTurn();
  nonces.calls[1].resolve({ ...NONCE, nonceId: "fresh" });
  await nextTurn();

  assert.deepEqual(view.shown.slice(-2), ["confirm", "invalid_nonce"]);
  assert.equal(flow.nonce.nonceId, "fresh");
  assert.equal(view.canRetry, false);
});

test("a visitor who leaves while the text is replaced is not called back", async () => {
  await send();
  submissions.calls[0].reject(new Problem("nonce_binding_mismatch"));
  await nextTurn();
  view.visitor.back();
  const [, { args: [, signal], resolve }] = nonces.calls;
  resolve(NONCE);
  await nextTurn();

  assert.equal(signal.aborted, true);
  assert.equal(view.step, "nickname");
});

for (const [code, steps, canRetry] of /** @type {[string, string[], boolean][]} */ ([
  ["invalid_nickname_chars", ["sending", "nickname"], false],
  ["invalid_wallet_address", ["sending", "choose"], false],
  ["invalid_signature", ["signing", "sending"], true],
  ["queue_full", ["signing", "sending"], true],
])) {
  test(`after ${code} the visitor is where it can be mended`, async () => {
    await send();
    submissions.calls[0].reject(new Problem(code));
    await nextTurn();

    assert.deepEqual(view.shown.slice(-3), [...steps, code]);
    assert.equal(view.canRetry, canRetry);
  });
}

test("a retry sends the same signature again", async () => {
  await send();
  submissions.calls[0].reject(new Problem("queue_full"));
  await nextTurn();
  view.visitor.retry();
  await nextTurn();

  assert.deepEqual(submissions.calls[1].args, submissions.calls[0].args);
  assert.equal(signatures.calls.length, 1);
});

test("a bug is told as a failure of the server's, and kept in the console", async (context) => {
  const { mock } = context.mock.method(console, "error", () => {});
  await enterNickname();
  nonces.calls[0].reject(new TypeError("bug"));
  await nextTurn();

  assert.equal(view.shown.at(-1), "server");
  assert.equal(mock.callCount(), 1);
});
