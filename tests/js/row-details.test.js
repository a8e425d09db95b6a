import "./page.js";

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { RowDetails } from "../../static/widget/row-details.js";

/** @import { WalletChange } from "../../static/widget/api.js" */
/** @import { Shown } from "../../static/widget/row-details.js" */

/** @param {string} changeDay @returns {WalletChange} */
const makeChange = (changeDay) =>
  ({ changeDay, changeWeek: null, changeLine: changeDay, lineSeconds: 60, linePath: "M0 0" });

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A list, and a service that counts how often it is asked. */
class Page {
  /** @param {number} count */
  constructor(count) {
    /** @type {Shown[]} */
    this.shown = Array.from({ length: count }, (_, index) => makeShown(`id${index}`, "1"));
    /** @type {RowDetails<WalletChange> | null} */
    this.details = null;
    /** @type {string[][]} */
    this.asked = [];
    /** @type {Map<HTMLElement, string | null | undefined>} */
    this.texts = new Map();
    /** @type {Set<HTMLElement>} */
    this.far = new Set();
    this.isAway = false;
    /** @type {Record<string, WalletChange>} */
    this.changes = Object.fromEntries(this.shown.map(({ wallet }) => [wallet.id, makeChange("5")]));
  }

  /** @param {{ isCheap?: boolean }} [options] */
  start(options = {}) {
    const changes = new RowDetails({
      ...options,
      list: this,
      read: async (ids) => {
        const answer = this.changes;
        this.asked.push(ids);
        if (this.isAway) throw new Error("away");
        return answer;
      },
      show: (row, change) => this.texts.set(row, change?.changeDay),
      isNear: (row) => !this.far.has(row),
    });
    this.details = changes;
    changes.update();
    return changes;
  }

  render() {
    this.details?.update();
  }

  get shownTexts() {
    return this.shown.map(({ row }) => this.texts.get(row));
  }
}

/**
 * @param {string} id
 * @param {string} tokenBalance
 * @returns {Shown}
 */
const makeShown = (id, tokenBalance) => ({
  wallet: { id, tokenBalance, address: id, publicAlias: null, tags: [] },
  row: /** @type {HTMLElement} */ ({}),
});

let now = 0;
beforeEach((context) => {
  now = 1_000_000;
  if ("mock" in context) context.mock.method(Date, "now", () => now);
});

test("the shown wallets are asked for once", async () => {
  const page = new Page(3);
  page.start();
  await settled();
  page.render();
  await settled();

  assert.deepEqual(page.asked, [["id0", "id1", "id2"]]);
  assert.deepEqual(page.shownTexts, ["5", "5", "5"]);
});

test("more than a hundred are asked for in parts", async () => {
  const page = new Page(250);
  page.start();
  await settled();

  assert.deepEqual(page.asked.map((ids) => ids.length), [100, 100, 50]);
});

test("rows far from the screen are asked for when they come near", async () => {
  const page = new Page(3);
  page.far.add(page.shown[0].row).add(page.shown[2].row);
  const changes = page.start();
  await settled();
  assert.deepEqual(page.asked, [["id1"]]);
  page.far.delete(page.shown[2].row);
  await changes.update();

  assert.deepEqual(page.asked, [["id1"], ["id2"]]);
});

test("what is cheap is also asked for the rows that follow", async () => {
  const page = new Page(250);
  for (const [index, { row }] of page.shown.entries()) if (index !== 5) page.far.add(row);
  page.start({ isCheap: true });
  await settled();

  assert.deepEqual(page.asked, [page.shown.slice(5, 105).map(({ wallet }) => wallet.id)]);
});

test("what the document says is shown and not asked for", async () => {
  const page = new Page(3);
  const details = page.start();
  await settled();
  page.asked.length = 0;
  page.shown = [makeShown("a", "1"), makeShown("b", "1")];
  details.learn(page.shown[0].wallet, makeChange("9"));
  details.learn(page.shown[1].wallet, undefined);
  page.render();
  await settled();

  assert.deepEqual(page.asked, []);
  assert.deepEqual(page.shownTexts, ["9", undefined]);
});

test("another balance has another change", async () => {
  const page = new Page(1);
  page.start();
  await settled();
  page.shown = [makeShown("id0", "2")];
  page.changes = { id0: makeChange("-7") };
  page.render();
  await settled();

  assert.equal(page.asked.length, 2);
  assert.deepEqual(page.shownTexts, ["-7"]);
});

test("changes are asked for again after ten minutes", async () => {
  const page = new Page(1);
  const changes = page.start();
  await settled();
  now += 599_000;
  await changes.update();
  assert.equal(page.asked.length, 1);
  now += 2_000;
  await changes.update();

  assert.equal(page.asked.length, 2);
});

test("an answer from before a change is shown, and asked for again", async () => {
  const page = new Page(1);
  const changes = page.start();
  page.changes = { id0: makeChange("9") };
  changes.expire();
  await settled();

  assert.equal(page.asked.length, 2);
  assert.deepEqual(page.shownTexts, ["9"]);
});

test("after a failure there is a pause, and what is known stays", async () => {
  const page = new Page(1);
  const changes = page.start();
  await settled();
  page.isAway = true;
  now += 601_000;
  for (let tries = 0; tries < 5; tries += 1) await changes.update();
  assert.equal(page.asked.length, 2);
  assert.deepEqual(page.shownTexts, ["5"]);
  page.isAway = false;
  now += 61_000;
  await changes.update();

  assert.equal(page.asked.length, 3);
});
