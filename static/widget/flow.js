// The steps from choosing a wallet to its submission, with the handling of failures.

import { Problem } from "./api.js";

/**
 * @import { Draft, Nonce, Receipt } from "./api.js"
 * @import { FlowView } from "./flow-view.js"
 * @import { Account, Wallet } from "./wallets.js"
 * @typedef {{ createNonce: (address: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Receipt> }} Service
 * @typedef {Receipt & { address: string }} Result
 * @typedef {() => unknown} Retry
 */

const FRESH_TEXT_CODES = new Set(["invalid_nonce", "nonce_binding_mismatch"]);
const NICKNAME_CODES = new Set(["invalid_nickname_length", "invalid_nickname_chars"]);

export class Flow {
  /**
   * `openWindow` is set where a signing window can be opened.
   * @param {FlowView} view
   * @param {{ service: Service, on: { close: () => void, done: (result: Result) => void,
   *   openWindow?: (() => void) | null } }} options
   */
  constructor(view, { service, on }) {
    this.view = view;
    this.service = service;
    this.on = on;
    /** @type {Account} */
    this.account = { address: "" };
    /** @type {Nonce} */
    this.nonce = { nonceId: "", message: "" };
    this.nickname = "";
    this.signature = "";
    /** @type {Retry | null} */
    this.retry = null; // the action of "try again"
    this.attempt = new AbortController(); // aborted when the visitor leaves a step in progress
    view.listen({
      choose: (wallet) => this.#connect(wallet),
      enterAddress: (address) => this.#accept({ address }),
      enterNickname: (nickname) => {
        this.nickname = nickname;
        this.#askText();
      },
      sign: () => this.#sign(),
      enterSignature: (signature) => {
        this.signature = signature;
        this.#send();
      },
      retry: () => this.retry?.(),
      back: () => this.#goBack(),
      close: () => this.close(),
      openWindow: on.openWindow,
      fail: (problem) => this.fail(problem),
    });
  }

  get isOpen() {
    return !this.view.isHidden;
  }

  start() {
    this.view.showStep("choose");
  }

  close() {
    this.#leave();
    this.on.close();
  }

  /** Wait for the signing window, where the visitor goes through the steps. */
  waitElsewhere() {
    this.view.showStep("elsewhere");
  }

  /** @param {Result} result */
  finish(result) {
    this.view.showDone(result.status);
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
    this.view.showProblem(problem, { canRetry: retry !== null });
  }

  // Steps

  /** @param {Wallet} wallet */
  #connect(wallet) {
    const retry = () => this.#connect(wallet);
    return this.#try("connecting", retry, () => wallet.connect(), (account) => this.#accept(account));
  }

  /** @param {Account} account */
  #accept(account) {
    this.account = account;
    this.#askNickname();
  }

  #askNickname() {
    this.view.showNickname(this.account.address);
  }

  #askText() {
    const retry = () => this.#askText();
    return this.#try("preparing", retry, (signal) => this.#createNonce(signal), (nonce) => {
      this.#showText(nonce);
    });
  }

  /** @param {AbortSignal} signal */
  #createNonce(signal) {
    return this.service.createNonce(this.account.address, signal);
  }

  /** @param {Nonce} nonce */
  #showText(nonce) {
    this.nonce = nonce;
    this.view.showText(nonce.message, { isByHand: !this.account.sign });
  }

  async #sign() {
    const { sign } = this.account;
    if (!sign) return;
    await this.#try("signing", () => this.#sign(), () => sign(this.nonce.message), (signature) => {
      this.signature = signature;
      return this.#send();
    });
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
    this.#leave();
    if (this.view.step === "confirm") this.#askNickname();
    else this.start();
  }

  // Waiting and failing

  /**
   * Run `work`, then `next` with its result, unless the visitor has left the step meanwhile.
   * @template T
   * @param {string} busy the key of the sentence to show meanwhile
   * @param {Retry} retry
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @param {(result: T) => unknown} next
   */
  async #try(busy, retry, work, next) {
    const { signal } = this.attempt;
    this.view.startWaiting(busy);
    try {
      const result = await work(signal);
      if (!signal.aborted) await next(result);
    } catch (error) {
      if (!signal.aborted) await this.#recover(error, retry, signal);
    } finally {
      if (!signal.aborted) this.view.stopWaiting();
    }
  }

  /**
   * Return to the step where the visitor can solve the problem, and explain it there.
   * @param {unknown} problem
   * @param {Retry} retry
   * @param {AbortSignal} signal
   */
  async #recover(problem, retry, signal) {
    const code = problem instanceof Problem ? problem.code : "server";
    if (FRESH_TEXT_CODES.has(code)) {
      await this.#replaceText(problem, signal);
    } else if (NICKNAME_CODES.has(code)) {
      this.#askNickname();
      this.fail(problem);
    } else if (code === "invalid_wallet_address") {
      this.start();
      this.fail(problem);
    } else if (code === "invalid_signature") {
      this.fail(problem, this.account.sign ? () => this.#sign() : null);
    } else {
      this.fail(problem, retry);
    }
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

  /** Stop waiting: a wallet may answer long after the visitor has left. */
  #leave() {
    this.attempt.abort();
    this.attempt = new AbortController();
    this.view.stopWaiting();
  }
}
