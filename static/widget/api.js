// The service's API, called under the path of the session cookie.

import { parseResponse } from "./amounts.js";

export const TIMEOUT_MS = 20_000;

/**
 * @typedef {{ id: string, name: string, color: string, counted?: false }} Tag
 * @typedef {{ id: string, address: string, publicAlias: string | null, tokenBalance: string,
 *   balanceKnown?: false, tags: Tag[] }} TrackedWallet
 * @typedef {{ wallets: TrackedWallet[], supply?: number }} TrackingPage
 * @typedef {{ changeDay: string | null, changeWeek: string | null, changeLine: string,
 *   lineSeconds: number, linePath: string }} WalletChange how a balance changed, and its line
 * @typedef {{ submissionId: string }} Proof of a wallet on the list
 * @typedef {{ body?: object, signal?: AbortSignal, keepalive?: boolean, cache?: RequestCache,
 *   credentials?: RequestCredentials, headers?: Record<string, string> }} RequestOptions
 * @typedef {{ id: string, walletAddress: string, nickname: string | null, status: string,
 *   rejectReason?: string | null, reasonCode?: string | null, reasonText?: string | null,
 *   decidedAtIso?: string | null }} Submission
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
    /** @type {string | null} */
    this.etag = null; // of the payload that was read last
  }

  /**
   * Return the public payload, or null if it is the one that is known already.
   * @returns {Promise<TrackingPage | null>}
   */
  async readPage() {
    const { etag } = this;
    const { response, answer } = await this.send(`/embed/api/tracking/${this.pageId}`, {
      headers: etag ? { "If-None-Match": etag } : undefined,
      // The first read may find the list kept from an earlier visit; later ones are kept short.
      ...(etag ? { cache: "no-store", credentials: "omit" } : { cache: "no-cache" }),
    });
    if (response.status === 304) return null;
    this.etag = response.headers.get("ETag");
    return answer;
  }

  /**
   * Return the changes by wallet; wallets without a history are absent.
   * @param {string[]} ids at most 100
   * @returns {Promise<Record<string, WalletChange>>}
   */
  async readChanges(ids) {
    const query = new URLSearchParams({ key: this.key, wallets: ids.join() });
    return (await this.call(`/embed/tracking/${this.pageId}/changes?${query}`)).wallets;
  }

  /**
   * Return the proofs by wallet; wallets that nobody has proved are absent.
   * @param {string[]} ids at most 100
   * @returns {Promise<Record<string, Proof>>}
   */
  async readProofs(ids) {
    const query = new URLSearchParams({ key: this.key, wallets: ids.join() });
    return (await this.call(`/embed/tracking/${this.pageId}/proofs?${query}`)).wallets;
  }

  /**
   * Return a page or a part of one, or null if it is the one that has the entity tag.
   * @param {string} path
   * @param {{ etag?: string }} [known]
   * @returns {Promise<Document | null>}
   */
  async readHtml(path, { etag } = {}) {
    const url = new URL(path, location.href);
    url.searchParams.set("key", this.key);
    url.searchParams.set("lang", document.documentElement.lang);
    const headers = etag ? { "If-None-Match": etag } : undefined;
    const { response, text } = await this.request(url.href, { headers, credentials: "omit" });
    if (response.status === 304) return null;
    const page = new DOMParser().parseFromString(text, "text/html");
    if (response.ok) return page;
    const code = page.querySelector("code")?.textContent?.split(" ").at(-1); // refusal.html
    throw new Problem(code ?? "server", { retryAfter: readRetryAfter(response) });
  }

  /** @param {string} submissionId */
  locateReceipt(submissionId) {
    const query = new URLSearchParams({ key: this.key });
    return `/embed/tracking/${this.pageId}/receipts/${submissionId}?${query}`;
  }

  /**
   * @param {string} submissionId
   * @returns {Promise<object>}
   */
  async readReceipt(submissionId) {
    const receipt = await this.call(this.locateReceipt(submissionId));
    if (typeof receipt?.message !== "string") throw new Problem("server"); // something in between answered
    return receipt;
  }

  /** @returns {Promise<Submission[]>} */
  async listOwn() {
    const path = `/embed/api/session/submissions?trackingPageId=${this.pageId}`;
    return (await this.call(path)).submissions;
  }

  /** @returns {Promise<boolean>} */
  async hasSession() {
    return (await this.call("/embed/session")).hasSession;
  }

  /**
   * @param {string} path
   * @param {{ body?: object, signal?: AbortSignal, keepalive?: boolean }} [options]
   */
  async call(path, options) {
    return (await this.send(path, options)).answer;
  }

  /**
   * @param {string} path
   * @param {RequestOptions} [options]
   * @returns {Promise<{ response: Response, answer: any }>} `answer` is null if nothing is new
   */
  async send(path, options) {
    const { response, text } = await this.request(path, options);
    let answer;
    if (response.status === 304) return { response, answer: null };
    try {
      answer = parseResponse(text);
    } catch {
      throw new Problem("server");
    }
    if (response.ok) return { response, answer };
    const { error, ...details } = answer;
    throw new Problem(error === "internal_error" ? "server" : error, {
      retryAfter: readRetryAfter(response),
      details,
    });
  }

  /**
   * @param {string} path
   * @param {RequestOptions} [options]
   */
  async request(path, { body, signal, keepalive = false, cache = "no-store", credentials, headers } = {}) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(path, {
        method: body ? "POST" : "GET",
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(body && { "Content-Type": "application/json" }),
          ...headers,
        },
        body: body && JSON.stringify(body),
        cache,
        credentials,
        keepalive,
        signal: signal ? eitherOf(signal, timeout) : timeout,
      });
      return { response, text: await response.text() };
    } catch {
      signal?.throwIfAborted();
      throw new Problem("offline");
    }
  }
}

/** @param {Response} response */
function readRetryAfter({ headers }) {
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  return Number.isNaN(seconds) ? null : seconds;
}

/**
 * Return a signal that aborts as soon as one of both does: AbortSignal.any, which is newer than
 * the rest of what is used here.
 * @param {AbortSignal[]} signals
 */
export function eitherOf(...signals) {
  const either = new AbortController();
  for (const one of signals) {
    if (one.aborted) either.abort(one.reason);
    one.addEventListener("abort", () => either.abort(one.reason), { once: true });
  }
  return either.signal;
}
