// The steps from choosing a wallet to its submission, with the handling of failures.

import { Problem } from "./api.js";
import { explainSigning, leaveNameOut, recover } from "./flow-recovery.js";
import { Waiting } from "./waiting.js";
import { ask } from "./wallet-errors.js";

/**
 * @import { Answer, Draft, Nonce, Records, Withdrawal } from "./flow-api.js"
 * @import { FlowView } from "./flow-view.js"
 * @import { Account, Wallet } from "./wallets.js"
 * @typedef {"add" | "show" | "withdraw"} Purpose adding a wallet, or the rights of its holder
 * @typedef {{ purpose?: Purpose,
 *   createNonce: (address: string, nickname: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Answer | Records | Withdrawal> }} Service
 * @typedef {(Answer | Records | Withdrawal) & { address: string }} Result
 * @typedef {() => unknown} Retry
 */

const STEPS_WITH_ACCOUNT = new Set(["nickname", "confirm"]);

const NOT_STARTED = async () => {
  throw new Problem("server");
};
/** @type {Service} */
const NO_SERVICE = { createNonce: NOT_STARTED, submit: NOT_STARTED };

export class Flow {
  /**
   * `openWindow` is set where a signing window can be opened.
   * @param {FlowView} view
   * @param {{ on: { close: () => void, done: (result: Result) => void,
   *   openWindow?: (() => void) | null, withdraw?: (address: string) => void } }} options
   */
  constructor(view, { on }) {
    this.view = view;
    /** @type {Service} */
    this.service = NO_SERVICE; // until it is started
    this.on = on;
    this.waiting = new Waiting(view);
    /** @type {Wallet | null} */
    this.wallet = null; // the wallet that the visitor chose, if any
    /** @type {Account} */
    this.account = { address: "" };
    this.unwatch = () => {};
    /** @type {Nonce} */
    this.nonce = { nonceId: "", message: "" };
    this.nickname = "";
    this.signature = "";
    this.shownAddress = ""; // the wallet of the result
    /** @type {Retry | null} */
    this.retry = null; // the action of "try again"
    this.#listen();
  }

  #listen() {
    this.view.listen({
      choose: (wallet) => this.#choose(wallet),
      chooseAccount: (account) => this.#accept(account),
      enterAddress: (address) => this.#enterAddress(address),
      enterNickname: (nickname) => this.#enterNickname(nickname),
      sign: () => this.#sign(),
      enterSignature: (signature) => this.#enterSignature(signature),
      retry: () => this.retry?.(),
      withdraw: () => this.on.withdraw?.(this.shownAddress),
      cancel: () => this.waiting.leave(),
      back: () => this.#goBack(),
      close: () => this.close(),
      openWindow: this.on.openWindow,
      fail: (problem) => this.fail(problem),
    });
  }

  get isOpen() {
    return !this.view.isHidden;
  }

  get purpose() {
    return this.service.purpose ?? "add";
  }

  /**
   * Begin, for another service if one is given; an account that was used just now need not be
   * chosen again if it has this `address`.
   * @param {Service} [service]
   * @param {string} [address]
   */
  start(service = this.service, address = "") {
    const { account } = this;
    this.service = service;
    this.view.showPurpose(this.purpose);
    this.#forgetAccount();
    if (address && account.address === address) return this.#accept(account);
    this.view.showStep("choose");
  }

  close() {
    this.waiting.leave();
    this.#forgetAccount();
    this.on.close();
  }

  /** Wait for the signing window, where the visitor goes through the steps. */
  waitElsewhere() {
    this.waiting.leave();
    this.view.showStep("elsewhere");
  }

  /** @param {Result} result */
  finish(result) {
    this.#forgetAccount();
    this.shownAddress = result.address;
    this.view.showDone(this.purpose, result);
    this.on.done(result);
  }

  /**
   * Explain a problem; the visitor can run `retry`.
   * @param {unknown} error
   * @param {Retry | null} [retry]
   */
  fail(error, retry = null) {
    if (!(error instanceof Problem)) console.error(error);
    this.retry = retry;
    const problem = error instanceof Problem ? error : new Problem("server");
    const shown = this.purpose === "add" ? problem : leaveNameOut(problem);
    this.view.showProblem(shown, { canRetry: retry !== null });
  }

  // The wallet and its account

  /** @param {Wallet} wallet */
  #choose(wallet) {
    const isAsked = this.waiting.busy === "connecting" && this.wallet === wallet;
    if (isAsked) return; // pressed twice
    this.waiting.leave(); // a wallet that does not answer must not keep the visitor from another
    this.#connect(wallet);
  }

  /** @param {Wallet} wallet */
  #connect(wallet) {
    this.wallet = wallet;
    const retry = () => this.#connect(wallet);
    return this.#try("connecting", retry, () => ask(() => wallet.connect()), (found) => {
      const accounts = [found].flat();
      if (accounts.length === 1) return this.#accept(accounts[0]);
      this.view.showAccounts(accounts);
    });
  }

  /** @param {string} address */
  #enterAddress(address) {
    this.waiting.leave();
    this.wallet = null;
    this.#accept({ address });
  }

  /** @param {Account} account */
  #accept(account) {
    this.#forgetAccount();
    this.account = account;
    this.unwatch = account.watch?.((problem) => this.#loseAccount(problem)) ?? (() => {});
    // A signature about what is kept names nobody.
    return this.purpose === "add" ? this.#askNickname() : this.#askText();
  }

  #forgetAccount() {
    this.unwatch();
    this.unwatch = () => {};
  }

  /** @param {Problem} problem */
  #loseAccount(problem) {
    // What was signed and is being sent stays true.
    if (this.waiting.busy === "sending" || !STEPS_WITH_ACCOUNT.has(this.view.step)) return;
    this.waiting.leave();
    this.#chooseAgain(problem);
  }

  /** @param {unknown} problem why the account cannot be used */
  #chooseAgain(problem) {
    const { wallet } = this;
    this.start();
    this.fail(problem, wallet && (() => this.#connect(wallet)));
  }

  // The name, the text, the signature

  #askNickname() {
    this.view.showNickname(this.account.address);
  }

  /** @param {string} nickname */
  #enterNickname(nickname) {
    this.waiting.leave();
    this.nickname = nickname;
    this.#askText();
  }

  #askText() {
    const retry = () => this.#askText();
    return this.#try("preparing", retry, (signal) => this.#createNonce(signal), (nonce) => {
      this.#showText(nonce);
    });
  }

  /** @param {AbortSignal} signal */
  #createNonce(signal) {
    return this.service.createNonce(this.account.address, this.nickname, signal);
  }

  /** @param {Nonce} nonce */
  #showText(nonce) {
    this.nonce = nonce;
    this.view.showText(nonce.message, { isByHand: !this.account.sign });
  }

  async #sign() {
    if (!this.account.sign) return;
    await this.#try("signing", () => this.#sign(), (signal) => this.#askSignature(signal), (signature) => {
      this.signature = signature;
      return this.#send();
    });
  }

  /** @param {AbortSignal} signal */
  async #askSignature(signal) {
    const { account, nonce: { message } } = this;
    const onNextWay = () => this.waiting.update("signing_again", signal);
    try {
      return await ask(() => account.sign?.(message, { signal, onNextWay }) ?? "");
    } catch (error) {
      throw explainSigning(error, message);
    }
  }

  /** @param {string} signature */
  #enterSignature(signature) {
    if (this.waiting.busy) return; // pressed twice
    this.signature = signature;
    this.#send();
  }

  /** @returns {Promise<void>} */
  #send() {
    const { address } = this.account;
    const draft = {
      walletAddress: address,
      nickname: this.nickname,
      nonceId: this.nonce.nonceId,
      signature: this.signature,
    };
    // Never aborted: it may have been accepted. A visitor who leaves finds it in their own list.
    const submit = () => this.service.submit(draft);
    return this.#try("sending", () => this.#send(), submit, (receipt) => {
      this.finish({ address, ...receipt });
    });
  }

  #goBack() {
    this.waiting.leave();
    if (this.view.step === "confirm" && this.purpose === "add") this.#askNickname();
    else this.start();
  }

  // Failing

  /**
   * @template T
   * @param {string} busy
   * @param {Retry} retry
   * @param {(signal: AbortSignal) => T | Promise<T>} work
   * @param {(result: T) => unknown} next
   */
  #try(busy, retry, work, next) {
    return this.waiting.run(busy, work, {
      next,
      recover: (error, signal) => recover(error, retry, this.#listPlaces(signal)),
    });
  }

  /** @param {AbortSignal} signal */
  #listPlaces(signal) {
    return {
      replaceText: (/** @type {unknown} */ problem) => this.#replaceText(problem, signal),
      askNickname: () => this.#askNickname(),
      chooseAgain: (/** @type {unknown} */ problem) => this.#chooseAgain(problem),
      start: () => this.start(),
      sign: this.account.sign ? () => this.#sign() : null,
      address: this.account.address,
      fail: (/** @type {unknown} */ problem, /** @type {Retry | null} */ retry = null) =>
        this.fail(problem, retry),
    };
  }

  /**
   * @param {unknown} problem the problem with the previous message
   * @param {AbortSignal} signal
   */
  async #replaceText(problem, signal) {
    try {
      const nonce = await this.#createNonce(signal);
      if (signal.aborted) return;
      this.#showText(nonce);
      this.fail(problem);
    } catch (other) {
      if (!signal.aborted) this.fail(other, () => this.#askText());
    }
  }
}
