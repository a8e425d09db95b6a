import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  checkNickname, cleanName, labelWallets, normalizeNickname,
} from "../../static/widget/flow-view.js";
import { readCases } from "./cases.js";

for (const [what, raw, shown] of /** @type {[string, unknown, string][]} */ ([
  ["an ordinary name", "Phantom", "Phantom"],
  ["white space", "  My\n\n\t wallet\u00a0", "My wallet"],
  ["300 characters", "W".repeat(300), `${"W".repeat(39)}…`],
  ["characters outside the basic plane", "😀".repeat(50), `${"😀".repeat(39)}…`],
  ["a reversed name", "\u202emotnahP", "motnahP"],
  ["a name with hidden characters", "Phan\u200btom\u2066", "Phantom"],
  ["controls", "Phan\u0000tom\u001b[31m", "Phantom[31m"],
  ["nothing but white space", " \n ", ""],
  ["a name that is no text", { toString: () => "x" }, ""],
])) {
  test(`${what} is shown in one short line`, () => {
    assert.equal(cleanName(raw), shown);
  });
}

test("wallets of the same name are numbered, whatever they do to look alike", () => {
  const raw = ["Phantom", "Solflare", "phantom", "Phan\u200btom", "Ｐhantom", "Phantom (2)", "", " "];

  assert.deepEqual(labelWallets(raw, "Solana"), [
    "Phantom", "Solflare", "phantom (2)", "Phantom (3)", "Ｐhantom (4)", "Phantom (2) (2)", "Solana",
    "Solana (2)",
  ]);
});

for (const { case: name, raw, nickname, refused = null } of readCases("nickname_cases.json")) {
  test(`nickname: ${name}`, () => {
    assert.equal(checkNickname(raw), refused);
    if (refused === null) assert.equal(normalizeNickname(raw), nickname);
  });
}
