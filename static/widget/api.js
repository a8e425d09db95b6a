// The widget's communication: calls and polls the service's API at the session cookie's path, parses exact
// amounts, reads and sets cookies, and exchanges messages with the host page.

import { attempt, parsePage } from "../elements.js";

const TIMEOUT_MS = 20_000;

/**
 * @typedef {{ id: string, name: string, color: string }} Tag
 * @typedef {{ body?: object, signal?: AbortSignal, keepalive?: boolean,
 *   credentials?: RequestCredentials, headers?: Record<string, string> }} RequestOptions
 * @typedef {{ id: string, walletAddress: string, nickname: string | null, status: string,
 *   rejectReason?: string | null, reasonCode?: string | null, reasonText?: string | null,
 *   createdAtIso?: string, decidedAtIso?: string | null }} Submission
 */

/** A refusal or failure; `code` is the key of the sentence that explains it. */
export class Problem extends Error {
  /**
   * @param {string} code
   * @param {{ retryAfter?: number | null, details?: Record<string, unknown>, page?: Document | null }} [options]
   *   `retryAfter` in seconds; `page` says why the whole list is refused
   */
  constructor(code, { retryAfter = null, details = {}, page = null } = {}) {
    super(code);
    this.code = code === "internal_error" ? "server" : code; // "server" has a sentence
    this.details = details;
    this.page = page;
    this.retryAt = retryAfter === null ? null : Date.now() + retryAfter * 1000;
  }
}

let ahead = 0; // how far the server's clock is ahead, in ms: this computer's may be wrong by days

/** Return the time, by the server's clock if known. */
export const now = () => Date.now() + ahead;

/**
 * Take over the server's time.
 * @param {string | null | undefined} said
 */
export function noteTime(said) {
  const time = Date.parse(said ?? "");
  if (time) ahead = time - Date.now();
}

/**
 * Take over the time of a Date header, unless the known time agrees with it. A header has whole seconds
 * and was some time on its way, so taking it over each time would make countdowns jump back.
 * @param {Headers} headers
 */
export function noteDate(headers) {
  const date = headers.get("Date");
  if (Math.abs(Date.parse(date ?? "") - now()) > 2000) noteTime(date);
}

export class Api {
  /** @param {{ pageId: string, key: string }} options */
  constructor({ pageId, key }) {
    this.pageId = pageId;
    this.key = key;
  }

  /**
   * Return a page or a part of one, or null if it still has the entity tag.
   * @param {string} path
   * @param {{ etag?: string, isOwn?: boolean }} [options] `isOwn`: with the visitor's own data
   * @returns {Promise<Document | null>}
   */
  async readHtml(path, { etag, isOwn = false } = {}) {
    const url = new URL(path, location.href);
    url.searchParams.set("key", this.key); // not a header, so a frame without an origin can read this, too
    url.searchParams.set("lang", document.documentElement.lang);
    const isPreflightFree = globalThis.origin !== "null"; // the service answers no preflights for pages
    const headers = etag && isPreflightFree ? { "If-None-Match": etag } : undefined;
    const { response, text } = await this.request(url.href, { headers, credentials: isOwn ? "same-origin" : "omit" });
    if (response.status === 304) return null;
    const page = parsePage(text);
    if (response.ok) return etag && findTag(page) === etag ? null : page;
    const code = page.querySelector("code")?.textContent?.split(" ").at(-1); // refusal.html
    const isRefusal = ["revoked_key", "invalid_key", "embed_disabled"].includes(code ?? "") || (isOwn || url.searchParams.has("part")) && code === "not_found";
    throw new Problem(code ?? "server", { retryAfter: readRetryAfter(response), page: isRefusal ? page : null });
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
    if (typeof receipt?.message !== "string") throw new Problem("server"); // something else answered
    return receipt;
  }

  /**
   * @param {string} path
   * @param {{ body?: object, signal?: AbortSignal, keepalive?: boolean }} [options]
   * @returns {Promise<any>}
   */
  async call(path, options) {
    const headers = { Authorization: `Bearer ${this.key}` };
    const { response, text } = await this.request(path, { ...options, headers });
    const answer = attempt(() => parseResponse(text));
    if (!answer) throw new Problem("server");
    if (response.ok) return answer;
    const { error, ...details } = answer;
    throw new Problem(error, {
      retryAfter: readRetryAfter(response),
      details,
    });
  }

  /**
   * @param {string} path
   * @param {RequestOptions} [options]
   */
  async request(path, { body, signal, keepalive = false, credentials, headers } = {}) {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(path, {
        method: body ? "POST" : "GET",
        headers: {
          ...(body && { "Content-Type": "application/json" }),
          ...headers,
        },
        body: body && JSON.stringify(body),
        cache: "no-store",
        credentials,
        keepalive,
        signal: signal ? eitherOf(signal, timeout) : timeout,
      });
      noteDate(response.headers);
      return { response, text: await response.text() };
    } catch {
      signal?.throwIfAborted();
      throw new Problem("offline");
    }
  }
}

/** @param {Document} page */
const findTag = (page) => page.querySelector("[data-etag]")?.getAttribute("data-etag");

/** @param {Response} response */
function readRetryAfter({ headers }) {
  const seconds = Number.parseInt(headers.get("Retry-After") ?? "", 10);
  return Number.isNaN(seconds) ? null : seconds;
}

/**
 * Return a signal that aborts as soon as one of them does, like AbortSignal.any, which is newer than
 * everything else used here.
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

// Amounts as exact decimal text, since a JavaScript number can't hold all their digits.

/** The fields of the API's responses that are amounts. */
export const AMOUNTS = new Set(["amount", "tokenBalance", "balance", "minBalance"]);

/**
 * Parse an API response, with amounts as exact text. Browsers that don't provide a number's source text
 * (before Chrome 114, Firefox 135, Safari 18.4) round the amount to a number.
 * @param {string} text
 */
export function parseResponse(text) {
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const revive = (key, value, context) => {
    const isAmount = typeof value === "number" && AMOUNTS.has(key);
    return isAmount ? context?.source ?? String(value) : value;
  };
  return JSON.parse(text, revive);
}

// Cookies, which a sandbox may not allow

/**
 * Set a cookie that the server reads.
 * @param {string} name
 * @param {string} value
 * @param {{ path?: string, age?: number }} [options] `age` in seconds; default: 30 days
 */
export const setCookie = (name, value, { path = "/embed", age = 2_592_000 } = {}) => attempt(() => {
  document.cookie = `${name}=${value}; Path=${path}; Max-Age=${age}; Secure; SameSite=None; Partitioned`;
});

/** @param {string} name */
export const readCookie = (name) =>
  attempt(() => document.cookie.match(`(?:^|; )${name}=([\\w.]*)`)?.[1]) ?? "";

// Polling: only while the tab is visible, and less often while nothing changes or the server fails.

const GROWTH = 1.5;
const SPREAD = 0.1;
const SLOWEST_FAILING_MS = 10 * 60_000;

/**
 * Call the async `action` every `seconds` while the tab is visible and `isWanted()` is true. Each call
 * that resolves to false, because nothing has changed, makes the pause longer, up to `slowest` seconds.
 * A failure doubles it, and a Problem's Retry-After is obeyed. Returns {now}, which polls immediately
 * and more often again.
 * @param {() => Promise<unknown>} action
 * @param {{ seconds: number, slowest?: number, isWanted?: () => boolean }} options
 */
export function poll(action, { seconds, slowest = seconds, isWanted = () => true }) {
  const shortest = seconds * 1000;
  const spread = slowest > seconds ? SPREAD : 0; // so a page's visitors don't poll in step
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = shortest;
  let dueAt = 0;
  let askedAt = Date.now();
  let refusedUntil = 0;
  let isFailing = false;
  let isRunning = false;
  let isWantedNow = false;

  async function run() {
    if (isRunning || document.hidden) return;
    if (!isWanted()) return schedule(pause); // it may be later
    isRunning = true;
    const isPrompted = isWantedNow; // the expected change often comes a bit later
    isWantedNow = false;
    askedAt = Date.now();
    try {
      const isSame = await action() === false;
      pause = isSame && !isFailing && !isPrompted ? Math.min(pause * GROWTH, slowest * 1000) : shortest;
      isFailing = false;
    } catch (error) {
      isFailing = true;
      pause = Math.min(pause * 2, SLOWEST_FAILING_MS);
      const retryAt = error instanceof Problem ? error.retryAt : null;
      if (retryAt) refusedUntil = retryAt + vary(shortest);
    } finally {
      isRunning = false;
    }
    schedule(isWantedNow ? 0 : pause - vary(pause));
  }

  /** @param {number} time */
  const vary = (time) => time * spread * Math.random();

  /** @param {number} delay in milliseconds */
  function schedule(delay) {
    dueAt = Math.max(Date.now() + delay, refusedUntil);
    clearTimeout(timer);
    timer = setTimeout(run, dueAt - Date.now());
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    const newest = isFailing ? dueAt : Math.min(dueAt, askedAt + shortest);
    schedule(Math.max(0, newest - Date.now()));
  });
  schedule(pause - vary(pause));

  return {
    now() {
      pause = shortest;
      isWantedNow = true; // a call in progress may get an old answer
      if (!isRunning) schedule(0);
    },
  };
}

// Messages between the frame and its host page: height, theme, lent wallets, and events.

/**
 * Send the height to the host page's script (embed.js) and apply the theme that it sends.
 *
 * Returns the host page's origin if it lends its wallets, and a function that sends it events. Only pages
 * that the service vouches for are trusted: `site`, which the server found on the key's list, or if that's
 * unknown, any page, since the widget's policy (frame-ancestors) keeps out others. A key that allows the
 * null origin has no such policy: `isForAnySite`.
 * @param {{ site: string | null, isForAnySite: boolean }} options
 * @returns {{ lender: Promise<string>, tell: (event: string, detail?: object) => void }}
 */
export function connectToHost({ site, isForAnySite }) {
  /** @type {(hello: MessageEvent) => void} */
  let resolve = () => {};
  /** @type {Promise<MessageEvent>} */
  const hello = new Promise((found) => (resolve = found));
  const host = {
    lender: hello.then(({ data, origin }) => (data.lends === true ? origin : new Promise(() => {}))),
    /** @type {(event: string, detail?: object) => void} */
    tell(event, detail) {
      hello.then(({ origin }) => {
        sendHeight(); // first, since the host page may read it
        window.parent.postMessage({ kind: `embed:${event}`, ...detail }, origin);
      });
    },
  };
  if (window.parent === window) return host;
  // Without a Referer, or after the strip, the host's origin is unknown: send to any, since the height is no secret.
  const referrer = document.referrer && new URL(document.referrer).origin;
  const target = referrer && referrer !== location.origin ? referrer : "*";
  const sendHeight = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    window.parent.postMessage({ kind: "embed:height", height }, target);
  };
  /** @param {string} origin */
  const isBelieved = (origin) => origin !== "null" && (site ? origin === site : !isForAnySite);
  new ResizeObserver(sendHeight).observe(document.documentElement);
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || (target !== "*" && event.origin !== target)) return;
    if (event.data?.kind === "embed:theme") setTheme(event.data.theme, event.data.ground);
    if (event.data?.kind === "embed:hello") {
      sendHeight();
      if (isBelieved(event.origin)) resolve(event);
    }
  });
  sendHeight(); // now, since browsers lay out frames out of sight later
  return host;
}

/**
 * Apply the theme that fits the host page; add a surface only if text would be unreadable without one.
 * @param {string} theme
 * @param {unknown} ground the computed color under the frame, if known
 */
function setTheme(theme, ground) {
  if (!["auto", "light", "dark"].includes(theme)) return;
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.toggleAttribute("data-surface", isMiddling(ground));
}

/**
 * Return whether a color is so far from white and black that quiet text has a contrast below 4.5:1.
 * @param {unknown} ground
 */
function isMiddling(ground) {
  const parts = String(ground).match(/^rgb\((\d+), (\d+), (\d+)\)$/);
  if (!parts) return false;
  const [red, green, blue] = parts.slice(1).map((part) => (Number(part) / 255) ** 2.2);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.06 && luminance < 0.75;
}
