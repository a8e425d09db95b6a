import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Problem } from "../../static/widget/api.js";
import { poll } from "../../static/widget/poll.js";

/** A document whose tab can be hidden. */
class FakeDocument extends EventTarget {
  hidden = false;

  /** @param {boolean} isHidden */
  hide(isHidden) {
    this.hidden = isHidden;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** @type {FakeDocument} */
let page;
/** @type {(() => Promise<void>) | null} what the next call does, once */
let answer = null;
let calls = 0;

const action = async () => {
  calls += 1;
  const now = answer;
  answer = null;
  await now?.();
};

/** @param {Error} problem */
const fail = (problem) => async () => {
  throw problem;
};

beforeEach((context) => {
  page = new FakeDocument();
  Object.assign(globalThis, { document: page });
  calls = 0;
  /** @type {import("node:test").TestContext} */ (context).mock.timers.enable({ apis: ["setTimeout", "Date"] });
});

/**
 * Let time pass and return how many calls it brought.
 * @param {import("node:test").TestContext} context
 * @param {number} seconds
 */
async function pass(context, seconds) {
  const before = calls;
  for (let second = 0; second < seconds; second += 1) {
    context.mock.timers.tick(1000);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
  return calls - before;
}

test("the action is called once in every interval", async (context) => {
  poll(action, 30);

  assert.equal(await pass(context, 29), 0);
  assert.equal(await pass(context, 1), 1);
  assert.equal(await pass(context, 60), 2);
});

test("now() does not wait", async (context) => {
  poll(action, 30).now();

  assert.equal(await pass(context, 1), 1);
});

test("each failure doubles the pause, up to ten minutes, and a success ends that", async (context) => {
  poll(action, 30);
  for (const pause of [30, 60, 120, 240, 480, 600, 600]) {
    answer = fail(new Error("away"));
    assert.equal(await pass(context, pause - 1), 0, `before ${pause}`);
    assert.equal(await pass(context, 1), 1, `after ${pause}`);
  }

  assert.equal(await pass(context, 600), 1);
  assert.equal(await pass(context, 30), 1);
});

test("a Problem's Retry-After is kept to", async (context) => {
  poll(action, 30);
  answer = async () => {
    throw new Problem("rate_limit_key", { retryAfter: 300 }); // counts from now on
  };

  assert.equal(await pass(context, 30), 1);
  assert.equal(await pass(context, 299), 0);
  assert.equal(await pass(context, 1), 1);
});

test("nothing is asked while the tab is hidden, and what is overdue when it is shown", async (context) => {
  poll(action, 30);
  page.hide(true);
  assert.equal(await pass(context, 100), 0);

  page.hide(false);
  assert.equal(await pass(context, 1), 1);
});

test("nothing is asked while nothing is wanted", async (context) => {
  let isWanted = false;
  const { now } = poll(action, 10, () => isWanted);
  assert.equal(await pass(context, 50), 0);

  isWanted = true;
  now();
  assert.equal(await pass(context, 1), 1);
});

test("a call that is under way is not made twice", async (context) => {
  const { now } = poll(action, 10);
  /** @type {PromiseWithResolvers<void>} */
  const { promise, resolve } = Promise.withResolvers();
  answer = () => promise;
  assert.equal(await pass(context, 10), 1);

  now();
  assert.equal(await pass(context, 5), 0);
  resolve();
  assert.equal(await pass(context, 11), 1);
});
