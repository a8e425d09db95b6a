import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

import { connectStandard, encodeBase64, isUsable } from "../../static/widget/wallets.js";
import { makeSigner } from "./signer.js";

const TEXT = "Please sign";
const RAW = "solana:signMessage";
const OFFCHAIN = "solana:signOffchainMessage";
const signer = await makeSigner();
const second = await makeSigner();

/** @param {import("./signer.js").Signer} one @param {object} [changes] */
const makeAccount = (one, changes) => ({
  address: one.address,
  publicKey: one.publicKey,
  chains: ["solana:mainnet"],
  features: [RAW, OFFCHAIN],
  ...changes,
});

/** @type {any} */
let wallet;
/** @type {string[]} */
let asked = [];
/** @type {() => void} */
let change = () => {};

/** @param {Uint8Array} message */
const signRaw = async (message) => [{ signature: await signer.sign(message) }];

/** @param {{ message: string }} input */
async function signOffchain({ message }) {
  const head = [0xff, ...new TextEncoder().encode("solana offchain"), 1, 1, ...signer.publicKey];
  const bytes = Uint8Array.from([...head, ...new TextEncoder().encode(message)]);
  return [{ signature: await signer.sign(bytes), signedOffchainMessage: bytes }];
}

beforeEach(() => {
  asked = [];
  const accounts = [makeAccount(signer)];
  wallet = {
    name: "W",
    chains: ["solana:mainnet"],
    accounts,
    features: {
      "standard:connect": { connect: async () => ({ accounts: wallet.accounts }) },
      "standard:events": {
        on: (/** @type {string} */ _, /** @type {() => void} */ listener) => {
          change = listener;
          return () => { change = () => {}; };
        },
      },
      [OFFCHAIN]: {
        supportedMessageVersions: [1],
        signOffchainMessage: (/** @type {any} */ input) => (asked.push(OFFCHAIN), signOffchain(input)),
      },
      [RAW]: {
        signMessage: (/** @type {any} */ { message }) => (asked.push(RAW), signRaw(message)),
      },
    },
  };
});

/** @param {any} features */
const give = (features) => Object.assign(wallet.features, features);
const connectOne = async () => /** @type {any} */ ((await connectStandard(wallet))[0]);

test("the off-chain way is the first, and it gets what the standard asks for", async () => {
  /** @type {any} */
  let input;
  give({ [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: (/** @type {any} */ one) => signOffchain(input = one) } });
  const account = await connectOne();
  await account.sign(TEXT);

  assert.deepEqual(Object.keys(input).sort(), ["account", "message", "messageVersion", "requiredSigners"]);
  assert.equal(input.account, wallet.accounts[0], "wallets compare identity");
  assert.deepEqual([input.message, input.messageVersion], [TEXT, 1]);
  assert.deepEqual(input.requiredSigners, [signer.publicKey]);
  assert.deepEqual(asked, []);
});

for (const [what, features] of /** @type {[string, object][]} */ ([
  ["is not offered", { [OFFCHAIN]: undefined }],
  ["has no method", { [OFFCHAIN]: { supportedMessageVersions: [1] } }],
  ["knows other versions only", { [OFFCHAIN]: { supportedMessageVersions: [2], signOffchainMessage: () => assert.fail() } }],
])) {
  test(`where the off-chain way ${what}, the message is signed as it is`, async () => {
    give(features);
    const account = await connectOne();

    assert.equal(await account.sign(TEXT), encodeBase64(await signer.sign(new TextEncoder().encode(TEXT))));
    assert.deepEqual(asked, [RAW]);
  });
}

for (const [what, fail] of /** @type {[string, () => unknown][]} */ ([
  ["throws", () => { throw new Error("Method not found"); }],
  ["throws a text", () => { throw "not implemented"; }],
  ["answers nothing", async () => undefined],
  ["answers 3 bytes", async () => [{ signature: new Uint8Array(3) }]],
  ["answers another text", async () => [{ signature: new Uint8Array(64), signedOffchainMessage: new Uint8Array(9) }]],
])) {
  test(`a way that ${what} is followed by the next, and the visitor is told once`, async () => {
    give({ [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: () => (asked.push(OFFCHAIN), fail()) } });
    const account = await connectOne();
    let told = 0;
    const options = { onNextWay: () => { told++; } };

    assert.ok(await account.sign(TEXT, options));
    assert.deepEqual([asked, told], [[OFFCHAIN, RAW], 1]);

    await account.sign(TEXT, options);
    assert.deepEqual([asked, told], [[OFFCHAIN, RAW, RAW], 1], "it is not tried first again");
  });
}

for (const [what, thrown] of /** @type {[string, unknown][]} */ ([
  ["EIP-1193's code", { code: 4001, message: "User rejected the request." }],
  ["an AbortError", new DOMException("signal is aborted", "AbortError")],
  ["a text", "Request denied"],
  ["a window that closed", { name: "WalletWindowClosedError" }],
])) {
  test(`a "no" by ${what} asks in no other way, but the next press begins with another`, async () => {
    give({ [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: () => (asked.push(OFFCHAIN), Promise.reject(thrown)) } });
    const account = await connectOne();
    await assert.rejects(account.sign(TEXT), { code: "wallet_rejected" });
    assert.deepEqual(asked, [OFFCHAIN]);

    assert.ok(await account.sign(TEXT));
    assert.ok(await (await connectOne()).sign(TEXT), "also after it was connected again");
    assert.deepEqual(asked, [OFFCHAIN, RAW, RAW]);
  });
}

test("ways take turns in saying no, and one that fails is followed by the one that said it", async () => {
  /** @type {unknown[]} */
  const answers = [{ code: 4001 }, { code: 4001 }, { code: 4001 }, new Error("not on this device")];
  const meet = () => { if (answers.length > 0) throw answers.shift(); };
  give({
    [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: (/** @type {any} */ input) => (asked.push(OFFCHAIN), meet(), signOffchain(input)) },
    [RAW]: { signMessage: () => (asked.push(RAW), meet()) },
  });
  const account = await connectOne();
  for (let press = 0; press < 3; press++) await assert.rejects(account.sign(TEXT), { code: "wallet_rejected" });
  assert.deepEqual(asked, [OFFCHAIN, RAW, OFFCHAIN]);

  assert.ok(await account.sign(TEXT));
  assert.deepEqual(asked.slice(3), [RAW, OFFCHAIN]);
});

test("a way that signs something else is not the first again, and another account's ways are its own", async () => {
  wallet.accounts.push(makeAccount(second));
  give({ [OFFCHAIN]: { supportedMessageVersions: [1], async signOffchainMessage() { asked.push(OFFCHAIN); return [{ signature: new Uint8Array(64) }]; } } });
  const [account, other] = await connectStandard(wallet);
  await assert.rejects(/** @type {any} */ (account).sign(TEXT), { code: "wallet_wrong_signature" });
  await /** @type {any} */ (account).sign(TEXT);
  await assert.rejects(/** @type {any} */ (other).sign(TEXT), { code: "wallet_wrong_signature" });

  assert.deepEqual(asked, [OFFCHAIN, RAW, OFFCHAIN]);
});

test("a visitor who has left is not asked in another way", async () => {
  const controller = new AbortController();
  give({ [OFFCHAIN]: { supportedMessageVersions: [1], async signOffchainMessage() { controller.abort(); throw new Error("x"); } } });
  const account = await connectOne();

  await assert.rejects(account.sign(TEXT, { signal: controller.signal }), { code: "wallet_failed" });
  assert.deepEqual(asked, []);
});

test("a way that never answers is not the first again, once the visitor has stopped waiting", async () => {
  const controller = new AbortController();
  give({ [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: () => new Promise(() => {}) } });
  const account = await connectOne();
  account.sign(TEXT, { signal: controller.signal });
  await nextTurn();
  controller.abort();

  assert.ok(await account.sign(TEXT));
  assert.deepEqual(asked, [RAW]);
});

test("where all ways have failed, all are tried again", async () => {
  let isBroken = true;
  const meet = () => { if (isBroken) throw new Error("locked"); };
  give({
    [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: (/** @type {any} */ input) => (asked.push(OFFCHAIN), meet(), signOffchain(input)) },
    [RAW]: { signMessage: () => (asked.push(RAW), meet()) },
  });
  const account = await connectOne();
  await assert.rejects(account.sign(TEXT), { code: "wallet_failed" });
  isBroken = false;
  await account.sign(TEXT);

  assert.deepEqual(asked, [OFFCHAIN, RAW, OFFCHAIN]);
});

test("a wallet that alters the bytes that it is given deceives nobody", async () => {
  give({ [OFFCHAIN]: undefined, [RAW]: { signMessage: (/** @type {any} */ { message }) => {
    message[0] ^= 1;
    return signRaw(message).then(([{ signature }]) => [{ signature, signedMessage: message }]);
  } } });
  const account = await connectOne();

  await assert.rejects(account.sign(TEXT), { code: "wallet_altered_text" });
});

test("an account is offered once, and only if it can sign on Solana", async () => {
  const broken = { address: 7, chains: ["solana:mainnet"], features: [RAW] };
  wallet.accounts = [
    makeAccount(signer), makeAccount(signer), makeAccount(second, { label: "Savings" }), null, broken,
    makeAccount(await makeSigner(), { features: [] }), makeAccount(await makeSigner(), { chains: ["eip155:1"] }),
    makeAccount(signer, { address: "0x1" }),
  ];
  const accounts = await connectStandard(wallet);

  assert.deepEqual(accounts.map(({ address, label }) => [address, label]),
    [[signer.address, undefined], [second.address, "Savings"]]);
});

for (const answer of [undefined, null, {}, { accounts: [] }, "connected"]) {
  test(`a connect() that answers ${JSON.stringify(answer)} leaves the accounts that the wallet shows`, async () => {
    give({ "standard:connect": { connect: async () => answer } });
    assert.equal((await connectStandard(wallet)).length, 1);

    wallet.accounts = [];
    await assert.rejects(connectStandard(wallet), { code: "wallet_no_account" });
  });
}

test("an account object that was replaced is replaced here, too", async () => {
  const account = await connectOne();
  const fresh = makeAccount(signer);
  wallet.accounts = [fresh];
  give({ [OFFCHAIN]: { supportedMessageVersions: [1], signOffchainMessage: (/** @type {any} */ input) => {
    assert.equal(input.account, fresh);
    return signOffchain(input);
  } } });

  assert.ok(await account.sign(TEXT));
});

for (const [what, accounts, code] of /** @type {[string, object[], string][]} */ ([
  ["switched", [makeAccount(second)], "wallet_account_changed"],
  ["disconnected", [], "wallet_disconnected"],
  ["deprived of its features", [makeAccount(signer, { features: [] })], "wallet_disconnected"],
])) {
  test(`an account that was ${what} signs no more`, async () => {
    const account = await connectOne();
    wallet.accounts = accounts;

    await assert.rejects(account.sign(TEXT), { code });
    assert.deepEqual(asked, []);
  });

  test(`an account that was ${what} in the middle of signing is told, and no other way is tried`, async () => {
    const account = await connectOne();
    give({ [OFFCHAIN]: { supportedMessageVersions: [1], async signOffchainMessage() { wallet.accounts = accounts; throw new Error("gone"); } } });

    await assert.rejects(account.sign(TEXT), { code });
    assert.deepEqual(asked, []);
  });

  test(`an account that was ${what} is told by the wallet's event`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const account = await connectOne();
    /** @type {string[]} */
    const told = [];
    const stop = account.watch((/** @type {any} */ problem) => told.push(problem.code));
    wallet.accounts = accounts;
    change();
    assert.deepEqual(told, [], "some wallets have no account for a moment");
    context.mock.timers.tick(1000);
    assert.deepEqual(told, [code]);

    stop();
    change();
    context.mock.timers.tick(1000);
    assert.equal(told.length, 1);
  });
}

test("an account that is away for a moment is not lost", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const account = await connectOne();
  const { accounts } = wallet;
  account.watch(() => assert.fail("told"));
  wallet.accounts = [];
  change();
  wallet.accounts = accounts;
  change();
  context.mock.timers.tick(1000);
});

for (const events of [undefined, {}, { on() { throw new Error("no"); } }, { on: () => "off" }]) {
  test(`a wallet whose events are ${events ? String(events.on) : "absent"} can be used`, async () => {
    give({ "standard:events": events });
    const account = await connectOne();
    account.watch(() => assert.fail("told"))();

    assert.ok(await account.sign(TEXT));
  });
}

for (const [what, given] of /** @type {[string, any][]} */ ([
  ["null", null],
  ["a text", "wallet"],
  ["an empty object", {}],
  ["chains that are no list", { chains: 1, features: {} }],
  ["features that cannot be read", { chains: ["solana:mainnet"], get features() { throw new Error("no"); } }],
  ["no way to sign", { chains: ["solana:mainnet"], features: { "standard:connect": { connect() {} } } }],
])) {
  test(`${what} is no wallet`, () => {
    assert.equal(isUsable(given), false);
  });
}

test("a wallet that signs only in the off-chain way is one", () => {
  give({ [RAW]: undefined });
  assert.equal(isUsable(wallet), true);
});
