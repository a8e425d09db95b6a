// The service's API, called under the path of the session cookie.

import { parseAnswer } from "./amounts.js";

const TIMEOUT_MS = 20_000;

/**
 * @typedef {{ id: string, name: string, color: string }} Tag
 * @typedef {{ id: string, address: string, publicAlias: string | null, tokenBalance: string,
 *   tags: Tag[] }} TrackedWallet
 * @typedef {{ wallets: TrackedWallet[] }} TrackingPage
 * @typedef {{ nonceId: string, message: string }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string }} Receipt
 * @typedef {{ id: string, walletAddress: string, nickname: string | null, status: string,
 *   rejectReason?: string | null, decidedAtIso?: string | null }} Submission
 */

/** A refusal or failure; `code` is the key of the sentence that explains it. */
export class Problem extends Error {
  /**
   * @param {string} code
   * @param {{ retryAfter?: number | null, details?: Record<string, unknown> }} [options] `retryAfter` in seconds
   */
  constructor(code, { retryAfter = null, details = {} } = {}) {
    super(code);
    this.code = code;
    this.details = details;
    this.retryAt = retryAfter === null ? null : Date.now() + retryAfter * 1000;
  }
}

export class Api {
  /** @param {{ pageId: string, key: string }} options */
  constructor({ pageId, key }) {
    this.pageId = pageId;
    this.key = key;
  }

  /** @returns {Promise<TrackingPage>} */
  readPage() {
    return this.#call(`/embed/api/tracking/${this.pageId}`);
  }

  /**
   * @param {string} walletAddress
   * @param {AbortSignal} [signal]
   * @returns {Promise<Nonce>}
   */
  createNonce(walletAddress, signal) {
    const body = { trackingPageId: this.pageId, walletAddress };
    return this.#call("/embed/api/siws/nonce", { body, signal });
  }

  /**
   * Send a submission. It is never aborted, since it may have been accepted already, and it is
   * sent even if the tab is closed meanwhile.
   * @param {Draft} draft
   * @returns {Promise<Receipt>}
   */
  submit(draft) {
    const body = { trackingPageId: this.pageId, ...draft };
    return this.#call("/embed/api/submissions", { body, keepalive: true });
  }

  /** @returns {Promise<Submission[]>} */
  async listOwn() {
    const path = `/embed/api/session/submissions?trackingPageId=${this.pageId}`;
    return (await this.#call(path)).submissions;
  }

  /** @returns {Promise<boolean>} */
  async hasSession() {
    return (await this.#call("/embed/session")).hasSession;
  }

  /**
   * @param {string} path
   * @param {{ body?: object, signal?: AbortSignal, keepalive?: boolean }} [options]
   */
  async #call(path, { body, signal, keepalive = false } = {}) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response, text, answer;
    try {
      response = await fetch(path, {
        method: body ? "POST" : "GET",
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(body && { "Content-Type": "application/json" }),
        },
        body: body && JSON.stringify(body),
        cache: "no-store",
        keepalive,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
    } catch {
      signal?.throwIfAborted();
      throw new Problem("offline");
    }
    try {
      answer = parseAnswer(text);
    } catch {
      throw new Problem("server");
    }
    if (response.ok) return answer;
    const { error, ...details } = answer;
    const retryAfter = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
    throw new Problem(error === "internal_error" ? "server" : error, {
      retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
      details,
    });
  }
}
