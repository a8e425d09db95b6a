// Signing by hand in the flow's section: the command to run, and the signature that it printed.

import { getElement } from "../elements.js";
import { buildCommand, guessShell } from "./hand-command.js";
import { findSignature, isPrivateKey } from "./hand-signature.js";
import { say } from "./words.js";

/** @import { Shell } from "./hand-command.js" */

const ASCII = /^[\n -~]*$/; // what a Ledger shows as text

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
