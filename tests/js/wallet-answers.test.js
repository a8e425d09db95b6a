import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import * as kit from "@solana/offchain-messages";
import * as wallets from "@wallet-standard/errors";

import { Problem } from "../../static/widget/api.js";
import {
  ask, encodeBase58, encodeBase64, explainThrown, holdsText, listSignableForms, parseAnswer,
} from "../../static/widget/wallets.js";
import { makeSigner } from "./signer.js";

const TEXT = "embed.example asks you to sign.\n\nName: Žofie\nThis signature does not authorize any transaction.";
const encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
const mine = await makeSigner();
const other = await makeSigner();
const asked = { text: TEXT, address: mine.address };
const plain = await mine.sign(encode(TEXT));

/** @param {string} address @param {string} text */
function encodeV1(address, text) {
  const content = /** @type {any} */ (text);
  const requiredSignatories = [{ address: /** @type {any} */ (address) }];
  return new Uint8Array(kit.getOffchainMessageV1Encoder().encode({ version: 1, content, requiredSignatories }));
}

/** @param {string} address @param {string} text @param {string} domain */
function encodeV0(address, text, domain) {
  const requiredSignatories = [{ address: /** @type {any} */ (address) }];
  const content = kit.offchainMessageContentUtf8Of1232BytesMax(text);
  return new Uint8Array(kit.getOffchainMessageV0Encoder().encode({
    version: 0, content, requiredSignatories, applicationDomain: kit.offchainMessageApplicationDomain(domain),
  }));
}

/** @param {Uint8Array} bytes @param {Iterable<Uint8Array>} forms */
const isAmong = (bytes, forms) => [...forms].some((form) => encodeBase64(form) === encodeBase64(bytes));

test("the forms hold what the official package makes of the text", () => {
  const forms = [...listSignableForms(TEXT, mine.publicKey, [])];

  assert.ok(isAmong(encodeV1(mine.address, TEXT), forms));
  assert.ok(isAmong(encodeV0(mine.address, TEXT, "1".repeat(32)), forms));
  assert.ok(!isAmong(encodeV1(other.address, TEXT), forms));
  assert.ok(!isAmong(encodeV1(mine.address, `${TEXT}.`), forms));
});

test("an application's own domain is its host, padded to 32 bytes", () => {
  const domain = encodeBase58(encode("embed.example:8080".padEnd(32, "\0")));
  const made = encodeV0(mine.address, TEXT, domain);

  assert.ok(isAmong(made, listSignableForms(TEXT, mine.publicKey, ["embed.example:8080"])));
  assert.ok(!isAmong(made, listSignableForms(TEXT, mine.publicKey, ["other.example"])));
});

for (const [what, bytes, expected] of /** @type {[string, Uint8Array, boolean][]} */ ([
  ["the text", encode(TEXT), true],
  ["an envelope of the text", encodeV1(mine.address, TEXT), true],
  ["another text", encode(`${TEXT}!`), false],
  ["an envelope of another text", encodeV1(mine.address, `${TEXT}!`), false],
  ["the text after something else", encode(`Pay me. ${TEXT}`), false],
  ["nothing", new Uint8Array(), false],
])) {
  test(`${what} ${expected ? "holds" : "does not hold"} the text`, () => {
    assert.equal(holdsText(bytes, TEXT), expected);
  });
}

const buffer = plain.slice().buffer;
const elsewhere = runInNewContext("Uint8Array.from(bytes)", { bytes: [...plain] });
const whole = Uint8Array.from([1, ...plain, ...encodeV1(mine.address, TEXT)]);
const v1 = encodeV1(mine.address, TEXT);
const signedV1 = await mine.sign(v1);
const wholeV1 = Uint8Array.from([1, ...signedV1, ...v1]);

for (const [what, answer, signature] of /** @type {[string, unknown, Uint8Array][]} */ ([
  ["a list, as the standard has it", [{ signature: plain, signedMessage: encode(TEXT) }], plain],
  ["a single object", { signature: plain }, plain],
  ["the bytes alone, as older wallets answer", plain, plain],
  ["bytes of another window's class", { signature: elsewhere }, plain],
  ["an ArrayBuffer", { signature: buffer }, plain],
  ["numbers", { signature: [...plain] }, plain],
  ["a Buffer that became JSON", { signature: { type: "Buffer", data: [...plain] } }, plain],
  ["a numbered object", { signature: { ...plain } }, plain],
  ["a numbered object alone", { ...plain }, plain],
  ["a Buffer of a numbered object", { signature: { type: "Buffer", data: { ...plain } } }, plain],
  ["hex", { signature: Buffer.from(plain).toString("hex") }, plain],
  ["the bytes of a text in base58", { signature: encode(encodeBase58(plain)) }, plain],
  ["the bytes of a text in base64", encode(encodeBase64(plain)), plain],
  ["the bytes of a text in hex", { signature: [...encode(`0x${Buffer.from(plain).toString("hex")}`)] }, plain],
  ["a signature with a signed text that was lost", { signature: plain, signedMessage: {} }, plain],
  ["base58", { signature: encodeBase58(plain) }, plain],
  ["base64", { signature: encodeBase64(plain) }, plain],
  ["version 1 with what was signed", [{ signature: signedV1, signedOffchainMessage: v1 }], signedV1],
  ["version 1 without what was signed", { signature: signedV1 }, signedV1],
  ["a whole envelope of a hardware wallet", { signature: wholeV1 }, signedV1],
])) {
  test(`an answer may be ${what}`, async () => {
    assert.equal(await parseAnswer(answer, asked), encodeBase64(signature));
  });
}

for (const [what, answer] of /** @type {[string, unknown][]} */ ([
  ["nothing", undefined],
  ["null", null],
  ["an empty list", []],
  ["an empty object", {}],
  ["a list of nothing", [undefined]],
  ["an empty signature", [{ signature: new Uint8Array() }]],
  ["63 bytes", [{ signature: plain.slice(1) }]],
  ["65 bytes", [{ signature: Uint8Array.from([0, ...plain]) }]],
  ["a text that is no signature", { signature: "signed" }],
  ["a numbered object of 63 bytes", { signature: { ...plain.slice(1) } }],
  ["a numbered object without its first byte", { signature: Object.fromEntries(Object.entries(plain).slice(1)) }],
  ["a numbered object of other things", { signature: { ...Array(64).fill("7") } }],
  ["a Buffer of nothing", { signature: { type: "Buffer", data: null } }],
  ["an object that is no text either", { signature: Object.create(null) }],
  ["numbers that are no bytes", { signature: Array(64).fill(300) }],
  ["a number", 64],
])) {
  test(`${what} is no signature, and the server is not blamed`, async () => {
    await assert.rejects(parseAnswer(answer, asked), { code: "wallet_bad_answer" });
  });
}

for (const [what, code, answer] of /** @type {[string, string, unknown][]} */ ([
  ["an altered text", "wallet_altered_text",
    [{ signature: await mine.sign(encode("Other")), signedMessage: encode("Other") }]],
  ["an altered text in a numbered object", "wallet_altered_text",
    { signature: plain, signedMessage: { ...encode("Other") } }],
  ["an altered text in an envelope", "wallet_altered_text",
    [{ signature: signedV1, signedOffchainMessage: encodeV1(mine.address, "Other") }]],
  ["the wallet's other account", "wallet_other_account",
    [{ signature: await other.sign(encode(TEXT)), signedMessage: encode(TEXT) }]],
  ["the wallet's other account in an envelope", "wallet_other_account",
    { signature: await other.sign(encodeV1(other.address, TEXT)) }],
  ["an answer that names another account", "wallet_other_account",
    { signature: plain, publicKey: { toBase58: () => other.address } }],
  ["one wrong byte", "wallet_wrong_signature", { signature: plain.map((byte, at) => at ? byte : byte ^ 1) }],
  ["a signature of something else", "wallet_wrong_signature",
    [{ signature: await mine.sign(encode("Other")), signedMessage: encode(TEXT) }]],
  ["an envelope around another signature", "wallet_wrong_signature", { signature: whole.map((b, i) => i === 5 ? b ^ 1 : b) }],
])) {
  test(`${what} is told as ${code}`, async () => {
    await assert.rejects(parseAnswer(answer, { ...asked, others: [other.address] }), { code });
  });
}

test("in a browser without Ed25519 the server decides about the signature", async (context) => {
  const unsupported = () => Promise.reject(new DOMException("Ed25519", "NotSupportedError"));
  context.mock.method(crypto.subtle, "importKey", unsupported);
  const wrong = await other.sign(encode(TEXT));

  assert.equal(await parseAnswer({ signature: wrong }, asked), encodeBase64(wrong));
});

// What is thrown

const { WALLET_STANDARD_ERROR__USER__REQUEST_REJECTED: REQUEST_REJECTED, WalletStandardError } = wallets;

/** @param {() => Error} make */
function inProduction(make) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

const rejected = inProduction(() => new WalletStandardError(REQUEST_REJECTED));
const unimplemented = inProduction(
  () => new WalletStandardError(wallets.WALLET_STANDARD_ERROR__FEATURES__WALLET_FEATURE_UNIMPLEMENTED, {
    featureName: "solana:signMessage", supportedChains: [], supportedFeatures: [], walletName: "W",
  }),
);
/** @type {any} */
const endless = new Error("Something");
endless.cause = endless;
const unreadable = { get message() { throw new Error("no"); } };

test("the official error of a production build names only its code", () => {
  assert.match(rejected.message, /#4001000;/);
  assert.doesNotMatch(rejected.message, /reject/i);
});

for (const [what, thrown] of /** @type {[string, unknown][]} */ ([
  ["the official error of a production build", rejected],
  ["the official error after a message between windows", new Error(rejected.message)],
  ["the official error as a cause", new Error("Unexpected", { cause: rejected })],
  ["an error within a wallet adapter's", Object.assign(new Error(""), { error: { code: 4001 } })],
  ["EIP-1193's code", { code: 4001, message: "No." }],
  ["EIP-1193's code as a text", { code: "4001" }],
  ["an AbortError", new DOMException("signal is aborted", "AbortError")],
  ["an AbortError about characters", new DOMException("while encoding", "AbortError")],
  ["the official code alone", { context: { __code: 4001000 } }],
  ["a text", "User rejected the request."],
  ["a text alone", "cancelled"],
  ["an internal error with a text that says it", { code: -32603, message: "User denied message signature" }],
  ["a visitor's \"no\" to a way that is not supported", "User rejected the request (unsupported)"],
  ["a name alone", { name: "WalletWindowClosedError" }],
  ["a window that closed", new Error("Popup window was closed")],
  ["a tab that closed", new Error("The tab has been closed.")],
  ["a device that declined", { statusCode: 0x6985, message: "Condition of use not satisfied (denied by the user?)" }],
])) {
  test(`${what} is the visitor's "no"`, () => {
    assert.equal(explainThrown(thrown).code, "wallet_rejected");
  });
}

for (const [what, thrown] of /** @type {[string, unknown][]} */ ([
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["an empty text", ""],
  ["an internal error", { code: -32603, message: "Internal error" }],
  ["an unauthorised account", { code: 4100, message: "Unauthorized" }],
  ["another official error", unimplemented],
  ["a wallet that rejects characters", new Error("Message rejected: only ASCII characters")],
  ["a lost connection", new Error("The message port closed before a response was received.")],
  ["a message that is no text", { message: { reason: 1 } }],
  ["an error that is its own cause", endless],
  ["an error that cannot be read", unreadable],
])) {
  test(`${what} is a failure, not a "no"`, () => {
    assert.equal(explainThrown(thrown).code, "wallet_failed");
  });
}

test("a question that is open already is told apart", () => {
  assert.equal(explainThrown({ code: -32002, message: "already pending" }).code, "wallet_busy");
});

test("a call that throws at once, or later, ends in a Problem", async () => {
  await assert.rejects(ask(() => { throw "User rejected"; }), { code: "wallet_rejected" });
  await assert.rejects(ask(() => Promise.reject(new TypeError("x"))), { code: "wallet_failed" });
  const known = new Problem("wallet_no_account");
  await assert.rejects(ask(() => { throw known; }), (error) => error === known);
});
