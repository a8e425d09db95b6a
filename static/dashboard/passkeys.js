// Passkeys: asks the browser for one, and sends its answer with the form around the button.

import { getElement } from "../elements.js";

/** The server's JSON, where the browser needs bytes. @typedef {{ id: string }} Described */

/** @param {string} text in base64url */
function decode(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** @param {ArrayBuffer | null | undefined} bytes */
function encode(bytes) {
  if (!bytes) return undefined;
  const plain = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {Described[]} described */
function decodeIds(described) {
  return described.map((one) => ({ ...one, type: /** @type {const} */ ("public-key"), id: decode(one.id) }));
}

/** Ask the browser to create or use a passkey. @param {any} asked in WebAuthn's JSON format */
function ask(asked) {
  const challenge = decode(asked.challenge);
  if (asked.rp) {
    const user = { ...asked.user, id: decode(asked.user.id) };
    const excludeCredentials = decodeIds(asked.excludeCredentials);
    return navigator.credentials.create({ publicKey: { ...asked, challenge, user, excludeCredentials } });
  }
  const allowCredentials = decodeIds(asked.allowCredentials);
  return navigator.credentials.get({ publicKey: { ...asked, challenge, allowCredentials } });
}

/** @param {PublicKeyCredential} credential */
function write({ rawId, response }) {
  const id = encode(rawId);
  const answer = /** @type {AuthenticatorAttestationResponse & AuthenticatorAssertionResponse} */ (response);
  return JSON.stringify({
    id,
    rawId: id,
    type: "public-key",
    response: {
      clientDataJSON: encode(answer.clientDataJSON),
      attestationObject: encode(answer.attestationObject),
      authenticatorData: encode(answer.authenticatorData),
      signature: encode(answer.signature),
      userHandle: encode(answer.userHandle),
    },
  });
}

/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll("button[data-passkey]");
for (const button of buttons) {
  const { form } = button;
  if (!form) continue;
  const field = getElement(form, "[data-answer]", HTMLInputElement);
  const problem = getElement(form, "[data-problem]", HTMLElement);
  const { canceled, known, failed, unsupported } = problem.dataset;
  if (!("PublicKeyCredential" in window)) {
    problem.textContent = unsupported ?? "";
    continue;
  }
  button.disabled = false;
  button.addEventListener("click", async () => {
    if (!form.reportValidity()) return;
    problem.textContent = "";
    button.disabled = true;
    try {
      const credential = await ask(JSON.parse(button.dataset.passkey ?? ""));
      field.value = write(/** @type {PublicKeyCredential} */ (credential));
      form.requestSubmit();
    } catch (error) {
      const name = error instanceof DOMException ? error.name : "";
      const reasons = { NotAllowedError: canceled, AbortError: canceled, InvalidStateError: known };
      problem.textContent = /** @type {Record<string, string | undefined>} */ (reasons)[name] ?? failed ?? "";
    } finally {
      button.disabled = false;
    }
  });
}
