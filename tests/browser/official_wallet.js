// A wallet for tests, made of the official packages; official_wallet.py builds it for the browser.

import { getOffchainMessageV1Encoder } from "@solana/offchain-messages";
import { SOLANA_MAINNET_CHAIN } from "@solana/wallet-standard-chains";
import { SolanaSignMessage, SolanaSignOffchainMessage } from "@solana/wallet-standard-features";
import {
  WALLET_STANDARD_ERROR__USER__REQUEST_REJECTED as REQUEST_REJECTED, WalletStandardError,
} from "@wallet-standard/errors";
import { StandardConnect, StandardDisconnect, StandardEvents } from "@wallet-standard/features";
import { ReadonlyWalletAccount, registerWallet } from "@wallet-standard/wallet";

const ICON = "data:image/svg+xml;base64," + btoa(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#8a63d2"/></svg>');
const PKCS8 = "302e020100300506032b657004220420";

const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));

/** What goes wrong, by name; each throws, or gives what replaces the answer. */
const FAULTS = {
  decline: () => { throw new WalletStandardError(REQUEST_REJECTED); },
  abort: () => { throw new DOMException("signal is aborted without reason", "AbortError"); },
  text: () => { throw "User rejected the request"; },
  fail: () => { throw new Error("Method not found"); },
  hang: () => new Promise(() => {}),
  empty: () => [],
  malformed: () => [{ signature: new Uint8Array(12) }],
};

/**
 * `accounts` is a list of {seed, publicKey, address, label}; `features` names the ways to sign;
 * `faults` lists for each method what goes wrong in its next calls: a key of FAULTS, "alter" or
 * "other"; `isConnected` says that all accounts are authorised from the start.
 */
class OfficialWallet {
  version = "1.0.0";
  icon = ICON;
  chains = [SOLANA_MAINNET_CHAIN];
  asked = [];
  #listeners = new Set();

  constructor({ name = "Official wallet", accounts, features, faults = {}, shown = null }) {
    this.name = name;
    this.faults = faults;
    this.keys = accounts;
    const names = features ?? [SolanaSignOffchainMessage, SolanaSignMessage];
    this.all = accounts.map(({ address, publicKey, label }) => new ReadonlyWalletAccount({
      address, publicKey: bytes(publicKey), label, chains: this.chains, features: names,
    }));
    this.shown = shown ?? this.all.map((_, index) => index);
    this.accounts = [];
    const signing = {
      [SolanaSignMessage]: { version: "1.1.0", signMessage: (input) => this.signMessage(input) },
      [SolanaSignOffchainMessage]: {
        version: "1.0.0",
        supportedMessageVersions: [1],
        signOffchainMessage: (input) => this.signOffchainMessage(input),
      },
    };
    this.features = {
      [StandardConnect]: { version: "1.0.0", connect: () => this.connect() },
      [StandardDisconnect]: { version: "1.0.0", disconnect: async () => this.show([]) },
      [StandardEvents]: {
        version: "1.0.0",
        on: (_, listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      ...Object.fromEntries(names.map((one) => [one, signing[one]])),
    };
  }

  /** Authorise these accounts, by their numbers, and no others. */
  show(numbers) {
    this.accounts = numbers.map((number) => this.all[number]);
    this.shown = numbers;
    for (const listener of this.#listeners) listener({ accounts: this.accounts });
  }

  async connect() {
    await this.#fail("connect");
    this.accounts = this.shown.map((number) => this.all[number]);
    return { accounts: this.accounts };
  }

  async signMessage({ account, message }) {
    const fault = await this.#fail("signMessage");
    if (fault?.answer) return fault.answer;
    const signedMessage = fault === "alter" ? new TextEncoder().encode("Something else") : message;
    return [{ signedMessage, signature: await this.#sign(account, signedMessage, fault) }];
  }

  async signOffchainMessage({ account, message, messageVersion, requiredSigners }) {
    const fault = await this.#fail("signOffchainMessage");
    if (fault?.answer) return fault.answer;
    if (messageVersion !== 1) throw new Error("unknown version");
    const addresses = requiredSigners.map((key) => {
      const found = this.all.find(({ publicKey }) => publicKey.every((byte, at) => byte === key[at]));
      if (!found) throw new Error("unknown signer");
      return { address: found.address };
    });
    const signed = new Uint8Array(getOffchainMessageV1Encoder().encode({
      version: 1,
      requiredSignatories: addresses,
      content: fault === "alter" ? "Something else" : message,
    }));
    return [{ signedOffchainMessage: signed, signature: await this.#sign(account, signed, fault) }];
  }

  async #fail(method) {
    this.asked.push(method);
    const fault = this.faults[method]?.shift();
    if (!(fault in FAULTS)) return fault;
    return { answer: await FAULTS[fault]() };
  }

  async #sign(account, message, fault) {
    const index = this.accounts.indexOf(account);
    if (index < 0) throw new Error("an account object that this wallet does not know");
    const number = this.all.indexOf(account);
    const { seed } = this.keys[fault === "other" ? this.keys.length - 1 - number : number];
    const key = await crypto.subtle.importKey("pkcs8", bytes(PKCS8 + seed), "Ed25519", false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("Ed25519", key, message));
  }
}

/** Register a wallet, and return it. */
export function register(options) {
  const wallet = new OfficialWallet(options);
  registerWallet(wallet);
  return wallet;
}
