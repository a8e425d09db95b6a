import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Problem } from "../../static/widget/api.js";
import { poll } from "../../static/widget/api.js";

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
/** @type {(() => Promise<unknown>) | null} what the next call does, once */
let answer = null;
let calls = 0;

const action = async () => {
  calls += 1;
  const now = answer;
  answer = null;
  return now?.();
};

/** What a call returns that has found nothing new. */
let same = true;

/** As `action`, which finds nothing new while `same`. */
const findSame = async () => {
  const found = await action();
  return found ?? !same;
};

/** @param {Error} problem */
const fail = (problem) => async () => {
  throw problem;
};

beforeEach((context) => {
  page = new FakeDocument();
  Object.assign(globalThis, { document: page });
  calls = 0;
  same = true;
  /** @type {import("node:test").TestContext} */ (context).mock.method(Math, "random", () => 0);
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

test("each failure doubles the pause, up to ten minutes, and a success ends that", async (context) => {
  poll(action, { seconds: 30 });
  for (const pause of [30, 60, 120, 240, 480, 600, 600]) {
    answer = fail(new Error("away"));
    assert.equal(await pass(context, pause - 1), 0, `before ${pause}`);
    assert.equal(await pass(context, 1), 1, `after ${pause}`);
  }

  assert.equal(await pass(context, 600), 1);
  assert.equal(await pass(context, 30), 1);
});

test("a Problem's Retry-After is kept to", async (context) => {
  poll(action, { seconds: 30 });
  answer = async () => {
    throw new Problem("rate_limit_key", { retryAfter: 300 }); // counts from now on
  };

  assert.equal(await pass(context, 30), 1);
  assert.equal(await pass(context, 299), 0);
  assert.equal(await pass(context, 1), 1);
});

test("nothing is asked while the tab is hidden, and what is overdue when it is shown", async (context) => {
  poll(action, { seconds: 30 });
  page.hide(true);
  assert.equal(await pass(context, 100), 0);

  page.hide(false);
  assert.equal(await pass(context, 1), 1);
});

test("nothing is asked while nothing is wanted, but it may be wanted later", async (context) => {
  let isWanted = false;
  const { now } = poll(action, { seconds: 10, isWanted: () => isWanted });
  now();
  assert.equal(await pass(context, 55), 0);

  isWanted = true;
  assert.equal(await pass(context, 10), 1);
});

test("a call that is under way is not made twice, and asked for meanwhile it is made again", async (context) => {
  const { now } = poll(action, { seconds: 10 });
  /** @type {PromiseWithResolvers<void>} */
  const { promise, resolve } = Promise.withResolvers();
  answer = () => promise;
  assert.equal(await pass(context, 10), 1);

  now();
  now();
  assert.equal(await pass(context, 5), 0);
  resolve();
  assert.equal(await pass(context, 2), 1); // the first may have been answered from before
  assert.equal(await pass(context, 10), 1);
});

const SLOW = { seconds: 32, slowest: 324 };
const PAUSES = [32, 48, 72, 108, 162, 243, 324, 324]; // while nothing changes
const TO_SLOWEST = 665; // the sum of all but the last two

test("pauses grow by half up to the slowest while nothing changes", async (context) => {
  poll(findSame, SLOW);
  for (const pause of PAUSES) {
    assert.equal(await pass(context, pause - 1), 0, `before ${pause}`);
    assert.equal(await pass(context, 1), 1, `after ${pause}`);
  }

  same = false;
  assert.equal(await pass(context, 324), 1);
  assert.equal(await pass(context, 64), 2); // what changes is looked at more often
});

test("now() makes the pauses short again", async (context) => {
  const { now } = poll(findSame, SLOW);
  await pass(context, TO_SLOWEST);

  now();
  assert.equal(await pass(context, 1), 1);
  assert.equal(await pass(context, 32), 1); // what is waited for may be there by then
  assert.equal(await pass(context, 48), 1);
});

test("Retry-After is kept to, also when something asks for a call at once", async (context) => {
  const { now } = poll(findSame, SLOW);
  answer = async () => {
    throw new Problem("rate_limit_key", { retryAfter: 300 });
  };
  await pass(context, 32);

  now();
  page.hide(true);
  page.hide(false);
  assert.equal(await pass(context, 299), 0);
  assert.equal(await pass(context, 2), 1);
});

test("a tab that is shown again asks when the last answer is older than the shortest pause", async (context) => {
  poll(findSame, SLOW);
  await pass(context, TO_SLOWEST);
  const [young, old] = [10, 40];
  for (const [hidden, expected] of [[young, 0], [old, 1]]) {
    page.hide(true);
    await pass(context, hidden);
    page.hide(false);
    assert.equal(await pass(context, 1), expected, `after ${hidden}`);
  }
});

test("visitors who came at the same moment do not ask at the same moment", async (context) => {
  context.mock.method(Math, "random", () => 1);
  poll(findSame, SLOW);

  assert.equal(await pass(context, 28), 0);
  assert.equal(await pass(context, 1), 1); // a tenth earlier, at most
  answer = async () => {
    throw new Problem("rate_limit_key", { retryAfter: 300 });
  };
  assert.equal(await pass(context, 44), 1);
  assert.equal(await pass(context, 300), 0); // and later than Retry-After, never earlier
  assert.equal(await pass(context, 4), 1);
});
