import "./page.js";

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { drawAvatar } from "../../static/widget/list.js";

/** @type {{ address: string, path: string, fill: string }[]} */
const cases = JSON.parse(readFileSync(new URL("../support/avatar_cases.json", import.meta.url), "utf-8"));

for (const { address, ...drawn } of cases) {
  test(`the avatar of ${address.slice(0, 4)} is the server's`, async () => {
    assert.deepEqual(await drawAvatar(address), drawn);
  });
}
