// The frame's side of the signing window: opens it, and makes its API calls with the cookie.

import { Problem } from "./api.js";
import { answerCall } from "./calls.js";

/**
 * @import { About } from "./flow-view.js"
 * @import { Flow, Retry } from "./flow.js"
 * @import { Draft } from "./purposes.js"
 */

const NAME = "embed-sign";
const FEATURES = "popup,width=440,height=680";

export class SigningWindow {
  /**
   * @param {Flow} flow waits while the visitor goes through its steps in the window
   * @param {About} about what the window says of the list
   */
  constructor(flow, about) {
    this.flow = flow;
    this.about = about;
    /** @type {Window | null} */
    this.window = null;
    this.isDone = this.isSending = false;
    this.isReached = false; // whether the window has told that it is ready
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /** Open the window. Call this in the click's handler, or browsers block it. */
  open() {
    clearInterval(this.watch);
    this.isDone = this.isReached = false;
    const mayOpen = navigator.userActivation?.isActive;
    this.window = tryToOpen(`/embed/sign?${describeList()}`);
    if (this.window) {
      this.window.focus();
      this.watch = setInterval(() => this.#checkClosed(), 500);
      return this.flow.waitElsewhere();
    }
    // A host page with `Cross-Origin-Opener-Policy: same-origin` gets a window that nobody can
    // reach. As every window that opens, it uses the click up; one that is blocked does not.
    const isCutOff = mayOpen === true && navigator.userActivation?.isActive === false;
    if (isCutOff) this.#explain(new Problem("window_cut_off"));
    else this.#explain(new Problem("window_blocked"), () => this.open());
  }

  close() {
    clearInterval(this.watch);
    this.window?.close();
    this.window = null;
  }

  #checkClosed() {
    // What is being sent may be accepted, with or without the window.
    if (!this.window?.closed || this.isSending) return;
    clearInterval(this.watch);
    this.window = null;
    if (this.isDone) return;
    // A window that never was ready may have been cut off by a policy in its own answer.
    const problem = new Problem(this.isReached ? "window_closed" : "window_unreached");
    this.#explain(problem, () => this.open());
  }

  /**
   * @param {Problem} problem
   * @param {Retry} [retry]
   */
  #explain(problem, retry) {
    this.flow.start();
    this.flow.fail(problem, retry);
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    if (event.origin !== location.origin || !this.window || event.source !== this.window) return;
    const { kind, args } = event.data ?? {};
    const [port] = event.ports;
    const { purpose } = this.flow;
    if (kind === "ready") {
      this.isReached = true;
      const about = { ...this.about, purpose: purpose.name };
      this.window.postMessage({ kind: "about", about }, location.origin);
    } else if (kind === "createNonce") {
      answerCall(port, (signal) => purpose.createNonce(args[0], args[1], signal));
    } else if (kind === "submit") {
      answerCall(port, () => this.#submit(args[0]));
    }
  }

  /** @param {Draft} draft */
  async #submit(draft) {
    this.isSending = true;
    try {
      const answer = await this.flow.purpose.submit(draft);
      this.isDone = true;
      this.flow.finish({ address: draft.walletAddress, nickname: draft.nickname, ...answer });
      return answer;
    } finally {
      this.isSending = false;
    }
  }
}

/** Return what the window is told in its address: the list, for links to it, and the frame's look. */
function describeList() {
  const root = document.getElementById("widget");
  const { page = "", key = "" } = root?.dataset ?? {};
  const { lang, dataset: { theme = "auto", accent } } = document.documentElement;
  const query = new URLSearchParams({ lang, page, key, theme });
  if (accent) query.set("accent", accent);
  return query;
}

/** @param {string} address */
function tryToOpen(address) {
  try {
    return window.open(address, NAME, FEATURES);
  } catch {
    return null; // some browsers throw where a sandbox allows no windows
  }
}
