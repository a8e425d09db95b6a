// The flow's section in the page (flow.html): the current step and its contents, and the visitor's
// input, which the flow gets once it is well formed.

import { findAround, getElement } from "../elements.js";
import { Problem } from "./api.js";
import { checkNickname, cleanName, HandSigning, makeAccountChoices, WalletChoices } from "./flow-input.js";
import { ProblemBox, showRecords, showWithdrawal } from "./flow-output.js";
import { isAddress } from "./signatures.js";
import { copyText, formatDuration, say, showSentence } from "./words.js";

/**
 * @import { Flow, Result } from "./flow.js"
 * @import { Answer, PurposeName, Records, Withdrawal } from "./flow-setup.js"
 * @import { Account, Wallet } from "./wallets.js"
 * @typedef {{ site: string | null, symbol: string, minimum: string }} About the origin of the site
 *   that shows the list, if the service vouches for it, the list's token, and what it asks for
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
    /** @type {About} */
    this.about = { site: null, symbol: "", minimum: "" };
    this.problem = new ProblemBox(root);
    this.choice = getElement(root, "[data-choice]", HTMLTemplateElement);
    this.choices = new WalletChoices(this.#get("[data-wallets]"), this.choice, {
      choose: (wallet) => this.flow?.choose(wallet),
      loseFocus: () => this.title.focus(),
    });
    const place = window.parent === window ? "top" : "frame";
    for (const part of this.#findAll("[data-where]")) part.hidden = part.dataset.where !== place;
  }

  /** What the page asks for, in a sentence; perhaps nothing. */
  get minimum() {
    return this.#get("[data-show=minimum]").textContent;
  }

  set minimum(sentence) {
    this.#get("[data-show=minimum]").textContent = sentence;
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
    /** @type {Record<string, (button: HTMLElement) => void>} */
    const actions = {
      back: () => flow.back(),
      cancel: () => flow.cancel(),
      close: () => flow.close(),
      reload: () => location.reload(),
      restart: () => flow.start(),
      retry: () => flow.retry(),
      "show-wallet": () => flow.showWallet(),
      sign: () => flow.sign(),
      withdraw: () => flow.withdraw(),
      "open-window": () => flow.openWindow(),
      // Not from the page, which translators change.
      "copy-message": (button) => copyText(flow.nonce.message, button),
      "copy-command": (button) => copyText(this.hand?.command ?? "", button),
    };
    this.root.addEventListener("click", (event) => {
      this.pressed = findAround(event, "button");
    }, true);
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
    clearInterval(this.countdown);
    this.title.textContent = this.purposeTitle;
    const places = [...this.#findAll("[data-at]")];
    for (const place of places) {
      const isHere = place.dataset.at?.split(" ").includes(step);
      if (isHere) place.setAttribute("aria-current", "step");
      else place.removeAttribute("aria-current");
    }
    this.#get("[data-steps]").hidden = !places.some((place) => place.hasAttribute("aria-current"));
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
    if (lender) showSentence("lent_by", { site: lender }, note);
    const hasNone = wallets.length === 0;
    this.#showIf("no-wallet", hasNone && !this.isPhone);
    this.#showIf("desktop", !this.isPhone);
    this.#showIf("phone", hasNone && this.isPhone);
  }

  /** @param {Account[]} accounts */
  showAccounts(accounts) {
    const choices = makeAccountChoices(this.choice, accounts, (account) => this.flow?.chooseAccount(account));
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
   * @param {{ wallet: string | null, nickname: string, endsAt: number }} options the name of the
   *   wallet that signs it, null: the visitor does so by hand, and until when it can be signed
   */
  showText(message, { wallet, nickname, endsAt }) {
    const text = this.#get("[data-show=message]");
    text.textContent = message;
    this.#showIf("signs-itself", wallet !== null);
    this.#showIf("by-hand", wallet === null);
    if (wallet !== null) showSentence("sign_with", { wallet: cleanName(wallet) || "Solana" }, this.#get("[data-do=sign]"));
    this.hand?.show(message);
    this.showKeeper(this.#get("[data-show=keeper]"));
    this.#showPublic(nickname);
    this.showStep("confirm");
    this.#countDown(endsAt);
    text.focus({ preventScroll: true }); // to be read out; what is above it stays in view
  }

  /**
   * Say in an element who keeps the list, and for whom.
   * @param {Element} element
   */
  showKeeper(element) {
    const { site, symbol } = this.about;
    const given = { host: location.host, symbol: `$${symbol}` };
    if (site) showSentence("keeps_for", { ...given, site: new URL(site).host }, element);
    else showSentence("keeps", given, element);
  }

  /**
   * Say what becomes public, and where.
   * @param {string} name
   */
  #showPublic(name) {
    const element = this.#get("[data-show=public]");
    const { site } = this.about;
    if (site) showSentence("public_on", { name, site: new URL(site).host }, element);
    else showSentence("public_here", { name }, element);
  }

  /** @param {number} endsAt */
  #countDown(endsAt) {
    const shown = this.#get("[data-show=time-left]");
    const tick = () => {
      const seconds = (endsAt - Date.now()) / 1000;
      shown.textContent = seconds > 0 ? say("time_left", { time: formatDuration(seconds) }) : say("time_over");
    };
    shown.textContent = "";
    if (endsAt === Infinity) return;
    tick();
    this.countdown = setInterval(tick, 1000);
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
    const { status, isRemembered = false, receipt = null } = /** @type {Answer} */ (result);
    const isPending = status === "pending";
    const sent = this.#get("[data-show=sent]");
    showSentence(isPending ? "sent_pending" : "sent_approved", { name: result.nickname }, sent);
    this.#showIf("remembered", isPending && isRemembered);
    const link = getElement(this.root, "[data-show=receipt]", HTMLAnchorElement);
    link.hidden = receipt === null;
    link.href = receipt ?? "";
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
    this.pressed?.classList.add("busy");
    this.root.setAttribute("aria-busy", "true");
  }

  stopWaiting() {
    this.#get("[data-busy]").textContent = "";
    const cancel = this.#get("[data-if=can-cancel]");
    if (cancel.contains(document.activeElement)) this.title.focus();
    cancel.hidden = true;
    this.root.querySelector(".busy")?.classList.remove("busy");
    this.root.removeAttribute("aria-busy");
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean, canShow: boolean }} options
   */
  showProblem(problem, options) {
    this.#get("[data-busy]").textContent = "";
    const isRefused = this.step === "refused";
    const isDuplicate = problem.code.startsWith("duplicate");
    if (isRefused) this.title.textContent = say(isDuplicate ? "already_here" : "not_added");
    this.problem.show(problem, { ...options, isRefused });
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
