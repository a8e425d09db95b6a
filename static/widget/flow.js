// The steps from choosing a wallet to submitting it, and where the visitor goes when a step fails.

import { Problem } from "./api.js";
import { ask } from "./wallets.js";

/**
 * @import { FlowView } from "./flow-view.js"
 * @import { Answer, Nonce, Purpose, Records, Withdrawal } from "./flow-setup.js"
 * @import { Account, Wallet } from "./wallets.js"
 * @typedef {(Answer | Records | Withdrawal) & { address: string, nickname: string }} Result
 * @typedef {{ close: () => void, finish?: () => void, openWindow?: () => void,
 *   canShow?: (address: string) => boolean, show?: (address: string) => void }} Surroundings the
 *   frame or the window that shows the flow: closes it, is told when all is done, and may be able to
 *   open a signing window, and to show the row of a wallet
 * @typedef {() => unknown} Retry
 */

// Refusals that are known before a wallet signs.
const EARLY = new Set(["ca_gate_failed", "cooldown_active", "duplicate"]);
const STEPS_WITH_ACCOUNT = new Set(["nickname", "confirm"]);

// Problems with the list or its key, which the visitor can't solve.
const OUT_OF_REACH = new Set([
  "missing_key", "invalid_key", "revoked_key", "missing_origin", "origin_not_allowed",
  "embed_disabled", "page_not_found",
]);

// The first codes' sentences mention a submission and its name; the second ones' don't.
const NAMELESS = new Map([
  ["invalid_nonce", new Problem("invalid_nonce_nameless")],
  ["nonce_binding_mismatch", new Problem("nonce_binding_mismatch_nameless")],
  ["wallet_account_changed", new Problem("wallet_account_changed_nameless")],
  ["wallet_disconnected", new Problem("wallet_disconnected_nameless")],
  ["window_closed", new Problem("window_closed_nameless")],
]);

export class Flow {
  #attempt = new AbortController(); // aborted when the visitor leaves a step in progress
  #stopWatching = () => {};
  /** @type {Retry | null} */
  #retry = null; // what "try again" does

  /**
   * @param {FlowView} view calls the methods for what the visitor does
   * @param {Purpose} purpose
   * @param {Surroundings} surroundings
   */
  constructor(view, purpose, surroundings) {
    this.view = view;
    this.purpose = purpose;
    this.surroundings = surroundings;
    this.waitingFor = ""; // the key of the sentence that's shown while waiting
    /** @type {Wallet | null} */
    this.wallet = null; // the wallet that the visitor chose, if any
    /** @type {Account} */
    this.account = { address: "" };
    /** @type {Nonce} */
    this.nonce = { nonceId: "", message: "" };
    this.timesSent = 0; // signatures of this text
    this.endsAt = Infinity; // when the text expires, by this computer's clock
    this.nickname = "";
    this.signature = "";
    this.shownAddress = ""; // the wallet of the result
    view.listen(this);
  }

  /**
   * Begin, optionally with a new purpose. If the last used account has this `address`, it needn't
   * be chosen again.
   * @param {Purpose} [purpose]
   * @param {string} [address]
   */
  start(purpose = this.purpose, address = "") {
    const { account } = this;
    this.purpose = purpose;
    this.view.showPurpose(purpose);
    this.#forgetAccount();
    if (address && account.address === address) return this.chooseAccount(account);
    this.view.showStep("choose");
  }

  close() {
    this.cancel();
    this.#forgetAccount();
    this.surroundings.close();
  }

  openWindow() {
    this.surroundings.openWindow?.();
  }

  /** Wait while the visitor goes through the steps in the signing window. */
  waitElsewhere() {
    this.cancel();
    this.view.showStep("elsewhere");
  }

  /** @param {Result} result */
  finish(result) {
    this.#forgetAccount();
    this.shownAddress = result.address;
    this.view.showDone(this.purpose.name, result);
    this.surroundings.finish?.();
  }

  /** Withdraw the wallet whose records are shown. */
  withdraw() {
    const purpose = this.purpose.withdraw?.(this.shownAddress);
    if (purpose) this.start(purpose, this.shownAddress);
  }

  // The wallet and its account

  /** @param {Wallet} wallet */
  choose(wallet) {
    if (this.waitingFor === "connecting" && this.wallet === wallet) return; // pressed twice
    this.cancel(); // a wallet that doesn't answer must not block choosing another
    this.#connect(wallet);
  }

  /** @param {Wallet} wallet */
  #connect(wallet) {
    this.wallet = wallet;
    const retry = () => this.#connect(wallet);
    return this.#try("connecting", retry, () => ask(() => wallet.connect()), (found) => {
      const accounts = [found].flat();
      const wanted = accounts.find(({ address }) => address === this.purpose.address);
      if (wanted || accounts.length === 1) return this.chooseAccount(wanted ?? accounts[0]);
      this.view.showAccounts(accounts);
    });
  }

  /** @param {string} address */
  enterAddress(address) {
    this.cancel();
    this.wallet = null;
    this.chooseAccount({ address });
  }

  /**
   * @param {Account} account
   * @returns {void | Promise<void>}
   */
  chooseAccount(account) {
    this.#forgetAccount();
    this.account = account;
    this.#stopWatching = account.watch?.((problem) => this.#loseAccount(problem)) ?? (() => {});
    const refusal = this.purpose.findRefusal?.(account.address);
    if (refusal) return this.#refuse(refusal, refusal.retryAt ? () => this.chooseAccount(account) : null);
    // Signatures about stored data have no name.
    if (this.purpose.name !== "add") return this.#askText();
    return this.view.minimum ? this.#askMinimum() : this.#askNickname();
  }

  /** Check whether the wallet would be refused, before the visitor chooses a name and signs. */
  #askMinimum() {
    const retry = () => this.#askMinimum();
    const work = (/** @type {AbortSignal} */ signal) =>
      this.purpose.createNonce(this.account.address, "", signal).catch((error) => {
        // Other failures don't matter yet: the name's request will report them.
        if (error instanceof Problem && EARLY.has(error.code)) throw error;
      });
    return this.#try("checking", retry, work, () => this.#askNickname());
  }

  #forgetAccount() {
    this.#stopWatching();
    this.#stopWatching = () => {};
  }

  /** @param {Problem} problem */
  #loseAccount(problem) {
    // A signature that's being sent stays valid.
    if (this.waitingFor === "sending" || !STEPS_WITH_ACCOUNT.has(this.view.step)) return;
    this.cancel();
    this.#chooseAgain(problem);
  }

  /** @param {unknown} problem why the account can't be used */
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
  enterNickname(nickname) {
    this.cancel();
    this.nickname = nickname;
    this.#askText();
  }

  /**
   * @param {unknown} [problem] with the previous text
   * @param {boolean} [isUsed] whether the previous text was accepted, although its answer never came
   * @returns {Promise<void>}
   */
  #askText(problem, isUsed = false) {
    const { account: { address }, nickname, purpose } = this;
    const work = (/** @type {AbortSignal} */ signal) => purpose.createNonce(address, nickname, signal);
    return this.#try("preparing", () => this.#askText(problem, isUsed), work, (nonce) => {
      if (isUsed) return this.#refuse(new Problem("duplicate"));
      this.#showText(nonce);
      if (problem) this.fail(problem);
    });
  }

  /** @param {Nonce} nonce */
  #showText(nonce) {
    this.nonce = nonce;
    this.timesSent = 0;
    this.endsAt = Date.now() + readLifetime(nonce.message);
    this.view.showText(nonce.message, {
      wallet: this.account.sign ? this.wallet?.name ?? "" : null,
      nickname: this.nickname,
      endsAt: this.endsAt,
    });
  }

  async sign() {
    if (!this.account.sign) return;
    if (Date.now() >= this.endsAt) return this.#askText(new Problem("invalid_nonce"));
    await this.#try("signing", () => this.sign(), (signal) => this.#askSignature(signal), (signature) => {
      this.signature = signature;
      return this.#send();
    });
  }

  /** @param {AbortSignal} signal */
  async #askSignature(signal) {
    const { account, nonce: { message } } = this;
    const onNextWay = () => {
      if (!signal.aborted) this.#wait("signing_again");
    };
    try {
      return await ask(() => account.sign?.(message, { signal, onNextWay }) ?? "");
    } catch (error) {
      // Some wallets only sign ASCII and don't say why they failed, so suggest what may help.
      const isFailure = error instanceof Problem && error.code === "wallet_failed";
      throw isFailure && /[^\x00-\x7f]/.test(message) ? new Problem("wallet_needs_latin") : error;
    }
  }

  /** @param {string} signature made by hand */
  enterSignature(signature) {
    this.signature = signature;
    this.#send();
  }

  /** @returns {Promise<void>} */
  #send() {
    this.timesSent++;
    const { account: { address }, nickname, nonce: { nonceId }, signature } = this;
    const draft = { walletAddress: address, nickname, nonceId, signature };
    // Never aborted, since it may have been accepted. A visitor who leaves finds it in their own list.
    return this.#try("sending", () => this.#send(), () => this.purpose.submit(draft), (answer) => {
      this.finish({ address, nickname, ...answer });
    });
  }

  // Waiting for a wallet or the server; the visitor can always leave

  /** Stop waiting: a wallet may answer long after the visitor has left. */
  cancel() {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#stopWaiting();
  }

  back() {
    this.cancel();
    if (this.view.step === "confirm" && this.purpose.name === "add") this.#askNickname();
    else this.start();
  }

  /** @param {string} sentence the key of the sentence to show while waiting */
  #wait(sentence) {
    this.waitingFor = sentence;
    this.view.startWaiting(sentence);
  }

  #stopWaiting() {
    this.waitingFor = "";
    this.view.stopWaiting();
  }

  // When a step fails

  /**
   * Wait for `work`, then continue with its result or explain why it failed; do neither if the visitor
   * has left.
   * @template T
   * @param {string} sentence the key of the sentence to show while waiting
   * @param {Retry} retry
   * @param {(signal: AbortSignal) => T | Promise<T>} work
   * @param {(result: T) => unknown} next
   */
  async #try(sentence, retry, work, next) {
    const { signal } = this.#attempt;
    this.#wait(sentence);
    try {
      const result = await work(signal);
      if (!signal.aborted) await next(result);
    } catch (error) {
      if (!signal.aborted) await this.#recover(error, retry);
    } finally {
      if (!signal.aborted) this.#stopWaiting();
    }
  }

  /**
   * Return to the step where the visitor can solve the problem, and explain it there.
   * @param {unknown} error
   * @param {Retry} retry
   */
  async #recover(error, retry) {
    switch (error instanceof Problem ? error.code : "server") {
      case "invalid_nonce": {
        // A refusal leaves a text usable, so one that was sent before, and is still in time, was accepted.
        const isUsed = this.timesSent > 1 && Date.now() < this.endsAt;
        return this.#askText(error, isUsed && this.purpose.name === "add");
      }
      case "nonce_binding_mismatch":
        return this.#askText(error);
      case "duplicate":
      case "not_accepted":
        return this.#refuse(error);
      case "ca_gate_failed":
      case "cooldown_active":
        return this.#refuse(error, retry);
      case "invalid_nickname_length":
      case "invalid_nickname_chars":
        this.#askNickname();
        return this.fail(error);
      case "wallet_account_changed":
      case "wallet_disconnected":
        return this.#chooseAgain(error);
      case "invalid_wallet_address":
        this.start();
        return this.fail(error);
      case "invalid_signature": {
        const { address, sign } = this.account;
        if (sign) return this.fail(error, () => this.sign());
        return this.fail(new Problem("invalid_signature_by_hand", { details: { address } }));
      }
      default: {
        const isOutOfReach = error instanceof Problem && OUT_OF_REACH.has(error.code);
        return this.fail(error, isOutOfReach ? null : retry);
      }
    }
  }

  /**
   * Leave the steps, since they can't add this wallet.
   * @param {unknown} problem
   * @param {Retry | null} [retry]
   */
  #refuse(problem, retry = null) {
    this.view.showStep("refused");
    this.fail(problem, retry);
  }

  /**
   * Explain a problem; the visitor can run `retry`.
   * @param {unknown} error
   * @param {Retry | null} [retry]
   */
  fail(error, retry = null) {
    if (!(error instanceof Problem)) console.error(error);
    this.#retry = retry;
    const problem = error instanceof Problem ? error : new Problem("server");
    const nameless = this.purpose.name === "add" ? undefined : NAMELESS.get(problem.code);
    const canShow = this.surroundings.canShow?.(this.account.address) ?? false;
    this.view.showProblem(nameless ?? problem, { canRetry: retry !== null, canShow });
  }

  showWallet() {
    this.close();
    this.surroundings.show?.(this.account.address);
  }

  retry() {
    this.#retry?.();
  }
}

/**
 * Return how long a text can be signed, in milliseconds.
 * @param {string} message
 */
function readLifetime(message) {
  const [, issued, end] = /^Issued at: (.+)\nValid until: (.+)$/m.exec(message) ?? [];
  return issued && end ? Date.parse(end) - Date.parse(issued) : Infinity;
}
