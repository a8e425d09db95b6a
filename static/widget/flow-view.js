// The flow's section in the page (flow.html): the current step and its contents.

import { getElement } from "../elements.js";
import { listenToVisitor } from "./flow-input.js";
import { ProblemBox } from "./problem-box.js";
import { say } from "./words.js";

/**
 * @import { Problem } from "./api.js"
 * @import { Handlers } from "./flow-input.js"
 * @import { Wallet } from "./wallets.js"
 */

const ICON = /^data:image\/(svg\+xml|webp|png|gif);base64,/;

export class FlowView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.step = "";
    this.isPhone = navigator.maxTouchPoints > 0 && matchMedia("(pointer: coarse)").matches;
    this.problem = new ProblemBox(root);
  }

  get isHidden() {
    return this.root.hidden;
  }

  hide() {
    this.root.hidden = true;
  }

  /** @param {Handlers & { choose: (wallet: Wallet) => void }} on */
  listen(on) {
    this.choose = on.choose;
    this.#showIf("can-open-window", Boolean(on.openWindow));
    listenToVisitor(this.root, on);
  }

  // Steps

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
    const choices = wallets.map((wallet) => this.#makeChoice(wallet));
    this.#get("[data-wallets]").replaceChildren(...choices);
    const hasNone = wallets.length === 0;
    this.#showIf("no-wallet", hasNone && !this.isPhone);
    this.#showIf("desktop-without-wallet", hasNone && !this.isPhone);
    this.#showIf("phone", hasNone && this.isPhone);
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
    getElement(this.root, "[name=signature]", HTMLTextAreaElement).value = "";
    this.showStep("confirm");
    this.#get("[data-show=message]").focus();
  }

  /** @param {string} status */
  showDone(status) {
    this.#showIf("pending", status === "pending");
    this.#showIf("auto_approved", status === "auto_approved");
    this.showStep("done");
  }

  // Waiting and problems

  /** @param {string} sentence the key of the sentence to show meanwhile */
  startWaiting(sentence) {
    this.problem.clear();
    this.#get("[data-busy]").textContent = say(sentence);
    this.root.setAttribute("aria-busy", "true");
  }

  stopWaiting() {
    this.#get("[data-busy]").textContent = "";
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

  /** @param {Wallet} wallet */
  #makeChoice(wallet) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    if (wallet.icon && ICON.test(wallet.icon)) {
      const icon = new Image(24, 24);
      icon.alt = "";
      icon.src = wallet.icon;
      button.append(icon);
    }
    button.append(say("use_wallet", { wallet: wallet.name }));
    button.addEventListener("click", () => {
      if (!this.root.hasAttribute("aria-busy")) this.choose?.(wallet);
    });
    item.append(button);
    return item;
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
