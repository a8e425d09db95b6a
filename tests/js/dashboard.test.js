import assert from "node:assert/strict";
import { test } from "node:test";

import { describeOrigin } from "../../static/dashboard/origin-rules.js";
import { judgeKey } from "../../static/dashboard/pasted-key.js";
import { readCases } from "./cases.js";

for (const { case: name, raw, origin, refused, meant } of readCases("origin_cases.json")) {
  test(`origin: ${name}`, () => {
    const described = describeOrigin(raw);

    assert.equal(described.origin, origin);
    assert.equal(described.refused, refused);
    assert.equal(described.meant, meant);
  });
}

test("a path is noticed, a slash alone is none", () => {
  /** @param {string} raw */
  const hasPath = (raw) => /** @type {any} */ (describeOrigin(raw)).hasPath;

  assert.deepEqual(
    ["https://a.example", "https://a.example/", "https://a.example/b", "https://a.example?b"].map(hasPath),
    [false, false, true, true],
  );
});

// A pasted key

const KEY = `svc_pub_Ab12${"x".repeat(28)}`;
const NAMES = { svc_pub_Ab12: "Blog (svc_pub_Ab12…)" };

test("a public key of the page is filled in, without the white space around it", () => {
  assert.deepEqual(judgeKey(` ${KEY}\n`, NAMES), {
    key: KEY, word: "filled_in", values: { name: "Blog (svc_pub_Ab12…)" },
  });
});

test("nothing is said of an empty field", () => {
  assert.deepEqual(judgeKey(" ", NAMES), { key: null });
});

for (const [name, pasted, word] of [
  ["a secret key", KEY.replace("pub", "sec"), "secret_key"],
  ["a secret key inside other text", `key: svc_sec_${"x".repeat(32)}`, "secret_key"],
  ["a key that is cut short", KEY.slice(0, -1), "no_public_key"],
  ["a key that is too long", `${KEY}x`, "no_public_key"],
  ["markup", `${KEY}"><script>`, "no_public_key"],
  ["the shown beginning of a key", "svc_pub_Ab12…", "no_public_key"],
]) {
  test(`${name} is not filled in`, () => {
    assert.deepEqual(judgeKey(pasted, NAMES), { key: null, word });
  });
}

test("a key of another page is named by its beginning and not filled in", () => {
  assert.deepEqual(judgeKey(KEY.replace("Ab12", "Cd34"), NAMES), {
    key: null, word: "unknown_key", values: { start: "svc_pub_Cd34" },
  });
});

test("no property of every object passes for a key's beginning", () => {
  assert.equal(judgeKey(KEY, {}).key, null);
});
