import assert from "node:assert/strict";
import { test } from "node:test";

import { checkNickname, normalizeNickname } from "../../static/widget/nicknames.js";
import { readCases } from "./cases.js";

for (const { case: name, raw, nickname, refused = null } of readCases("nickname_cases.json")) {
  test(`nickname: ${name}`, () => {
    assert.equal(checkNickname(raw), refused);
    if (refused === null) assert.equal(normalizeNickname(raw), nickname);
  });
}
