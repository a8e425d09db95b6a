// Finds this window's wallets, by the Wallet Standard or older globals, and checks their answers; reads and
// writes signatures; and calls another window, which has the wallets or the session.

import { attempt } from "../elements.js";
import { Problem } from "./api.js";

/**
 * @typedef {{ signal?: AbortSignal, onNextWay?: () => void }} SignOptions `signal` is aborted when
 *   the visitor leaves; `onNextWay` is called before the wallet is asked again in another way
 * @typedef {{ address: string, label?: string,
 *   watch?: (onLost: (problem: Problem) => void) => (() => void),
 *   sign?: (text: string, options?: SignOptions) => Promise<string> }} Account
 * @typedef {{ name: string, icon?: string | null, site?: string,
 *   connect: () => Promise<Account | Account[]> }} Wallet `site` is the site whose page has it, if not this one
 */

/**
 * Call `onChange` with the wallets now and whenever one comes or goes; each keeps its object.
 * `connect()` returns one account, or several to choose from; `sign()` returns the signature as
 * base64. Both throw a Problem if they fail.
 * @param {(wallets: Wallet[]) => void} onChange
 */
export function watchWallets(onChange) {
  /** @type {Map<StandardWallet, Wallet>} */
  const standard = new Map(); // all registered ones, since one may become usable later
  /** @type {Map<Provider, Wallet>} */
  const older = new Map();
  const tell = () => onChange(listWallets(standard, older));

  /** @param {StandardWallet[]} wallets */
  const register = (...wallets) => {
    const fresh = wallets.filter((wallet) => !standard.has(wallet)); // some register twice
    for (const wallet of fresh) {
      standard.set(wallet, makeStandard(wallet));
      attempt(() => listenToChanges(wallet, tell)); // it may have no events, or broken ones
    }
    tell();
    return () => {
      fresh.forEach((wallet) => standard.delete(wallet));
      tell();
    };
  };
  const api = Object.freeze({ register });
  // Listen first, then announce that we're ready, so the order of loading doesn't matter.
  window.addEventListener("wallet-standard:register-wallet", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event); // or a custom Event of the wallet
    if (typeof detail === "function") detail(api);
  });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
  tell();
  // The older globals don't announce themselves by an event.
  window.addEventListener("load", tell, { once: true });
}

/**
 * @param {StandardWallet} wallet
 * @returns {Wallet}
 */
const makeStandard = (wallet) => ({
  get name() { return readText(() => wallet.name) ?? ""; },
  get icon() { return readText(() => wallet.icon); },
  connect: () => connectStandard(wallet),
});

/** @param {() => unknown} read a wallet's getter, which may throw or return anything */
function readText(read) {
  const text = attempt(read);
  return typeof text === "string" ? text : null;
}

/**
 * @param {Map<StandardWallet, Wallet>} standard
 * @param {Map<Provider, Wallet>} older
 */
function listWallets(standard, older) {
  const usable = [...standard].filter(([wallet]) => isUsable(wallet)).map(([, made]) => made);
  const names = new Set(usable.map(({ name }) => name.toLowerCase()));
  for (const [name, provider] of listOlder()) {
    if (older.has(provider)) continue;
    older.set(provider, { name, icon: null, connect: () => connectOlder(provider) });
  }
  const absent = [...older.values()].filter(({ name }) => !names.has(name.toLowerCase()));
  return [...usable, ...absent];
}

// The objects that wallets put into `window` before the standard existed.

/**
 * @typedef {{ signMessage: Function, connect: Function, publicKey?: any, isPhantom?: boolean,
 *   isSolflare?: boolean, isBackpack?: boolean, on?: Function, off?: Function,
 *   removeListener?: Function }} Provider
 */

const OLDER_EVENTS = ["accountChanged", "disconnect"];

/** @returns {[name: string, provider: Provider][]} */
function listOlder() {
  const globals = /** @type {any} */ (window);
  /** @type {Map<Provider, string>} */
  const found = new Map();
  for (const read of [
    () => globals.phantom?.solana,
    () => globals.solana,
    () => globals.solflare,
    () => globals.backpack,
  ]) {
    attempt(() => { // something else with this name may be unreadable, such as another site's frame
      const provider = read();
      if (isProvider(provider) && !found.has(provider)) found.set(provider, nameOlder(provider, globals));
    });
  }
  return [...found].map(([provider, name]) => [name, provider]);
}

/** @param {any} one */
const isProvider = (one) =>
  typeof one?.signMessage === "function" && typeof one.connect === "function";

/**
 * @param {Provider} provider
 * @param {{ solflare?: Provider, backpack?: Provider }} globals
 */
function nameOlder(provider, { solflare, backpack }) {
  if (provider.isPhantom) return "Phantom";
  if (provider.isSolflare || provider === solflare) return "Solflare";
  if (provider.isBackpack || provider === backpack) return "Backpack";
  return "Solana";
}

/**
 * @param {Provider} provider
 * @returns {Promise<Account>}
 */
async function connectOlder(provider) {
  const address = await ask(async () => {
    const answer = await provider.connect();
    return toAddress(answer?.publicKey ?? provider.publicKey);
  });
  if (!address || !isAddress(address)) throw new Problem("wallet_no_account");
  const wasShown = toAddress(provider.publicKey) !== null;
  const findLoss = () => {
    const current = toAddress(provider.publicKey);
    if (current === null) return wasShown ? new Problem("wallet_disconnected") : null;
    return current === address ? null : new Problem("wallet_account_changed");
  };
  return {
    address,
    watch: (onLost) => watchAccount((onChange) => listenToOlder(provider, onChange), findLoss, onLost),
    sign: (text) => signOlder(provider, { text, address }, findLoss),
  };
}

/** @param {any} publicKey */
const toAddress = (publicKey) =>
  publicKey ? String(publicKey.toBase58?.() ?? publicKey.toString()) : null;

/**
 * @param {Provider} provider
 * @param {{ text: string, address: string }} request
 * @param {() => Problem | null} findLoss
 */
async function signOlder(provider, request, findLoss) {
  const loss = findLoss();
  if (loss) throw loss;
  const message = new TextEncoder().encode(request.text);
  return parseAnswer(await ask(() => provider.signMessage(message, "utf8")), request);
}

/**
 * @param {Provider} provider
 * @param {() => void} onChange
 */
function listenToOlder(provider, onChange) {
  for (const event of OLDER_EVENTS) provider.on?.(event, onChange);
  return () => {
    const remove = provider.off ?? provider.removeListener;
    for (const event of OLDER_EVENTS) remove?.call(provider, event, onChange);
  };
}

// Wallets of the Wallet Standard (https://github.com/wallet-standard/wallet-standard), their accounts,
// and their ways to sign a text. Accounts and features may change at any time, so they're read again
// each time they're used.

/**
 * The used parts of the standard:
 * @typedef {{ name: string, icon: string, chains: string[], accounts: StandardAccount[],
 *   features: Record<string, any> }} StandardWallet
 * @typedef {{ address: string, publicKey: Uint8Array, chains?: string[], features?: string[],
 *   label?: string }} StandardAccount
 *
 * @typedef {{ name: string, canUse: (feature: any) => boolean,
 *   sign: (feature: any, account: StandardAccount, text: string) => Promise<unknown> }} Way
 */

const CONNECT = "standard:connect";
const EVENTS = "standard:events";
const OFFCHAIN_VERSION = 1;

// After these, try the next way at once; after a "no", or with another account, only when asked again.
const WORTH_ANOTHER_WAY = new Set(["wallet_failed", "wallet_bad_answer", "wallet_altered_text"]);

/** The ways to sign, in the order they're tried. @type {Way[]} */
const WAYS = [
  {
    name: "solana:signOffchainMessage",
    canUse: ({ signOffchainMessage, supportedMessageVersions: versions }) =>
      typeof signOffchainMessage === "function" && (versions?.includes(OFFCHAIN_VERSION) ?? true),
    sign: (feature, account, message) =>
      feature.signOffchainMessage({
        messageVersion: OFFCHAIN_VERSION,
        account,
        message,
        requiredSigners: [account.publicKey],
      }),
  },
  {
    name: "solana:signMessage",
    canUse: ({ signMessage }) => typeof signMessage === "function",
    sign: (feature, account, text) =>
      feature.signMessage({ account, message: new TextEncoder().encode(text) }),
  },
];

/**
 * @param {Way} way
 * @param {Record<string, any>} features a wallet's features
 * @returns {boolean}
 */
const isOffered = ({ name, canUse }, features) =>
  Boolean(features[name]) && canUse(features[name]);

// Wallets

/**
 * Return whether this wallet can connect and sign on Solana now.
 * @param {StandardWallet} wallet
 */
export function isUsable(wallet) {
  return attempt(() => {
    const isShowable = typeof wallet.name === "string" && typeof (wallet.icon ?? "") === "string";
    return isShowable && isOnSolana(wallet) && typeof wallet.features[CONNECT].connect === "function" &&
      WAYS.some((way) => isOffered(way, wallet.features));
  }) ?? false;
}

/**
 * Ask the wallet for its accounts; returns at least one.
 * @param {StandardWallet} wallet
 * @returns {Promise<Account[]>}
 */
export async function connectStandard(wallet) {
  const accounts = await ask(async () => {
    const answer = await wallet.features[CONNECT].connect();
    const given = listUsable(answer?.accounts?.length ? answer.accounts : (wallet.accounts ?? []));
    return given.map((account) => new StandardAccountInUse(wallet, account));
  });
  if (accounts.length === 0) throw new Problem("wallet_no_account");
  return accounts;
}

/** @param {{ chains?: string[] }} one */
const isOnSolana = (one) => (one.chains ?? []).some((chain) => chain.startsWith("solana:"));

/**
 * Call `onChange` whenever the wallet's accounts, features or chains change; return what stops it.
 * @param {StandardWallet} wallet
 * @param {() => void} onChange
 */
const listenToChanges = (wallet, onChange) => wallet.features[EVENTS].on("change", onChange);

// Accounts

/**
 * Return the accounts that can sign, one per address.
 * @param {StandardAccount[]} accounts
 */
function listUsable(accounts) {
  /** @type {Map<string, StandardAccount>} */
  const found = new Map();
  for (const account of accounts) {
    if (canSign(account) && !found.has(account.address)) found.set(account.address, account);
  }
  return [...found.values()];
}

/** @param {StandardAccount} account */
const canSign = (account) =>
  attempt(() => isOnSolana(account) && isAddress(account.address) &&
    WAYS.some(({ name }) => account.features?.includes(name)));

/**
 * The ways in which a wallet's accounts didn't sign, the latest last: the next attempt begins with another,
 * also after a "no", since some wallets decline by themselves what they can't do.
 * @type {WeakMap<StandardWallet, string[]>}
 */
const failures = new WeakMap();

/** @implements {Account} */
class StandardAccountInUse {
  /**
   * @param {StandardWallet} wallet
   * @param {StandardAccount} account
   */
  constructor(wallet, account) {
    this.wallet = wallet;
    this.given = account;
    this.address = account.address;
    this.label = account.label;
    this.wasListed = this.#find() !== undefined;
  }

  /**
   * Call `onLost` when the wallet no longer lets this page use the account; return a function that stops it.
   * @param {(problem: Problem) => void} onLost
   */
  watch(onLost) {
    const listen = (/** @type {() => void} */ onChange) => listenToChanges(this.wallet, onChange);
    return watchAccount(listen, () => this.#findLoss(), onLost);
  }

  /**
   * Sign the text in the first way that works and return the signature as base64.
   * @param {string} text
   * @param {SignOptions} [options]
   */
  async sign(text, { signal, onNextWay } = {}) {
    let problem = new Problem("wallet_no_account");
    for (const [index, way] of this.#listWays().entries()) {
      if (index > 0) onNextWay?.();
      // A way that never answers has failed, too, when the visitor stops waiting for it.
      const giveUp = () => this.#postpone(way);
      signal?.addEventListener("abort", giveUp);
      try {
        return await this.#signBy(way, text);
      } catch (error) {
        problem = explainThrown(error);
        this.#postpone(way);
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
      if (!WORTH_ANOTHER_WAY.has(problem.code)) throw problem;
      if (signal?.aborted) throw problem; // don't ask a visitor who has left
    }
    throw this.#findLoss() ?? problem;
  }

  /** @param {Way} way that failed */
  #postpone(way) {
    const failed = failures.get(this.wallet) ?? [];
    const entry = this.#name(way);
    failures.set(this.wallet, [...failed.filter((one) => one !== entry), entry]);
  }

  /** @param {Way} way */
  #name({ name }) {
    return `${this.address} ${name}`;
  }

  /** Return the ways, first those that haven't failed, then those that failed longer ago. */
  #listWays() {
    const account = this.#getCurrent();
    const failed = failures.get(this.wallet) ?? [];
    const offered = WAYS.filter(
      (way) => account.features?.includes(way.name) && isOffered(way, this.wallet.features),
    );
    return offered.sort((one, other) => failed.indexOf(this.#name(one)) - failed.indexOf(this.#name(other)));
  }

  /**
   * @param {Way} way
   * @param {string} text
   */
  async #signBy(way, text) {
    const account = this.#getCurrent();
    const answer = await ask(() => way.sign(this.wallet.features[way.name], account, text));
    const others = this.#listCurrent().map(({ address }) => address);
    return parseAnswer(answer, { text, address: this.address, others });
  }

  /** Return the wallet's current account object, since wallets compare identity. */
  #getCurrent() {
    const problem = this.#findLoss();
    if (problem) throw problem;
    return this.#find() ?? this.given;
  }

  #findLoss() {
    if (this.#find()) return null;
    if (this.#listCurrent().length > 0) return new Problem("wallet_account_changed");
    // Some wallets never list the accounts that connect() returns.
    return this.wasListed ? new Problem("wallet_disconnected") : null;
  }

  #find() {
    return this.#listCurrent().find(({ address }) => address === this.address);
  }

  #listCurrent() {
    return attempt(() => listUsable(this.wallet.accounts ?? [])) ?? [];
  }
}

// Turns wallets' answers and exceptions into a signature as base64, or a Problem that says what went wrong,
// so visitors aren't asked to sign again and again (the server decides about signatures). Also checks
// whether wallets still let this page use an account.

/**
 * @typedef {{ text: string, address: string, others?: string[] }} SigningRequest the text to sign, the
 *   account that should sign it, and the wallet's other accounts
 */

const USER_REJECTED = 4001; // from EIP-1193, which Solana wallets also follow
const REQUEST_REJECTED = 4001000; // @wallet-standard/errors
const REQUEST_OPEN = -32002; // an earlier question is still open in the wallet
const CAUSES = 4; // wallets wrap errors; the limit also ends an error that's its own cause

const DECLINED = /reject|den(?:y|ied)|declin|cancel|dismiss|abort|closed (?:by|the)|(?:window|tab|pop-?up|modal)[\w ]{0,20}closed/i;
const BY_VISITOR = /\buser (?:has )?(?:reject|den|declin|cancel|dismiss|clos|abort)/i;
// "Rejected: the message must be ASCII" means that the wallet declined, not the visitor.
const ABOUT_TEXT = /ascii|utf-?8|charact|encoding|unsupported|not supported/i;

/**
 * Call a wallet; turn exceptions into Problems.
 * @template T
 * @param {() => T | Promise<T>} question
 * @returns {Promise<T>}
 */
export async function ask(question) {
  try {
    return await question();
  } catch (thrown) {
    throw explainThrown(thrown);
  }
}

// Answers

/**
 * Return the signature in a wallet's answer as base64. Throws a Problem that says whether the answer is
 * malformed, or is for another text or account.
 * @param {any} raw the wallet's answer, or the first of several
 * @param {SigningRequest} request
 * @returns {Promise<string>}
 */
export async function parseAnswer(raw, request) {
  const answer = Array.isArray(raw) && typeof raw[0] === "object" ? raw[0] : raw;
  const signature = parseSignature(answer?.signature ?? answer);
  if (!signature) throw new Problem("wallet_bad_answer");
  const signed = parseBytes(answer.signedOffchainMessage ?? answer.signedMessage);
  if (signed && !holdsText(signed, request.text)) throw new Problem("wallet_altered_text");
  const signer = answer.publicKey?.toBase58?.();
  if (signer && signer !== request.address) throw new Problem("wallet_other_account");
  await checkSignature(signature, signed, request);
  return encodeBase64(signature);
}

/** @param {unknown} raw bytes, or a text or its bytes, which are always longer than a signature */
function parseSignature(raw) {
  const bytes = parseBytes(raw);
  const signature = bytes && readSignature(bytes);
  if (signature) return signature;
  const text = bytes ? new TextDecoder().decode(bytes) : raw;
  const base64 = typeof text === "string" ? findSignature(text) : null;
  return base64 && decodeBase64(base64);
}

/**
 * Return a copy of the bytes, or null. Wallets in other frames have other classes for bytes, and JSON
 * turns them into numbered objects: {"0": 255, "1": 7}.
 * @param {any} raw
 */
function parseBytes(raw) {
  if (ArrayBuffer.isView(raw)) return new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength).slice();
  if (Object.prototype.toString.call(raw) === "[object ArrayBuffer]") return new Uint8Array(raw).slice();
  const numbered = Object.entries((raw?.type === "Buffer" ? raw.data : raw) ?? {});
  const areBytes = numbered.every(([key, one], index) => key === String(index) && isByte(one));
  return areBytes && numbered.length > 0 ? Uint8Array.from(numbered, ([, one]) => one) : null;
}

/** @param {unknown} one */
const isByte = (one) => Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256;

/**
 * Throw a Problem if the signature doesn't match the text and the account; in browsers without Ed25519,
 * the server finds out.
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {Uint8Array | null} signed
 * @param {SigningRequest} request
 */
async function checkSignature(signature, signed, { text, address, others = [] }) {
  const fits = await isSignatureOf(address, signature, signed, text);
  if (fits !== false) return;
  for (const other of others) {
    if (await isSignatureOf(other, signature, signed, text)) throw new Problem("wallet_other_account");
  }
  throw new Problem("wallet_wrong_signature", { details: { address } });
}

/**
 * Return whether this account signed the text in some form, or null if that can't be checked.
 * @param {string} address
 * @param {Uint8Array<ArrayBuffer>} signature
 * @param {Uint8Array | null} signed
 * @param {string} text
 */
async function isSignatureOf(address, signature, signed, text) {
  const publicKey = decodeBase58(address);
  if (!publicKey) return null;
  const key = await crypto.subtle?.importKey("raw", publicKey, "Ed25519", false, ["verify"]).catch(() => null);
  if (!key) return null;
  const hosts = [globalThis.location?.host, globalThis.location?.hostname].filter((host) => host);
  const forms = [...(signed ? [signed] : []), ...listSignableForms(text, publicKey, hosts)];
  for (const form of forms) {
    if (await crypto.subtle.verify("Ed25519", key, signature, Uint8Array.from(form))) return true;
  }
  return false;
}

// Exceptions. A visitor who declined must not be asked again

/**
 * Return the Problem for a wallet's exception, which can be anything, even a string or nothing.
 * @param {unknown} thrown
 */
export function explainThrown(thrown) {
  if (thrown instanceof Problem) return thrown;
  const chain = attempt(() => [...unwrap(thrown)]) ?? []; // its properties may be unreadable
  if (chain.some(isDeclined)) return new Problem("wallet_rejected");
  const isBusy = chain.some(({ code }) => code === REQUEST_OPEN);
  return new Problem(isBusy ? "wallet_busy" : "wallet_failed");
}

/**
 * Yield the error and its causes.
 * @param {any} error
 * @returns {Generator<{ code: unknown, name: string, text: string }>}
 */
function* unwrap(error) {
  for (let count = 0; error && count < CAUSES; count++) {
    if (typeof error === "string") {
      yield { code: null, name: "", text: error };
      return;
    }
    const code = Number(error.context?.__code ?? error.code);
    yield { code, name: String(error.name ?? ""), text: String(error.message ?? "") };
    error = error.cause ?? error.error;
  }
}

/** @param {{ code: unknown, name: string, text: string }} error */
function isDeclined({ code, name, text }) {
  if (code === USER_REJECTED || code === REQUEST_REJECTED) return true;
  // A production build's code, if the error passed through a message that kept only its text.
  if (text.includes(`Wallet Standard error #${REQUEST_REJECTED};`)) return true;
  if (name === "AbortError") return true;
  if (BY_VISITOR.test(text)) return true;
  return DECLINED.test(`${name} ${text}`) && !ABOUT_TEXT.test(text);
}

// Lost accounts

const GRACE_MS = 500; // some wallets briefly have no account while they reconnect

/**
 * Call `onLost` when the account is unusable some time after a change in the wallet; return a function
 * that stops it. A wallet without change events is checked when it signs.
 * @param {(onChange: () => void) => unknown} listen starts listening to the wallet; returns how to stop
 * @param {() => Problem | null} findLoss
 * @param {(problem: Problem) => void} onLost
 */
function watchAccount(listen, findLoss, onLost) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isWatching = true;
  const check = () => {
    const problem = findLoss();
    if (problem) onLost(problem);
  };
  const off = attempt(() => listen(() => {
    clearTimeout(timer);
    if (isWatching) timer = setTimeout(check, GRACE_MS);
  }));
  return () => {
    isWatching = false;
    clearTimeout(timer);
    if (typeof off === "function") attempt(() => off());
  };
}

// Signatures: the bytes that they may cover instead of the plain text
// (embed/domain/wallet_signatures.py decides), and how wallets and command lines write them: in base58,
// base64 and hex.

const SIGNATURE_BYTES = 64;
const DOMAIN = new Uint8Array([0xff, ...new TextEncoder().encode("solana offchain")]);
const APPLICATION_BYTES = 32;
const FORMATS = [0, 1]; // ASCII and UTF-8
const MAX_BASE58 = 2_500; // a bit more than an envelope around the longest text that a Ledger signs
const KEY_FILE = /^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$/;

// The bytes that a signature covers: only used to explain problems before anything is sent

/**
 * Yield the bytes that a wallet may sign for the text and one signer, the most frequent form first.
 * @param {string} text
 * @param {Uint8Array} publicKey
 * @param {string[]} hosts the hosts that a wallet may name as the application
 */
export function* listSignableForms(text, publicKey, hosts) {
  const body = new TextEncoder().encode(text);
  const length = [body.length & 255, body.length >> 8];
  const signer = [1, ...publicKey];
  yield body;
  yield join([1, ...signer], body);
  yield join([1, ...signer, ...length], body); // an early form of version 1
  for (const format of FORMATS) yield join([0, format, ...length], body); // the command line's form
  for (const application of ["", ...hosts.filter((host) => host.length <= APPLICATION_BYTES)]) {
    for (const format of FORMATS) {
      yield join([0, ...pad(application), format, ...signer, ...length], body);
    }
  }
}

/**
 * Return whether these bytes are the text, either alone or at the end of an off-chain envelope.
 * @param {Uint8Array} bytes
 * @param {string} text
 */
export function holdsText(bytes, text) {
  const body = new TextEncoder().encode(text);
  const start = bytes.length - body.length;
  if (start < 0 || !body.every((byte, index) => bytes[start + index] === byte)) return false;
  return start === 0 || isEnvelope(bytes);
}

/** @param {Uint8Array} bytes */
const isEnvelope = (bytes) => DOMAIN.every((byte, index) => bytes[index] === byte);

/**
 * @param {number[]} head
 * @param {Uint8Array} body
 */
const join = (head, body) => Uint8Array.from([...DOMAIN, ...head, ...body]);

/** @param {string} host */
const pad = (host) => new TextEncoder().encode(host.padEnd(APPLICATION_BYTES, "\0"));

// How signatures are written

/**
 * Return the 64 bytes of a signature, or null. The signature may be alone, or followed by the signed
 * envelope, as hardware wallets answer: a count of 1, the signature, the envelope.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function readSignature(bytes) {
  if (bytes.length === SIGNATURE_BYTES) return bytes;
  const isBeforeEnvelope = bytes[0] === 1 && isEnvelope(bytes.slice(1 + SIGNATURE_BYTES));
  return isBeforeEnvelope ? bytes.slice(1, 1 + SIGNATURE_BYTES) : null;
}

/**
 * Return the only signature in a text as base64, the API's form, or null. It may be broken into lines, or
 * be among other words, which the command line prints while it waits for a device.
 * @param {string} text
 */
export function findSignature(text) {
  const words = text.split(/\s+/);
  const whole = findInWord(words.join(""));
  if (whole) return encodeBase64(whole);
  const found = new Set(words.map(findInWord).filter((each) => each !== null).map(encodeBase64));
  return found.size === 1 ? [...found][0] : null;
}

/** @param {string} word */
function findInWord(word) {
  return decodeWord(word).map(readSignature).find((signature) => signature !== null) ?? null;
}

/** @param {string} word */
function decodeWord(word) {
  const decoded = [decodeBase58(word, MAX_BASE58), decodeBase64(word), decodeHex(word)];
  return decoded.filter((bytes) => bytes !== null); // at most one has a signature's length
}

/**
 * Return whether a text is the wallet's private key instead of a signature: the contents of a key file,
 * or a wallet's export, which is 64 bytes that end with the public key.
 * @param {string} text
 * @param {string} address
 */
export function isPrivateKey(text, address) {
  if (KEY_FILE.test(text)) return true;
  const bytes = decodeBase64(findSignature(text) ?? "");
  return bytes?.length === SIGNATURE_BYTES && encodeBase58(bytes.slice(32)) === address;
}

// Base58, base64 and hex of keys and signatures.

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Return the bytes of a base58 text, or null if it's invalid or too long.
 * @param {string} text
 * @param {number} [maxLength] the work grows with its square
 */
export function decodeBase58(text, maxLength = 128) {
  if (text.length > maxLength) return null;
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const bytes = [];
  for (; value > 0n; value >>= 8n) bytes.push(Number(value & 255n));
  const zeros = text.length - text.replace(/^1+/, "").length;
  return Uint8Array.from([...bytes, ...new Array(zeros).fill(0)].reverse());
}

/** @param {Uint8Array} bytes */
export function encodeBase58(bytes) {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) + BigInt(byte);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = "1" + text;
  }
  return text;
}

/** @param {Uint8Array} bytes */
export const encodeBase64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** @param {string} text */
export const isAddress = (text) => decodeBase58(text)?.length === 32;

/**
 * Return the only address in what a person pasted, or null: on its own, or a part of a link's path.
 * @param {string} pasted
 */
export function findAddress(pasted) {
  const parts = pasted.split(/[?#]/)[0].split(/[/:]/);
  const trimmed = parts.map((part) => part.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, ""));
  const found = new Set(trimmed.filter(isAddress));
  return found.size === 1 ? [...found][0] : null;
}

/**
 * Return the bytes of a base64 text, or null. Padding is optional, and the URL alphabet is allowed.
 * @param {string} text
 */
export function decodeBase64(text) {
  const digits = text.replace(/-/g, "+").replace(/_/g, "/").replace(/=+$/, "");
  const decoded = attempt(() => atob(digits));
  // atob ignores stray bits at the end, so truncated base58 could be accepted as base64.
  if (decoded === null || btoa(decoded).replace(/=+$/, "") !== digits) return null;
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
}

/**
 * Return the bytes of a hex text, which may begin with 0x, or null.
 * @param {string} text
 */
function decodeHex(text) {
  const digits = text.replace(/^0x/i, "");
  if (!/^(?:[\da-f]{2})+$/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

// Calls to another window: from the signing window to the frame that opened it, and from the frame to its
// host page. Each call has its own MessageChannel, so answers can't be mixed up, and late answers are
// dropped with the closed channel.

/**
 * @typedef {{ value?: any, problem?: { code: string, details: object, retryAt: number | null },
 *   isUnderWay?: boolean }} Answer `isUnderWay`: progress, not the answer yet
 */

/**
 * Post {kind, args} and a port to `target` and return the answer from that port.
 * Rejects with the Problem in the answer, with `window_disconnected` after `timeoutMs`, or with the
 * signal's reason if it's aborted.
 * @param {Window} target
 * @param {{ kind: string, args: unknown[] }} message
 * @param {{ origin: string, timeoutMs: number, signal?: AbortSignal, onProgress?: () => void }} options
 * @returns {Promise<any>}
 */
export function call(target, message, { origin, timeoutMs, signal, onProgress }) {
  const { port1: port, port2: theirs } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const abort = () => {
      port.postMessage("abort");
      end();
      reject(signal?.reason);
    };
    // The frame was reloaded and no longer knows this window.
    const timer = setTimeout(() => {
      end();
      reject(new Problem("window_disconnected"));
    }, timeoutMs);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      port.close();
    };
    port.onmessage = ({ data }) => {
      const { value, problem, isUnderWay } = /** @type {Answer} */ (data ?? {});
      if (isUnderWay) return onProgress?.();
      end();
      if (problem) reject(Object.assign(new Problem(problem.code), problem));
      else resolve(value);
    };
    signal?.addEventListener("abort", abort);
    target.postMessage(message, origin, [theirs]);
  });
}

/**
 * Answer a call on its port with the result of `action`. The caller closes the port; `signal` is aborted
 * when the caller no longer wants an answer, and `tell` reports progress to it.
 * @param {MessagePort} port
 * @param {(signal: AbortSignal, tell: () => void) => Promise<unknown>} action
 */
export async function answerCall(port, action) {
  const controller = new AbortController();
  port.onmessage = () => controller.abort();
  try {
    const tell = () => port.postMessage({ isUnderWay: true });
    port.postMessage({ value: await action(controller.signal, tell) });
  } catch (error) {
    const { code, details, retryAt } = error instanceof Problem ? error : new Problem("server");
    port.postMessage({ problem: { code, details, retryAt } });
  }
}
