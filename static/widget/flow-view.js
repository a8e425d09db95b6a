// The flow's section in the page (flow.html): the current step and its contents.

import { getElement } from "../elements.js";
import { listenToVisitor } from "./flow-input.js";
import { HandSigning } from "./hand-signing.js";
import { ProblemBox } from "./problem-box.js";
import { showRecords, showWithdrawal } from "./records-view.js";
import { makeAccountChoices, WalletChoices } from "./wallet-choices.js";
import { say } from "./words.js";

/**
 * @import { Problem } from "./api.js"
 * @import { Answer, Records, Withdrawal } from "./flow-api.js"
 * @import { Purpose, Result } from "./flow.js"
 * @import { Handlers } from "./flow-input.js"
 * @import { Account, Wallet } from "./wallets.js"
 */

// While a wallet is asked, which may never answer.
const CAN_CANCEL = new Set(["connecting", "signing", "signing_again"]);

export class FlowView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.step = "";
    this.isPhone = navigator.maxTouchPoints > 0 && matchMedia("(pointer: coarse)").matches;
    this.problem = new ProblemBox(root);
    this.choices = new WalletChoices(this.#get("[data-wallets]"), {
      choose: (wallet) => this.choose?.(wallet),
      loseFocus: () => this.#get("#flow-title").focus(),
    });
  }

  get isHidden() {
    return this.root.hidden;
  }

  hide() {
    this.root.hidden = true;
  }

  /**
   * @param {Handlers & { choose: (wallet: Wallet) => void,
   *   chooseAccount: (account: Account) => void }} on
   */
  listen(on) {
    this.choose = on.choose;
    this.chooseAccount = on.chooseAccount;
    this.#showIf("can-open-window", Boolean(on.openWindow));
    this.hand = new HandSigning(this.root, on.enterSignature);
    listenToVisitor(this.root, on);
  }

  // Steps

  /**
   * Show the sentences for this purpose only.
   * @param {Purpose} purpose
   */
  showPurpose(purpose) {
    for (const part of this.#findAll("[data-purpose]")) {
      part.hidden = !part.dataset.purpose?.split(" ").includes(purpose);
    }
  }

  /** @param {string} step */
  showStep(step) {
    this.step = step;
    this.problem.clear();
    for (const part of this.#findAll("[data-step]")) part.hidden = part.dataset.step !== step;
    this.root.hidden = false;
    this.#get("#flow-title").focus();
  }

  /** @param {Wallet[]} wallets */
  showWallets(wallets) {
    this.choices.show(wallets);
    const hasNone = wallets.length === 0;
    this.#showIf("no-wallet", hasNone && !this.isPhone);
    this.#showIf("desktop-without-wallet", hasNone && !this.isPhone);
    this.#showIf("phone", hasNone && this.isPhone);
  }

  /** @param {Account[]} accounts */
  showAccounts(accounts) {
    const choices = makeAccountChoices(accounts, (account) => this.chooseAccount?.(account));
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
   * @param {Purpose} purpose
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
    if (cancel.contains(document.activeElement)) this.#get("#flow-title").focus();
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
