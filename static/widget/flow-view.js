// The flow's section in the page (flow.html): the current step and its contents, and the visitor's
// input, which the flow gets once it is well formed.

import { findAround, getElement } from "../elements.js";
import { Problem } from "./api.js";
import { copyText } from "./clipboard.js";
import { isAddress } from "./codec.js";
import { HandSigning } from "./hand-signing.js";
import { checkNickname } from "./nicknames.js";
import { ProblemBox } from "./problem-box.js";
import { showRecords, showWithdrawal } from "./records-view.js";
import { makeAccountChoices, WalletChoices } from "./wallet-choices.js";
import { say } from "./words.js";

/**
 * @import { Flow, Result } from "./flow.js"
 * @import { Answer, PurposeName, Records, Withdrawal } from "./purposes.js"
 * @import { Account, Wallet } from "./wallets.js"
 */

const LEAVING = ["back", "cancel", "close", "open-window", "reload"];
// While a wallet is asked, which may never answer.
const CAN_CANCEL = new Set(["connecting", "signing", "signing_again"]);

export class FlowView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.step = "";
    this.title = this.#get("#flow-title");
    this.purposeTitle = ""; // of steps without one of their own
    this.isPhone = navigator.maxTouchPoints > 0 && matchMedia("(pointer: coarse)").matches;
    this.problem = new ProblemBox(root);
    this.choices = new WalletChoices(this.#get("[data-wallets]"), {
      choose: (wallet) => this.flow?.choose(wallet),
      loseFocus: () => this.title.focus(),
    });
    const place = window.parent === window ? "top" : "frame";
    for (const part of this.#findAll("[data-where]")) part.hidden = part.dataset.where !== place;
  }

  /** @param {Flow} flow is told what the visitor does */
  listen(flow) {
    this.flow = flow;
    this.hand = new HandSigning(this.root, (signature) => flow.enterSignature(signature));
    this.#listenToButtons(flow);
    const address = getElement(this.root, "[name=address]", HTMLInputElement);
    this.#listenToForm("[data-form=hand]", () => {
      const entered = address.value.trim();
      if (isAddress(entered)) flow.enterAddress(entered);
      else flow.fail(new Problem("invalid_wallet_address"));
    });
    const nickname = getElement(this.root, "[name=nickname]", HTMLInputElement);
    nickname.addEventListener("input", () => this.#judgeNickname(nickname));
    this.#listenToForm("[data-step=nickname]", () => {
      if (this.#judgeNickname(nickname)) flow.enterNickname(nickname.value);
      else nickname.focus();
    });
  }

  /** @param {Flow} flow */
  #listenToButtons(flow) {
    const copy = (/** @type {string} */ name) => (/** @type {HTMLElement} */ button) =>
      copyText(this.#get(`[data-show=${name}]`).textContent, button);
    /** @type {Record<string, (button: HTMLElement) => void>} */
    const actions = {
      back: () => flow.back(),
      cancel: () => flow.cancel(),
      close: () => flow.close(),
      reload: () => location.reload(),
      retry: () => flow.retry(),
      sign: () => flow.sign(),
      withdraw: () => flow.withdraw(),
      "open-window": () => flow.openWindow(),
      "copy-message": copy("message"),
      "copy-command": copy("command"),
    };
    this.root.addEventListener("click", (event) => {
      const button = findAround(event, "button[data-do]:enabled");
      const name = button?.dataset.do ?? "";
      // Leaving is always possible; other actions are ignored while one is in progress.
      if (this.root.hasAttribute("aria-busy") && !LEAVING.includes(name)) return;
      if (button) actions[name]?.(button);
    });
  }

  /**
   * @param {string} selector
   * @param {() => void} send
   */
  #listenToForm(selector, send) {
    getElement(this.root, selector, HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
  }

  /**
   * Explain beside the field why the nickname is invalid; return whether it is valid.
   * @param {HTMLInputElement} input
   */
  #judgeNickname(input) {
    const code = checkNickname(input.value);
    this.#get("#nickname-problem").textContent = code ? say(code) : "";
    input.setAttribute("aria-invalid", String(code !== null));
    return code === null;
  }

  // Steps

  /**
   * Show the sentences for this purpose only, and take its title.
   * @param {PurposeName} purpose
   */
  showPurpose(purpose) {
    for (const part of this.#findAll("[data-purpose]")) {
      part.hidden = !part.dataset.purpose?.split(" ").includes(purpose);
      if (!part.hidden) this.purposeTitle = part.dataset.title ?? this.purposeTitle;
    }
  }

  /** @param {string} step */
  showStep(step) {
    this.step = step;
    this.problem.clear();
    this.title.textContent = this.purposeTitle;
    for (const part of this.#findAll("[data-step]")) {
      part.hidden = part.dataset.step !== step;
      if (!part.hidden) this.title.textContent = part.dataset.title ?? this.purposeTitle;
    }
    this.root.hidden = false;
    this.title.focus();
  }

  /**
   * @param {Wallet[]} wallets
   * @param {string | null} [lender] the origin of the host page that lends some of them
   */
  showWallets(wallets, lender = null) {
    this.choices.show(wallets);
    const note = this.#get("[data-lent]");
    note.hidden = lender === null;
    note.textContent = lender && say("lent_by", { site: lender });
    const hasNone = wallets.length === 0;
    this.#showIf("no-wallet", hasNone && !this.isPhone);
    this.#showIf("desktop-without-wallet", hasNone && !this.isPhone);
    this.#showIf("phone", hasNone && this.isPhone);
  }

  /** @param {Account[]} accounts */
  showAccounts(accounts) {
    const choices = makeAccountChoices(accounts, (account) => this.flow?.chooseAccount(account));
    this.#get("[data-accounts]").replaceChildren(...choices);
    this.showStep("account");
  }

  /** @param {string} address */
  showNickname(address) {
    this.#get("[data-show=address]").textContent = address;
    this.showStep("nickname");
    this.#get("[name=nickname]").focus(); // it still contains the previous input
  }

  /**
   * @param {string} message
   * @param {{ isByHand: boolean }} options
   */
  showText(message, { isByHand }) {
    this.#get("[data-show=message]").textContent = message;
    this.#showIf("signs-itself", !isByHand);
    this.#showIf("by-hand", isByHand);
    this.hand?.show(message);
    this.showStep("confirm");
    this.#get("[data-show=message]").focus();
  }

  /**
   * @param {PurposeName} purpose
   * @param {Result} result of a submission, or of what the purpose asked for
   */
  showDone(purpose, result) {
    if (purpose === "show") {
      showRecords(this.root, /** @type {Records} */ (result));
      return this.showStep("records");
    }
    if (purpose === "withdraw") {
      showWithdrawal(this.root, /** @type {Withdrawal} */ (result));
      return this.showStep("withdrawn");
    }
    const { status } = /** @type {Answer} */ (result);
    this.#showIf("pending", status === "pending");
    this.#showIf("auto_approved", status === "auto_approved");
    this.showStep("done");
  }

  // Waiting and problems

  /** @param {string} sentence the key of the sentence to show meanwhile */
  startWaiting(sentence) {
    this.problem.clear();
    this.#get("[data-busy]").textContent = say(sentence);
    const cancel = this.#get("[data-if=can-cancel]");
    cancel.hidden = !CAN_CANCEL.has(sentence);
    cancel.scrollIntoView({ block: "nearest" }); // it is below the step, which may be long
    this.root.setAttribute("aria-busy", "true");
  }

  stopWaiting() {
    this.#get("[data-busy]").textContent = "";
    const cancel = this.#get("[data-if=can-cancel]");
    if (cancel.contains(document.activeElement)) this.title.focus();
    cancel.hidden = true;
    this.root.removeAttribute("aria-busy");
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean }} options
   */
  showProblem(problem, options) {
    this.#get("[data-busy]").textContent = "";
    this.problem.show(problem, options);
  }

  /**
   * @param {string} name
   * @param {boolean} isTrue
   */
  #showIf(name, isTrue) {
    for (const part of this.#findAll(`[data-if="${name}"]`)) part.hidden = !isTrue;
  }

  /** @param {string} selector */
  #get(selector) {
    return getElement(this.root, selector, HTMLElement);
  }

  /**
   * @param {string} selector
   * @returns {NodeListOf<HTMLElement>}
   */
  #findAll(selector) {
    return this.root.querySelectorAll(selector);
  }
}
