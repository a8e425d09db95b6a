// Signing by hand in the flow's section: the command of the Solana command line to run, quoted for the
// visitor's shell, and the signature that it printed.

import { getElement } from "../elements.js";
import { findSignature, isPrivateKey } from "./signatures.js";
import { say } from "./words.js";

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
    this.message = "";
    this.address = getElement(root, "[name=address]", HTMLInputElement);
    this.shell = getElement(root, "[name=shell]", HTMLSelectElement);
    this.key = getElement(root, "[name=key]", HTMLInputElement);
    this.command = getElement(root, "[data-show=command]", HTMLElement);
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
    this.command.textContent = buildCommand(this.message, { shell, key: this.key.value.trim() });
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
