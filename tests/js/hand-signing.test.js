import "./page.js";

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";

import { buildCommand, guessShell, quote } from "../../static/widget/flow-view.js";

/** @import { Shell } from "../../static/widget/flow-view.js" */

const MESSAGE = `embed.example asks for proof that you own this wallet.

Name: Nacht Reiher ñ 夜鷺 \u02bc.-_
Wallet: 4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS

Signing is free. This signature does not authorize any transaction.`;

const HARD_TEXTS = {
  "the message": MESSAGE,
  apostrophes: "it's 'quoted' ''",
  "only an apostrophe": "'",
  "an apostrophe at both ends": "'x'",
  "double quotes": 'say "x" ""',
  "curly quotes": "\u2018\u2019\u201a\u201b \u201c\u201d\u201e",
  variables: "$HOME ${HOME} $(id) `id` $$ $1",
  "an end of the quotes and a command": "'; touch owned; '",
  "the same for PowerShell": '"; New-Item owned; "',
  "a subexpression": '$(New-Item owned) `$(x)',
  backslashes: "\\ \\n \\' x\\",
  backticks: "` `` `n `\" x`",
  history: "!! !x",
  globs: "* ? [a] {a,b} ~ ~/x",
  "line breaks": "\nx\n\n\ny\n",
  "another script": "امضا 署名 подпись 🦉",
  "signs of redirection": "> x < y | z & w ; v # u",
  "a percent sign": "%PATH% %s %n",
  spaces: "  x  ",
  "a lone tilde": "~",
  "another home": "~root",
  "a lone variable": "$HOME",
  "a lone glob": "*",
  braces: "{a,b}",
  "a list": "a,b",
  "a comment": "#x",
  "an assignment": "=x",
  "a hash table": "@{a=1}",
  "an option": "-x:y",
  nothing: "",
};

// POSIX shells, as they really read it

const DIR = mkdtempSync(join(tmpdir(), "hand-command-"));
after(() => rmSync(DIR, { recursive: true }));
const FAKE = join(DIR, "solana");
writeFileSync(FAKE, `#!/bin/sh\nprintf "%s\\0" "$@"; echo\n`);
chmodSync(FAKE, 0o755);

/**
 * Run commands in a shell and return the arguments with which each called `solana`.
 * @param {string} shell
 * @param {string[]} commands
 */
function runIn(shell, commands) {
  const environment = { PATH: `${DIR}${delimiter}${process.env.PATH}`, HOME: "/home/a visitor", LC_ALL: "C.UTF-8" };
  const [program = "", ...rest] = shell.split(" ");
  const options = { env: environment, cwd: DIR, encoding: /** @type {const} */ ("utf8") };
  const script = commands.join("\n");
  // As an argument, and as typed or pasted, which is read line by line.
  const given = spawnSync(program, [...rest, "-c", script], options);
  const typed = spawnSync(program, [...rest, "-s"], { ...options, input: `${script}\n` });
  assert.equal(given.status, 0, given.stderr);
  assert.deepEqual(typed.stdout, given.stdout);
  return given.stdout.split("\0\n").slice(0, -1).map((each) => each.split("\0"));
}

const SHELLS = ["sh", "dash", "bash", "bash --norc -i"].filter((shell) =>
  spawnSync(shell.split(" ")[0] ?? "", ["-c", ":"]).status === 0);

/** @type {Record<string, string>} */
const PATHS = {
  "usb://ledger": "usb://ledger",
  "usb://ledger?key=0/1": "usb://ledger?key=0/1",
  "~/.config/solana/id.json": "/home/a visitor/.config/solana/id.json",
  "~/my keys/it's.json": "/home/a visitor/my keys/it's.json",
  "~/": "/home/a visitor/",
  "/tmp/$x; id": "/tmp/$x; id",
  "-x": "-x",
};

for (const shell of SHELLS) {
  test(`${shell} passes on every text as it is`, () => {
    const texts = Object.values(HARD_TEXTS);
    const read = runIn(shell, texts.map((text) => `solana ${quote(text, "posix")}`));

    assert.deepEqual(read, texts.map((text) => [text]));
  });

  test(`${shell} reads the whole command`, () => {
    const keys = Object.keys(PATHS);
    const read = runIn(shell, ["", ...keys].map((key) => buildCommand(MESSAGE, { shell: "posix", key })));

    const options = [[], ...Object.values(PATHS).map((path) => ["-k", path])];
    assert.deepEqual(read, options.map((given) => ["sign-offchain-message", ...given, MESSAGE]));
  });
}

test("there is a shell to try", () => assert.ok(SHELLS.includes("sh")));

// PowerShell, by the rules of about_Quoting_Rules and about_Special_Characters: not run, no registry
// that these tests may use has it.

const DOUBLE_QUOTES = '"\u201c\u201d\u201e';
/** @type {Record<string, string>} */
const ESCAPES = { 0: "\0", a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/**
 * Read a command of one line as PowerShell does, and return its words. Throws where it would run or
 * expand anything but $HOME.
 * @param {string} command
 */
function readAsPowerShell(command) {
  assert.doesNotMatch(command, /[\r\n]/, "each line would run by itself");
  const words = [];
  let rest = command;
  while (rest) {
    const bare = /^ *([\w./][\w./:+=-]*|-k)(?= |$)/.exec(rest);
    const quoted = /^ *"/.exec(rest);
    if (bare) {
      words.push(bare[1] ?? "");
      rest = rest.slice(bare[0].length);
    } else if (quoted) {
      const { text, length } = readExpandable(rest.slice(quoted[0].length));
      words.push(text);
      rest = rest.slice(quoted[0].length + length);
      assert.match(rest, /^( |$)/, "something is glued to a quoted word");
    } else {
      assert.fail(`PowerShell would read more than words: ${rest}`);
    }
  }
  return words;
}

/**
 * Read an expandable string from behind its first quote on.
 * @param {string} source
 */
function readExpandable(source) {
  const characters = [...source];
  let text = "";
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? "";
    const next = characters[index + 1] ?? "";
    if (DOUBLE_QUOTES.includes(character)) {
      if (!next || !DOUBLE_QUOTES.includes(next)) return { text, length: characters.slice(0, index + 1).join("").length };
      text += next;
      index += 1;
    } else if (character === "`") {
      text += ESCAPES[next] ?? next;
      index += 1;
    } else if (characters.slice(index, index + 5).join("") === "$HOME") {
      text += "C:\\Users\\A Visitor";
      index += 4;
    } else {
      assert.notEqual(character, "$", "PowerShell would expand something");
      text += character;
    }
  }
  assert.fail("the string does not end");
}

for (const [name, text] of Object.entries(HARD_TEXTS)) {
  test(`PowerShell passes on ${name}`, () => {
    assert.deepEqual(readAsPowerShell(`solana ${quote(text, "powershell")}`), ["solana", text]);
  });
}

test("PowerShell reads the whole command", () => {
  const read = (/** @type {string} */ key) => readAsPowerShell(buildCommand(MESSAGE, { shell: "powershell", key }));

  assert.deepEqual(read(""), ["solana", "sign-offchain-message", MESSAGE]);
  for (const [key, path] of Object.entries({
    "usb://ledger": "usb://ledger",
    "usb://ledger?key=0/1": "usb://ledger?key=0/1",
    "~/.config/solana/id.json": "C:\\Users\\A Visitor/.config/solana/id.json",
    "~/my keys/it's.json": "C:\\Users\\A Visitor/my keys/it's.json",
    "C:\\keys\\$x\\id.json": "C:\\keys\\$x\\id.json",
    "-x": "-x",
  })) {
    assert.deepEqual(read(key), ["solana", "sign-offchain-message", "-k", path, MESSAGE]);
  }
});

test("the parser for PowerShell notices what is not quoted", () => {
  for (const command of ['solana "$x"', "solana $x", 'solana "x" ; id', 'solana "x"; id', 'solana "x', "solana 'x'", 'solana "x"y']) {
    assert.throws(() => readAsPowerShell(command), Error, command);
  }
});

// Which shell is offered first

for (const [system, navigator, shell] of /** @type {[string, object, Shell][]} */ ([
  ["Windows, as Chromium tells", { userAgentData: { platform: "Windows" }, platform: "Win32" }, "powershell"],
  ["Windows, as Firefox tells", { platform: "Win32" }, "powershell"],
  ["macOS", { userAgentData: { platform: "macOS" }, platform: "MacIntel" }, "posix"],
  ["Safari", { platform: "MacIntel" }, "posix"],
  ["Darwin", { platform: "Darwin" }, "posix"],
  ["Linux", { userAgentData: { platform: "" }, platform: "Linux x86_64" }, "posix"],
])) {
  test(`on ${system} the command is for ${shell}`, (context) => {
    context.mock.getter(globalThis, "navigator", () => navigator);
    assert.equal(guessShell(), shell);
  });
}
