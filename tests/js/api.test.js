import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { Api, noteDate, now, parseResponse, Problem } from "../../static/widget/api.js";
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
  await api.call("/receipt");

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
    new Response('{"tokenBalance": 18446744073.709551615, "balance": 0.0000001}', { status }));
  assert.deepEqual(await api.call("/page"), {
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

    await assert.rejects(api.call("/page"), isProblem(code));
  });
}

// Pages and their parts

/**
 * A browser's parser, for pages whose only element has the entity tag or the code in `text`.
 * @param {import("node:test").TestContext} context
 */
function parsePages(context) {
  const page = globalThis;
  Object.assign(page, {
    location: { href: "https://embed.example/embed/tracking/page" },
    DOMParser: class {
      /** @param {string} text */
      parseFromString(text) {
        return {
          text,
          /** @param {string} selector */
          querySelector: (selector) => {
            const [, kind, content] = text.match(/^(tag|code) (.*)$/) ?? [];
            if (selector === "[data-etag]" && kind === "tag") return { getAttribute: () => content };
            return selector === "code" && kind === "code" ? { textContent: content } : null;
          },
        };
      }
    },
  });
  context.after(() => {
    for (const name of ["location", "DOMParser", "origin"]) Reflect.deleteProperty(page, name);
  });
}

test("a part is asked for by the tag of what is shown, with the key in its address", async (context) => {
  parsePages(context);
  const answers = [new Response("tag W/2"), new Response(null, { status: 304 })];
  const requests = serve(context, () => /** @type {Response} */ (answers.shift()));

  const page = await api.readHtml("/embed/tracking/page?part=rows", { etag: "W/1" });
  assert.equal(/** @type {any} */ (page).text, "tag W/2");
  assert.equal(await api.readHtml("/embed/tracking/page?part=rows", { etag: "W/2" }), null);

  const [{ path, options }] = requests;
  assert.equal(path, "https://embed.example/embed/tracking/page?part=rows&key=svc_pub_x&lang=en");
  assert.deepEqual(options.headers, { "If-None-Match": "W/1" });
  assert.deepEqual([options.credentials, options.cache], ["omit", "no-store"]);
});

test("the visitor's own part is asked for with the session", async (context) => {
  parsePages(context);
  const requests = serve(context, () => new Response("tag W/1"));

  await api.readHtml("/embed/tracking/page/own", { isOwn: true });

  assert.equal(requests[0].options.credentials, "same-origin");
});

test("a frame without an origin asks without a header, and knows what it has by its tag", async (context) => {
  parsePages(context);
  Object.assign(globalThis, { origin: "null" });
  const requests = serve(context, () => new Response("tag W/1"));

  assert.equal(await api.readHtml("/embed/tracking/page?part=rows", { etag: "W/1" }), null);
  assert.notEqual(await api.readHtml("/embed/tracking/page?part=rows", { etag: "W/0" }), null);
  assert.deepEqual(requests.map(({ options }) => options.headers), [{}, {}]);
});

for (const [refusal, path, isOfList] of /** @type {[string, string, boolean][]} */ ([
  ["401 revoked_key", "/embed/tracking/page?part=rows", true],
  ["401 revoked_key", "/embed/tracking/page/own", true],
  ["403 embed_disabled", "/embed/tracking/page?part=rows", true],
  ["404 not_found", "/embed/tracking/page?part=rows", true],
  ["404 not_found", "/embed/tracking/page/wallets/x", false],
  ["429 rate_limit_ip", "/embed/tracking/page?part=rows", false],
])) {
  test(`${refusal} for ${path} ${isOfList ? "replaces" : "leaves"} the list`, async (context) => {
    parsePages(context);
    const [status, code] = refusal.split(" ");
    const headers = { "Retry-After": "60" };
    serve(context, () => new Response(`code ${refusal}`, { status: Number(status), headers }));

    await assert.rejects(api.readHtml(path), (/** @type {any} */ problem) => {
      assert.equal(problem.code, code);
      assert.equal(problem.page !== null, isOfList);
      assert.ok(problem.retryAt > Date.now());
      return true;
    });
  });
}

// Amounts

const MOST = "18446744073.709551615";

test("an answer keeps every digit of its amounts", () => {
  const text = `{"wallets": [{"tokenBalance": ${MOST}}], "balance": 0.0000001, "minBalance": 1500}`;

  assert.deepEqual(parseResponse(text), {
    wallets: [{ tokenBalance: MOST }],
    balance: "0.0000001",
    minBalance: "1500",
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

  assert.deepEqual(parseResponse('{"tokenBalance": 1E-7}'), { tokenBalance: "1e-7" });
});

test("a Date header sets the clock only if the clock disagrees with it", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 10_900 });
  const note = (/** @type {number} */ time) => noteDate(new Headers({ Date: new Date(time).toUTCString() }));

  note(10_000); // whole seconds
  assert.equal(now(), 10_900);
  note(60_000);
  assert.equal(now(), 60_000);
  noteDate(new Headers());
  assert.equal(now(), 60_000);
  note(10_000);
  assert.equal(now(), 10_000);
});
