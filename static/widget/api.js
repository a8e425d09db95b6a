// The service's API, called under the path that the session cookie belongs to.

const TIMEOUT_MS = 20_000;

/** A refusal or failure; `code` names the sentence that explains it. */
export class Problem extends Error {
  constructor(code, { retryAfter = null, details = {} } = {}) {
    super(code);
    this.code = code;
    this.details = details;
    this.retryAt = retryAfter === null ? null : Date.now() + retryAfter * 1000;
  }
}

export class Api {
  constructor({ pageId, key }) {
    this.pageId = pageId;
    this.key = key;
  }

  readPage() {
    return this.#call(`/embed/api/tracking/${this.pageId}`);
  }

  createNonce(walletAddress) {
    return this.#call("/embed/api/siws/nonce", { trackingPageId: this.pageId, walletAddress });
  }

  submit(draft) {
    return this.#call("/embed/api/submissions", { trackingPageId: this.pageId, ...draft });
  }

  async listOwn() {
    const path = `/embed/api/session/submissions?trackingPageId=${this.pageId}`;
    return (await this.#call(path)).submissions;
  }

  async hasSession() {
    return (await this.#call("/embed/session")).hasSession;
  }

  async #call(path, body) {
    let response, answer;
    try {
      response = await fetch(path, {
        method: body ? "POST" : "GET",
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(body && { "Content-Type": "application/json" }),
        },
        body: body && JSON.stringify(body),
        cache: "no-store",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch {
      throw new Problem("offline");
    }
    try {
      answer = await response.json();
    } catch {
      throw new Problem("server");
    }
    if (response.ok) return answer;
    const { error, ...details } = answer;
    const retryAfter = Number.parseInt(response.headers.get("Retry-After"), 10);
    throw new Problem(error === "internal_error" ? "server" : error, {
      retryAfter: Number.isNaN(retryAfter) ? null : retryAfter,
      details,
    });
  }
}
