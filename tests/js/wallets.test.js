import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { encodeBase64, watchWallets } from "../../static/widget/wallets.js";
import { makeSigner } from "./signer.js";

/** @import { Wallet } from "../../static/widget/wallets.js" */

const TEXT = "Please sign";
const signer = await makeSigner();
const other = await makeSigner();

/** @type {any} */
let page;
/** @type {Wallet[][]} */
let shown = [];

beforeEach(() => {
  page = Object.assign(globalThis, { window: new EventTarget() }).window;
  shown = [];
});

const begin = () => watchWallets((wallets) => shown.push(wallets));
const names = () => shown.at(-1)?.map(({ name }) => name);

/** @param {string} name @param {object} [changes] */
const makeWallet = (name, changes) => ({
  name,
  icon: "data:,",
  chains: ["solana:mainnet"],
  accounts: [],
  features: { "standard:connect": { connect() {} }, "solana:signMessage": { signMessage() {} } },
  ...changes,
});

/** @param {any[]} wallets @returns {() => void} */
function register(...wallets) {
  let unregister = () => {};
  /** @type {CustomEventInit} */
  const init = { detail: (/** @type {any} */ api) => { unregister = api.register(...wallets); } };
  page.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", init));
  return unregister;
}

test("wallets are found whether they load before or after this page's script", () => {
  const early = makeWallet("Early");
  page.addEventListener("wallet-standard:app-ready", (/** @type {any} */ { detail }) => detail.register(early));
  begin();
  register(makeWallet("Late"));

  assert.deepEqual(names(), ["Early", "Late"]);
});

test("each wallet keeps its object, and one that registers twice is one", () => {
  begin();
  const wallet = makeWallet("W");
  register(wallet, wallet);
  register(wallet);
  register(makeWallet("W"));

  assert.deepEqual(names(), ["W", "W"]);
  assert.equal(shown.at(-1)?.[0], shown.find((one) => one.length === 1)?.[0]);
});

test("a wallet that unregisters is gone, and may come back", () => {
  begin();
  const wallet = makeWallet("W");
  register(wallet)();
  assert.deepEqual(names(), []);
  register(wallet);
  assert.deepEqual(names(), ["W"]);
});

test("a wallet is shown while it can be used, as it tells by its events", () => {
  begin();
  let change = () => {};
  const wallet = makeWallet("W", { chains: [] });
  Object.assign(wallet.features, { "standard:events": { on: (/** @type {any} */ _, /** @type {any} */ listener) => { change = listener; } } });
  register(wallet);
  assert.deepEqual(names(), []);

  Object.assign(wallet, { chains: ["solana:devnet"] });
  change();
  assert.deepEqual(names(), ["W"]);

  wallet.features = /** @type {any} */ ({});
  change();
  assert.deepEqual(names(), []);
});

test("objects that are no wallets hide none that are", () => {
  begin();
  const unreadable = { get name() { throw new Error("no"); } };
  register(null, 7, {}, unreadable, makeWallet("W", { name: Symbol("W") }), makeWallet("W", { icon: 7 }), makeWallet("Good"));
  page.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: "not a function" }));

  assert.deepEqual(names(), ["Good"]);
});

// The older objects

test("objects of wallets' names that cannot be read hide no wallets", () => {
  page.phantom = new Proxy({}, { get() { throw new Error("a frame of another site"); } });
  page.solana = { get isPhantom() { throw new Error("no"); }, signMessage() {}, connect() {} };
  page.solflare = makeProvider({ isPhantom: false });
  begin();
  register(makeWallet("Good"));

  assert.deepEqual(names(), ["Good", "Solflare"]);
});

/** @type {Record<string, () => void>} */
let listeners = {};

/** @param {object} [changes] */
const makeProvider = (changes) => ({
  isPhantom: true,
  publicKey: { toBase58: () => signer.address },
  connect: async () => undefined,
  signMessage: async (/** @type {Uint8Array} */ message) => ({ signature: await signer.sign(message) }),
  on: (/** @type {string} */ event, /** @type {() => void} */ listener) => { listeners = { ...listeners, [event]: listener }; },
  ...changes,
});

/** @param {object} [changes] @returns {Promise<[any, any]>} */
async function connectOlder(changes) {
  page.solana = makeProvider(changes);
  begin();
  return [page.solana, await shown.at(-1)?.[0].connect()];
}

test("an older object gives way to the standard's wallet of the same name", () => {
  page.solana = makeProvider();
  begin();
  assert.deepEqual(names(), ["Phantom"]);
  const [older] = shown.at(-1) ?? [];
  register(makeWallet("phantom"));
  assert.deepEqual(names(), ["phantom"]);
  assert.notEqual(shown.at(-1)?.[0], older);
});

test("an older wallet signs", async () => {
  const [, account] = await connectOlder();

  assert.equal(account.address, signer.address);
  assert.equal(await account.sign(TEXT), encodeBase64(await signer.sign(new TextEncoder().encode(TEXT))));
});

for (const [what, publicKey, code] of /** @type {[string, object | null, string][]} */ ([
  ["switched", { toBase58: () => other.address }, "wallet_account_changed"],
  ["disconnected", null, "wallet_disconnected"],
])) {
  test(`an older wallet's account that was ${what} signs no more, and is told`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const [provider, account] = await connectOlder({ signMessage: () => assert.fail("asked") });
    /** @type {string[]} */
    const told = [];
    account.watch((/** @type {any} */ problem) => told.push(problem.code));
    provider.publicKey = publicKey;
    listeners.accountChanged();
    context.mock.timers.tick(1000);

    assert.deepEqual(told, [code]);
    await assert.rejects(account.sign(TEXT), { code });
  });
}

test("an older wallet that answers with another account's signature is told so", async () => {
  const publicKey = { toBase58: () => other.address };
  const [, account] = await connectOlder({
    signMessage: async (/** @type {Uint8Array} */ message) => ({ signature: await other.sign(message), publicKey }),
  });

  await assert.rejects(account.sign(TEXT), { code: "wallet_other_account" });
});

