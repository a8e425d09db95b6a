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
  minimum = "";
  isWaiting = false;
  canRetry = false;
  /** @type {object} */
  details = {};
  /** @type {object} */
  result = {};
  /** @type {any} */
  visitor = null; // what the view calls for what the visitor does
  /** @type {object[]} */
  accounts = [];

  /** @param {Flow} flow */
  listen(flow) {
    this.visitor = flow;
  }

  /** @param {string} step */
  showStep(step) {
    this.step = step;
    this.shown.push(step);
  }

  /** @param {object[]} accounts */
  showAccounts(accounts) {
    this.accounts = accounts;
    this.showStep("account");
  }

  /** @param {string} purpose */
  showPurpose(purpose) {
    this.purpose = purpose;
  }

  showNickname() {
    this.showStep("nickname");
  }

  showText() {
    this.showStep("confirm");
  }

  /**
   * @param {string} _
   * @param {object} result
   */
  showDone(_, result) {
    this.result = result;
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
    this.details = problem.details;
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
/** @type {((problem: Problem) => void)[]} */
let losses = []; // what accounts call when they are lost
/** @type {Flow} */
let flow;

const wallet = {
  connect: async () => ({ address: "w", sign: signatures.call }),
};

beforeEach(() => {
  view = new FakeView();
  [nonces, submissions, signatures] = [new Pending(), new Pending(), new Pending()];
  results = [];
  losses = [];
  const surroundings = { close: () => {}, finish: () => results.push(view.result) };
  flow = new Flow(/** @type {any} */ (view), makePurpose("add"), surroundings);
  flow.start();
});

/** @param {import("../../static/widget/flow-setup.js").PurposeName} name */
const makePurpose = (name) => ({ name, createNonce: nonces.call, submit: submissions.call });

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
  assert.deepEqual(results, [{ address: "w", nickname: "Nick", ...RECEIPT }]);
  assert.equal(view.isWaiting, false);
});

test("leaving a step aborts the request for a text, and its answer shows nothing", async () => {
  await enterNickname();
  const [{ args: [address, nickname, signal], resolve }] = nonces.calls;
  assert.deepEqual([address, nickname], ["w", "Nick"]);
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

  assert.deepEqual(nonces.calls.map(({ args: [, , signal] }) => signal.aborted), [true, false]);
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

test("a submission is not aborted, only no longer waited for", async () => {
  await send();
  view.visitor.back();
  assert.equal(submissions.calls[0].args.length, 1, "no signal goes with it");
  submissions.calls[0].resolve(RECEIPT);
  await nextTurn();

  assert.equal(view.step, "nickname");
  assert.deepEqual(results, []);
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

for (const [purpose, minutes, last] of /** @type {const} */ ([
  ["add", 10, ["refused", "duplicate"]],
  ["add", -1, ["confirm", "invalid_nonce"]],
  ["withdraw", 10, ["confirm", "invalid_nonce_nameless"]],
])) {
  test(`a used text of ${minutes} minutes ends at ${last[0]} for ${purpose}, as its answer was lost`, async () => {
    const [issued, end] = [0, minutes * 60_000].map((ms) => new Date(ms).toISOString());
    flow.start(makePurpose(purpose));
    await view.visitor.enterAddress("w");
    if (purpose === "add") await view.visitor.enterNickname("Nick");
    nonces.calls[0].resolve({ ...NONCE, message: `Issued at: ${issued}\nValid until: ${end}` });
    await nextTurn();
    view.visitor.enterSignature("signature");
    submissions.calls[0].reject(new Problem("offline"));
    await nextTurn();
    view.visitor.retry();
    submissions.calls[1].reject(new Problem("invalid_nonce"));
    await nextTurn();
    nonces.calls[1].resolve(NONCE);
    await nextTurn();

    assert.deepEqual(view.shown.slice(-2), last);
    assert.equal(view.canRetry, false);
  });
}

test("a wallet that is there already needs no new text", async () => {
  await send();
  submissions.calls[0].reject(new Problem("invalid_nonce"));
  await nextTurn();
  nonces.calls[1].reject(new Problem("duplicate"));
  await nextTurn();

  assert.deepEqual(view.shown.slice(-2), ["refused", "duplicate"]);
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

test("a signature made by hand that does not fit is not sent again, and names the wallet it is for", async () => {
  view.visitor.enterAddress("w");
  view.visitor.enterNickname("Nick");
  nonces.calls[0].resolve(NONCE);
  await nextTurn();
  view.visitor.enterSignature("signature");
  submissions.calls[0].reject(new Problem("invalid_signature"));
  await nextTurn();

  assert.equal(view.shown.at(-1), "invalid_signature_by_hand");
  assert.deepEqual(view.details, { address: "w" });
  assert.equal(view.step, "confirm");
  assert.equal(view.canRetry, false);
});

test("a retry sends the same signature again", async () => {
  await send();
  submissions.calls[0].reject(new Problem("queue_full"));
  await nextTurn();
  view.visitor.retry();
  await nextTurn();

  assert.deepEqual(submissions.calls[1].args, submissions.calls[0].args);
  assert.equal(signatures.calls.length, 1);
});

// Wallets that change, fail or never answer

/** @param {string} address */
const watched = (address) => ({
  address,
  sign: signatures.call,
  watch: (/** @type {(problem: Problem) => void} */ onLost) => {
    losses.push(onLost);
    return () => { losses = losses.filter((one) => one !== onLost); };
  },
});

test("one of several accounts is chosen by the visitor", async () => {
  const accounts = [watched("a"), watched("b")];
  view.visitor.choose({ connect: async () => accounts });
  await nextTurn();
  assert.equal(view.step, "account");
  assert.deepEqual(view.accounts, accounts);

  view.visitor.chooseAccount(accounts[1]);
  assert.equal(view.step, "nickname");
  view.visitor.enterNickname("Nick");
  assert.equal(nonces.calls[0].args[0], "b");
});

test("a wallet that never answers can be cancelled, and its late answer shows nothing", async () => {
  const connects = new Pending();
  view.visitor.choose({ connect: connects.call });
  view.visitor.cancel();
  assert.equal(view.isWaiting, false);
  connects.calls[0].resolve(watched("a"));
  await nextTurn();

  assert.equal(view.step, "choose");
  assert.deepEqual(losses, []);
});

test("another wallet can be chosen while one does not answer", async () => {
  const [first, second] = [new Pending(), new Pending()];
  view.visitor.choose({ connect: first.call });
  view.visitor.choose({ connect: second.call });
  second.calls[0].resolve(watched("b"));
  await nextTurn();
  first.calls[0].resolve(watched("a"));
  await nextTurn();

  assert.equal(flow.account.address, "b");
});

test("a wallet pressed twice is asked once", () => {
  const connects = new Pending();
  const impatient = { connect: connects.call };
  view.visitor.choose(impatient);
  view.visitor.choose(impatient);
  assert.equal(connects.calls.length, 1);

  view.visitor.cancel();
  view.visitor.choose(impatient);
  assert.equal(connects.calls.length, 2);
});

test("an address typed while a wallet is asked is not replaced by the wallet's", async () => {
  const connects = new Pending();
  view.visitor.choose({ connect: connects.call });
  view.visitor.enterAddress("typed");
  connects.calls[0].resolve(watched("a"));
  await nextTurn();

  assert.equal(flow.account.address, "typed");
  assert.equal(view.isWaiting, false);
});

for (const code of ["wallet_account_changed", "wallet_disconnected"]) {
  for (const step of ["nickname", "confirm", "signing"]) {
    test(`after ${code} at ${step} the wallet can be connected again, to its account of now`, async () => {
      let address = "old";
      view.visitor.choose({ connect: async () => watched(address) });
      await nextTurn();
      if (step !== "nickname") {
        view.visitor.enterNickname("Nick");
        nonces.calls[0].resolve(NONCE);
        await nextTurn();
      }
      if (step === "signing") view.visitor.sign();

      losses[0](new Problem(code));
      assert.deepEqual([view.step, view.shown.at(-1), view.canRetry], ["choose", code, true]);
      assert.equal(view.isWaiting, false);
      assert.deepEqual(losses, [], "the old account is no longer watched");

      address = "new";
      view.visitor.retry();
      await nextTurn();
      signatures.calls[0]?.resolve("late");
      await nextTurn();
      assert.equal(view.step, "nickname");
      assert.equal(flow.account.address, "new");
      assert.deepEqual(submissions.calls, []);
    });
  }
}

test("what is being sent stays true, although the account changes", async () => {
  view.visitor.choose({ connect: async () => watched("a") });
  await nextTurn();
  view.visitor.enterNickname("Nick");
  nonces.calls[0].resolve(NONCE);
  await nextTurn();
  view.visitor.sign();
  signatures.calls[0].resolve("signature");
  await nextTurn();
  losses[0](new Problem("wallet_account_changed"));
  submissions.calls[0].resolve(RECEIPT);
  await nextTurn();

  assert.equal(view.step, "done");
  assert.deepEqual(results, [{ address: "a", nickname: "Nick", ...RECEIPT }]);
  assert.deepEqual(losses, []);
});

test("the visitor is told before the wallet is asked in another way, unless they have left", async () => {
  await showText();
  view.visitor.sign();
  const [, { onNextWay, signal }] = signatures.calls[0].args;
  onNextWay();
  assert.equal(view.shown.at(-1), "signing_again");

  view.visitor.cancel();
  onNextWay();
  assert.equal(signal.aborted, true);
  assert.equal(view.isWaiting, false);
});

for (const [message, code, told] of [
  ["Name: Žofie", "wallet_failed", "wallet_needs_latin"],
  ["Name: Zofie\n", "wallet_failed", "wallet_failed"],
  ["Name: Žofie", "wallet_rejected", "wallet_rejected"],
]) {
  test(`${code} at ${JSON.stringify(message)} is told as ${told}, and the name can be changed`, async () => {
    await enterNickname();
    nonces.calls[0].resolve({ ...NONCE, message });
    await nextTurn();
    view.visitor.sign();
    signatures.calls[0].reject(new Problem(code));
    await nextTurn();
    assert.deepEqual([view.shown.at(-1), view.canRetry], [told, true]);

    view.visitor.back();
    assert.equal(view.step, "nickname");
  });
}

for (const thrown of [new TypeError("bug"), "User rejected", undefined]) {
  test(`whatever a wallet throws (${String(thrown)}), the server is not blamed`, async () => {
    const code = thrown === "User rejected" ? "wallet_rejected" : "wallet_failed";
    view.visitor.choose({ connect: () => { throw thrown; } });
    await nextTurn();
    assert.equal(view.shown.at(-1), code);

    await showText();
    view.visitor.sign();
    signatures.calls[0].reject(/** @type {any} */ (thrown));
    await nextTurn();
    assert.equal(view.shown.at(-1), code);
  });
}

test("a bug is told as a failure of the server's, and kept in the console", async (context) => {
  const { mock } = context.mock.method(console, "error", () => {});
  await enterNickname();
  nonces.calls[0].reject(new TypeError("bug"));
  await nextTurn();

  assert.equal(view.shown.at(-1), "server");
  assert.equal(mock.callCount(), 1);
});

test("the rights of a holder need no name, and lead from the wallet to the text", async () => {
  flow.start(makePurpose("show"));
  view.visitor.choose(wallet);
  await nextTurn();
  nonces.calls[0].resolve(NONCE);
  await nextTurn();

  assert.equal(view.step, "confirm");
  assert.ok(!view.shown.includes("nickname"));
  view.visitor.back();
  assert.equal(view.step, "choose");
});

test("the rights of a holder are explained without a name, which nobody was asked for", async () => {
  for (const code of ["window_closed", "wallet_disconnected", "invalid_nonce", "offline"]) {
    for (const [purpose, shown] of [["show", code === "offline" ? code : `${code}_nameless`], ["add", code]]) {
      flow.start(makePurpose(/** @type {any} */ (purpose)));
      flow.fail(new Problem(code));
      assert.equal(view.shown.at(-1), shown);
    }
  }
});

test("an account that was used just now is not chosen again, and another one is", async () => {
  const purpose = makePurpose("withdraw");
  view.visitor.enterAddress("w");
  flow.start(purpose, "w");
  await nextTurn();
  nonces.calls.at(-1)?.resolve(NONCE);
  await nextTurn();
  assert.equal(view.step, "confirm");

  flow.start(purpose, "other");
  assert.equal(view.step, "choose");
});

test("a wallet that holds too little learns so before it is asked for a name", async () => {
  view.minimum = "At least 10.";
  view.visitor.choose(wallet);
  await nextTurn();
  assert.deepEqual(nonces.calls[0].args.slice(0, 2), ["w", ""]);
  nonces.calls[0].reject(new Problem("ca_gate_failed"));
  await nextTurn();

  assert.deepEqual(view.shown, ["choose", "connecting", "checking", "refused", "ca_gate_failed"]);
  view.visitor.retry();
  nonces.calls[1].resolve(NONCE);
  await nextTurn();
  assert.equal(view.step, "nickname");
});

test("a first question that fails keeps nobody from the next step", async () => {
  view.minimum = "At least 10.";
  view.visitor.choose(wallet);
  await nextTurn();
  nonces.calls[0].reject(new Problem("rate_limit_session"));
  await nextTurn();

  assert.equal(view.step, "nickname");
});
