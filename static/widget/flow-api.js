// The calls of the flow: submitting a wallet, and the rights of its holder.

import { Api, Problem, TIMEOUT_MS } from "./api.js";

/**
 * @import { Submission, Tag } from "./api.js"
 * @typedef {{ nonceId: string, message: string }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string }} Answer to a submission
 * @typedef {{ amount: string, observedAtIso: string }} Balance
 * @typedef {{ publicAlias: string | null, tags: Tag[], hideFromPublic: boolean, withheld: boolean,
 *   addedBy: "owner" | "submission", createdAtIso: string }} Entry of the list
 * @typedef {{ walletAddress: string, listed: Entry | null,
 *   submissions: (Submission & { createdAtIso: string, hasReceipt: boolean })[], activity: object[],
 *   messages: number, listings: object[], observedBalance: Balance | null,
 *   enteredBalance: Balance | null }} Records what a page keeps of a wallet
 * @typedef {{ withdrawnSubmissions: number, leftList: boolean, staysListed: boolean }} Withdrawal
 */

export class FlowApi extends Api {
  /**
   * Ask for a text to sign, which names the wallet and the nickname.
   * @param {string} walletAddress
   * @param {string} nickname
   * @param {AbortSignal} [signal]
   * @returns {Promise<Nonce>}
   */
  createNonce(walletAddress, nickname, signal) {
    return this.#post("siws/nonce", { walletAddress, nickname }, { signal });
  }

  /**
   * Send a submission. It is never aborted, since it may have been accepted already, and it is
   * sent even if the tab is closed meanwhile.
   * @param {Draft} draft
   * @returns {Promise<Answer>}
   */
  submit(draft) {
    return this.#post("submissions", draft, { keepalive: true });
  }

  /**
   * Ask for a text by whose signature a wallet's holder sees or withdraws what the page keeps.
   * @param {string} walletAddress
   * @param {"show" | "withdraw"} action
   * @param {AbortSignal} [signal]
   * @returns {Promise<Nonce>}
   */
  createRecordNonce(walletAddress, action, signal) {
    return this.#post("wallet-records/nonce", { walletAddress, action }, { signal });
  }

  /**
   * @param {Draft} draft its nickname is not sent
   * @returns {Promise<Records>}
   */
  readRecords({ nickname: _, ...draft }) {
    return this.#post("wallet-records", draft);
  }

  /**
   * Withdraw a wallet. Like a submission it is never aborted.
   * @param {Draft} draft its nickname is not sent
   * @returns {Promise<Withdrawal>}
   */
  withdraw({ nickname: _, ...draft }) {
    return this.#post("wallet-records/withdraw", draft, { keepalive: true });
  }

  /**
   * Return the flow's part of the page, as HTML.
   * @returns {Promise<string>}
   */
  async readFlow() {
    const query = new URLSearchParams({ key: this.key, lang: document.documentElement.lang });
    const response = await fetch(`/embed/tracking/${this.pageId}/flow?${query}`, {
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await this.readPage(); // if it is refused, too, that says why
      throw new Problem("server");
    }
    return response.text();
  }

  /**
   * @param {string} path
   * @param {object} fields
   * @param {{ signal?: AbortSignal, keepalive?: boolean }} [options]
   */
  #post(path, fields, options = {}) {
    return this.call(`/embed/api/${path}`, { body: { trackingPageId: this.pageId, ...fields }, ...options });
  }
}
