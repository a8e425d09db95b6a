import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  Api, compareAmounts, normalizeAmount, parseResponse, Problem,
} from "../../static/widget/api.js";
import { makeAdding } from "../../static/widget/flow-setup.js";

const api = new Api({ pageId: "page", key: "svc_pub_x" });
const own = { isForgotten: false, add() {}, refresh() {}, find: () => undefined, countCooldown: () => 0 };
const adding = makeAdding(api, /** @type {any} */ (own));
const DRAFT = { walletAddress: "w", nickname: "n", nonceId: "i", signature: "s" };

/**
 * Answer every request with `answer`; return the requests.
 * @param {import("node:test").TestContext} context
 * @param {() => Response | Promise<Response>} answer
 */
function serve(context, answer) {
  /** @type {{ path: string, options: any }[]} */
  const requests = [];
  context.mock.method(globalThis, "fetch", (/** @type {string} */ path, /** @type {any} */ options) => {
    requests.push({ path, options });
    return new Promise((resolve, reject) => {
      options.signal.addEventListener("abort", () => reject(options.signal.reason));
      Promise.resolve(answer()).then(resolve, reject);
    });
  });
  return requests;
}

/** @param {string} code */
const isProblem = (code) => (/** @type {unknown} */ error) => error instanceof Problem && error.code === code;

test("a submission outlives its page, other requests do not", async (context) => {
  const requests = serve(context, () => Response.json({}));

  await adding.submit(DRAFT);
  await adding.createNonce("w", "n");
  await api.readPage();

  assert.deepEqual(requests.map(({ options }) => options.keepalive), [true, false, false]);
  const [submission, nonce] = requests.slice(0, 2).map(({ options }) => JSON.parse(options.body));
  assert.deepEqual(submission, { trackingPageId: "page", ...DRAFT });
  assert.deepEqual(nonce, { trackingPageId: "page", walletAddress: "w", nickname: "n" });
});

test("a nonce that nobody waits for is not asked for any longer", async (context) => {
  const requests = serve(context, () => new Promise(() => {}));
  const controller = new AbortController();
  const asked = adding.createNonce("w", "n", controller.signal);

  controller.abort();

  await assert.rejects(asked, { name: "AbortError" });
  assert.equal(requests[0].options.signal.aborted, true);
});

test("amounts arrive exactly, in lists and in refusals", async (context) => {
  let status = 200;
  serve(context, () =>
    new Response('{"tokenBalance": 18446744073.709551615, "balance": 1E-7}', { status }));
  assert.deepEqual(await api.readPage(), {
    tokenBalance: "18446744073.709551615",
    balance: "0.0000001",
  });

  status = 422;
  await assert.rejects(adding.submit(DRAFT), ({ details }) => details.balance === "0.0000001");
});

test("a refusal has its code, its details and its time", async (context) => {
  context.mock.timers.enable({ apis: ["Date"] });
  const body = { error: "cooldown_active", left: 3 };
  serve(context, () => Response.json(body, { status: 429, headers: { "Retry-After": "90" } }));

  await assert.rejects(adding.submit(DRAFT), ({ code, details, retryAt }) => {
    assert.deepEqual({ code, details, retryAt }, {
      code: "cooldown_active",
      details: { left: 3 },
      retryAt: 90_000,
    });
    return true;
  });
});

for (const [name, answer, code] of /** @type {[string, () => Response, string][]} */ ([
  ["no network", () => { throw new TypeError("away"); }, "offline"],
  ["no JSON", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), "server"],
  ["a bug", () => Response.json({ error: "internal_error" }, { status: 500 }), "server"],
])) {
  test(`${name} is the problem ${code}`, async (context) => {
    serve(context, async () => answer());

    await assert.rejects(api.readPage(), isProblem(code));
  });
}

/** Answers to reads of a page, one after the other. */
const PAGE = { wallets: [{ id: "a" }, { id: "b" }, { id: "c" }] };
const [WHOLE, SAME, FAILED] = [
  () => Response.json(PAGE, { headers: { ETag: 'W/"1"' } }),
  () => new Response(null, { status: 304, headers: { ETag: 'W/"1"' } }),
  () => new Response("cut off", { headers: { ETag: 'W/"2"' } }),
];

test("a page is asked for by the tag of what was read last", async (context) => {
  const answers = [WHOLE, FAILED, SAME];
  const requests = serve(context, () => /** @type {() => Response} */ (answers.shift())());
  const reader = new Api({ pageId: "page", key: "svc_pub_x" });

  assert.deepEqual(await reader.readPage(), PAGE);
  await assert.rejects(reader.readPage(), isProblem("server"));
  assert.equal(await reader.readPage(), null);

  const sent = requests.map(({ options: { headers, cache } }) => [headers["If-None-Match"], cache]);
  assert.deepEqual(sent, [[undefined, "no-cache"], ['W/"1"', "no-store"], ['W/"1"', "no-store"]]);
});

test("an answer without a tag is not built upon", async (context) => {
  const requests = serve(context, () => Response.json(PAGE));
  const reader = new Api({ pageId: "page", key: "svc_pub_x" });

  for (let turn = 0; turn < 2; turn += 1) assert.deepEqual(await reader.readPage(), PAGE);
  assert.equal(requests[1].options.headers["If-None-Match"], undefined);
});

// Amounts

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
