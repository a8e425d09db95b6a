// What visitors choose and enter in the flow: a wallet and its account, a nickname, a signature by hand.

import { getElement } from "../elements.js";
import { findSignature, isPrivateKey } from "./signatures.js";
import { say } from "./words.js";

/** @import { Account, Wallet } from "./wallets.js" */

// The buttons for choosing a wallet and one of its accounts. Wallets choose their names, which may be
// long, empty or alike.

const ICON = /^data:image\/(svg\+xml|webp|png|gif);base64,/;
const UNNAMED = "Solana";
const MAX_NAME_LENGTH = 40; // code points

// Controls, and characters that show nothing, so that they cannot make names look alike.
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** The wallets' buttons. One that is there already stays as it is, so that it keeps the focus. */
export class WalletChoices {
  /** @type {Map<Wallet, HTMLElement>} */
  #items = new Map(); // in the order in which they are shown

  /**
   * @param {HTMLElement} list
   * @param {HTMLTemplateElement} template of an item
   * @param {{ choose: (wallet: Wallet) => void, loseFocus: () => void }} on
   */
  constructor(list, template, on) {
    this.list = list;
    this.template = template;
    this.on = on;
  }

  /** @param {Wallet[]} wallets each with the same object as before */
  show(wallets) {
    const lost = this.#removeAllBut(new Set(wallets));
    // A late one is added at the end: those that the visitor may be about to press stay in place.
    for (const wallet of wallets) {
      if (this.#items.has(wallet)) continue;
      const item = this.#make(wallet);
      this.#items.set(wallet, item);
      this.list.append(item);
    }
    this.#label();
    if (lost !== null) this.#moveFocus(lost);
  }

  /**
   * Remove wallets that are gone; return the label of the one that had the focus, or null.
   * @param {Set<Wallet>} wallets
   */
  #removeAllBut(wallets) {
    let lost = null;
    for (const [wallet, item] of this.#items) {
      if (wallets.has(wallet)) continue;
      if (item.contains(document.activeElement)) lost = readName(item);
      item.remove();
      this.#items.delete(wallet);
    }
    return lost;
  }

  #label() {
    const labels = labelWallets([...this.#items.keys()].map(({ name }) => name), UNNAMED);
    [...this.#items.values()].forEach((item, index) => {
      const name = item.querySelector("bdi");
      if (name && name.textContent !== labels[index]) name.textContent = labels[index];
    });
  }

  /** @param {string} label */
  #moveFocus(label) {
    const same = [...this.#items.values()].find((item) => readName(item) === label);
    if (same) same.querySelector("button")?.focus();
    else this.on.loseFocus();
  }

  /** @param {Wallet} wallet */
  #make(wallet) {
    const { site } = wallet;
    const found = site ? say("found_on", { site: new URL(site).host }) : say("found_here");
    const item = makeItem(this.template, { detail: found }, () => this.on.choose(wallet));
    if (typeof wallet.icon === "string" && ICON.test(wallet.icon)) {
      const icon = new Image(32, 32);
      icon.alt = "";
      icon.src = wallet.icon;
      item.querySelector(".logo")?.replaceChildren(icon);
    }
    return item;
  }
}

/**
 * Return a button in a list item for each account, with its label and the whole address.
 * @param {HTMLTemplateElement} template
 * @param {Account[]} accounts
 * @param {(account: Account) => void} choose
 */
export function makeAccountChoices(template, accounts, choose) {
  return accounts.map((account) => {
    const code = document.createElement("code");
    code.textContent = account.address;
    code.dir = "ltr";
    code.translate = false;
    return makeItem(template, { name: cleanName(account.label), detail: code }, () => choose(account));
  });
}

/**
 * @param {HTMLTemplateElement} template
 * @param {{ name?: string, detail: Node | string }} contents
 * @param {() => void} onClick
 */
function makeItem(template, { name = "", detail }, onClick) {
  const item = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  getElement(item, "bdi", HTMLElement).textContent = name;
  getElement(item, "small", HTMLElement).append(detail);
  getElement(item, "button", HTMLButtonElement).addEventListener("click", onClick);
  return item;
}

// Names

/** @param {HTMLElement} item */
const readName = (item) => getElement(item, "bdi", HTMLElement).textContent;

/**
 * Return the name in one line, short and without hidden characters; perhaps empty.
 * @param {unknown} raw
 */
export function cleanName(raw) {
  if (typeof raw !== "string") return "";
  const characters = [...raw.slice(0, 1000).replace(/\s+/gu, " ").replace(HIDDEN, "").trim()];
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("").trim()}…`;
}

/**
 * Return a label for each name; of those alike, the later ones have a number.
 * @param {string[]} raw
 * @param {string} unnamed for a wallet without a name
 */
export function labelWallets(raw, unnamed) {
  const taken = new Set();
  return raw.map((one) => {
    const name = cleanName(one) || unnamed;
    let label = name;
    for (let number = 2; taken.has(fold(label)); number++) label = `${name} (${number})`;
    taken.add(fold(label));
    return label;
  });
}

/** @param {string} label */
const fold = (label) => label.normalize("NFKC").toLowerCase();

// The rules for nicknames, as on the server (embed/domain/nicknames.py), which decides.
// tests/support/nickname_cases.json checks that both give the same answers.

const MAX_LENGTH = 32; // code points, after normalisation

// White space as Python defines it; trim() differs at both ends of the table.
const WHITE_SPACE = "[\\p{White_Space}\\x1c-\\x1f]+";
const AROUND = new RegExp(`^${WHITE_SPACE}|${WHITE_SPACE}$`, "gu");

const INVISIBLE = "\\p{Default_Ignorable_Code_Point}\\u{13441}\\u{13442}\\u{16FE4}";
const ALLOWED = new RegExp(
  `^(?:(?![${INVISIBLE}])\\p{L}` +
    `(?:(?![\\p{Me}\\p{Script=Common}\\p{Script=Inherited}${INVISIBLE}])\\p{M}){0,4}` +
    "|[\\p{N} ._\\-])+$", "u");

/** @param {string} text */
const trim = (text) => text.replace(AROUND, "");

/**
 * Return the nickname as the server stores it: trimmed, NFKC.
 * @param {string} raw
 */
export function normalizeNickname(raw) {
  // NFKC can produce white space at the ends, so trim before and after it.
  return trim(trim(raw).normalize("NFKC"));
}

/**
 * Return the error code for an invalid nickname, or null.
 * @param {string} raw
 * @returns {"invalid_nickname_length" | "invalid_nickname_chars" | null}
 */
export function checkNickname(raw) {
  const nickname = normalizeNickname(raw);
  const length = [...nickname].length;
  if (length < 1 || length > MAX_LENGTH) return "invalid_nickname_length";
  return ALLOWED.test(nickname) ? null : "invalid_nickname_chars";
}

// Signing by hand in the flow's section: the command of the Solana command line to run, quoted for the
// visitor's shell, and the signature that it printed.

/** @typedef {"posix" | "powershell"} Shell */

const ASCII = /^[\n -~]*$/; // what a Ledger shows as text
const PLAIN = /^[\w./][\w+=:./-]*$/; // means the same without quotes in all these shells
const HOME = "~/";

export class HandSigning {
  /**
   * @param {HTMLElement} root the section of flow.html
   * @param {(signature: string) => void} enter is called with a signature that is well formed
   */
  constructor(root, enter) {
    this.message = this.command = "";
    this.address = getElement(root, "[name=address]", HTMLInputElement);
    this.shell = getElement(root, "[name=shell]", HTMLSelectElement);
    this.key = getElement(root, "[name=key]", HTMLInputElement);
    this.shownCommand = getElement(root, "[data-show=command]", HTMLElement);
    this.hint = getElement(root, "[data-if=beyond-ascii]", HTMLElement);
    this.field = getElement(root, "[name=signature]", HTMLTextAreaElement);
    this.advice = getElement(root, "#signature-problem", HTMLElement);
    this.shell.value = guessShell();
    this.shell.addEventListener("change", () => this.#showCommand());
    this.key.addEventListener("input", () => this.#showCommand());
    this.field.addEventListener("input", () => this.#advise(null));
    getElement(root, "[data-form=signature]", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(enter);
    });
  }

  /**
   * Show the command for a message, and empty the field for its signature.
   * @param {string} message
   */
  show(message) {
    this.message = message;
    this.hint.hidden = ASCII.test(message);
    this.field.value = "";
    this.#advise(null);
    this.#showCommand();
  }

  #showCommand() {
    const shell = /** @type {Shell} */ (this.shell.value);
    this.command = buildCommand(this.message, { shell, key: this.key.value.trim() });
    this.shownCommand.textContent = this.command;
  }

  /** @param {(signature: string) => void} enter */
  #send(enter) {
    const pasted = this.field.value;
    const isSecret = isPrivateKey(pasted, this.address.value.trim());
    const signature = isSecret ? null : findSignature(pasted);
    if (signature) return enter(signature);
    this.#advise(isSecret ? say("private_key") : say("bad_signature_form"));
    if (isSecret) this.field.value = "";
    this.field.focus();
  }

  /** @param {string | null} advice what is wrong with the text in the field */
  #advise(advice) {
    this.advice.textContent = advice;
    this.field.setAttribute("aria-invalid", String(advice !== null));
  }
}

// The command

/**
 * Return the command that signs `message` with `key`: a file, or a device such as usb://ledger.
 * Without a key the command line takes its own.
 * @param {string} message
 * @param {{ shell: Shell, key: string }} options
 */
export function buildCommand(message, { shell, key }) {
  const options = key ? ["-k", quoteKey(key, shell)] : [];
  return ["solana", "sign-offchain-message", ...options, quote(message, shell)].join(" ");
}

/**
 * Return `text` as one argument that arrives unchanged.
 * @param {string} text
 * @param {Shell} shell
 */
export function quote(text, shell) {
  if (PLAIN.test(text)) return text;
  return shell === "powershell" ? `"${escapeForPowerShell(text)}"` : quoteForPosix(text);
}

/** @param {string} text */
const quoteForPosix = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Escape what double quotes of PowerShell leave special; some of the curly quotes count as straight ones.
 * Line breaks are written as `n: the clipboard of Windows makes CRLF of them, and pasting line by line
 * would run a part of the command.
 * @param {string} text
 */
const escapeForPowerShell = (text) =>
  text.replace(/[`$"\u201c-\u201e]/g, "`$&").replaceAll("\n", "`n");

/**
 * Quote a path; a ~ in front means the home directory, also in PowerShell, which expands only $HOME.
 * @param {string} key
 * @param {Shell} shell
 */
function quoteKey(key, shell) {
  if (!key.startsWith(HOME)) return quote(key, shell);
  const rest = key.slice(HOME.length);
  if (shell === "powershell") return `"$HOME/${escapeForPowerShell(rest)}"`;
  return rest ? HOME + quote(rest, shell) : HOME;
}

/** Return the shell that the visitor's system brings along. */
export function guessShell() {
  const { platform } = /** @type {{ userAgentData?: { platform?: string } }} */ (navigator).userAgentData ?? {};
  return /^win/i.test(platform || navigator.platform) ? "powershell" : "posix";
}
