import assert from "node:assert/strict";
import { test } from "node:test";

import { describeOrigin } from "../../static/dashboard/origin-rules.js";
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
