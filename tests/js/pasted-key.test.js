import assert from "node:assert/strict";
import { test } from "node:test";

import { judgeKey } from "../../static/dashboard/pasted-key.js";

const KEY = `svc_pub_Ab12${"x".repeat(28)}`;
const NAMES = { svc_pub_Ab12: "Blog (svc_pub_Ab12…)" };

test("a public key of the page is filled in, without the white space around it", () => {
  assert.deepEqual(judgeKey(` ${KEY}\n`, NAMES), { key: KEY, sentence: "Filled in: Blog (svc_pub_Ab12…)" });
});

test("nothing is said of an empty field", () => {
  assert.deepEqual(judgeKey(" ", NAMES), { key: null, sentence: "" });
});

for (const [name, pasted, said] of [
  ["a secret key", KEY.replace("pub", "sec"), /secret key/],
  ["a secret key inside other text", `key: svc_sec_${"x".repeat(32)}`, /secret key/],
  ["a key that is cut short", KEY.slice(0, -1), /no public key/],
  ["a key that is too long", `${KEY}x`, /no public key/],
  ["markup", `${KEY}"><script>`, /no public key/],
  ["the shown beginning of a key", "svc_pub_Ab12…", /no public key/],
  ["a key of another page", KEY.replace("Ab12", "Cd34"), /begins with svc_pub_Cd34/],
]) {
  test(`${name} is not filled in`, () => {
    const { key, sentence } = judgeKey(String(pasted), NAMES);

    assert.equal(key, null);
    assert.match(sentence, /** @type {RegExp} */ (said));
  });
}

test("no property of every object passes for a key's beginning", () => {
  assert.equal(judgeKey(KEY, {}).key, null);
});
