// The visitor's input in the flow's section: buttons and forms.

import { findAround, getElement } from "../elements.js";
import { Problem } from "./api.js";
import { copyText } from "./clipboard.js";
import { isAddress } from "./codec.js";
import { checkNickname } from "./nicknames.js";
import { say } from "./words.js";

/**
 * @typedef {{ enterAddress: (address: string) => void, enterNickname: (nickname: string) => void,
 *   enterSignature: (signature: string) => void, sign: () => void, retry: () => void,
 *   withdraw: () => void, cancel: () => void, back: () => void, close: () => void, openWindow?: (() => void) | null,
 *   fail: (problem: Problem) => void }} Handlers
 */

const LEAVING = ["back", "cancel", "close", "open-window"];

/**
 * Call the handlers with the visitor's input, once it is well formed.
 * @param {HTMLElement} root the section of flow.html
 * @param {Handlers} on
 */
export function listenToVisitor(root, on) {
  listenToButtons(root, on);
  const address = getElement(root, "[name=address]", HTMLInputElement);
  listenToForm(root, "[data-form=hand]", () => {
    const entered = address.value.trim();
    if (isAddress(entered)) on.enterAddress(entered);
    else on.fail(new Problem("invalid_wallet_address"));
  });
  const nickname = getElement(root, "[name=nickname]", HTMLInputElement);
  const judge = () => judgeNickname(nickname, getElement(root, "#nickname-problem", HTMLElement));
  nickname.addEventListener("input", judge);
  listenToForm(root, "[data-step=nickname]", () => {
    if (judge()) on.enterNickname(nickname.value);
    else nickname.focus();
  });
}

/**
 * @param {HTMLElement} root
 * @param {Handlers} on
 */
function listenToButtons(root, on) {
  /** @param {string} name */
  const copy = (name) => (/** @type {HTMLElement} */ button) =>
    copyText(getElement(root, `[data-show=${name}]`, HTMLElement).textContent, button);
  /** @type {Record<string, ((button: HTMLElement) => void) | null | undefined>} */
  const actions = {
    back: on.back,
    cancel: on.cancel,
    close: on.close,
    retry: on.retry,
    sign: on.sign,
    withdraw: on.withdraw,
    "open-window": on.openWindow,
    "copy-message": copy("message"),
    "copy-command": copy("command"),
  };
  root.addEventListener("click", (event) => {
    const button = findAround(event, "button[data-do]:enabled");
    const name = button?.dataset.do ?? "";
    // Leaving is always possible; other actions are ignored while one is in progress.
    if (root.hasAttribute("aria-busy") && !LEAVING.includes(name)) return;
    if (button) actions[name]?.(button);
  });
}

/**
 * @param {HTMLElement} root
 * @param {string} selector
 * @param {() => void} send
 */
function listenToForm(root, selector, send) {
  getElement(root, selector, HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
}

/**
 * Explain beside the field why the nickname is invalid; return whether it is valid.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} advice
 */
function judgeNickname(input, advice) {
  const code = checkNickname(input.value);
  advice.textContent = code ? say(code) : "";
  input.setAttribute("aria-invalid", String(code !== null));
  return code === null;
}
