// The frame's side of the signing window: opens it, and makes its API calls with the cookie.

import { Problem } from "./api.js";
import { answerCall } from "./calls.js";

/** @import { Result, Service } from "./flow.js" */

const NAME = "embed-sign";
const FEATURES = "popup,width=440,height=680";

export class SigningWindow {
  /**
   * @param {{ service: Service, site: string | null, symbol: string,
   *   on: { done: (result: Result) => void, problem: (problem: Problem) => void } }} options
   */
  constructor({ service, site, symbol, on }) {
    this.service = service;
    this.about = { site, symbol };
    this.on = on;
    /** @type {Window | null} */
    this.window = null;
    this.isDone = false;
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /** Open the window. Call this in the click's handler, or browsers block it. */
  open() {
    const look = new URLSearchParams({ lang: document.documentElement.lang });
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (name === "theme" || name === "accent") look.set(name, value);
    }
    clearInterval(this.watch);
    this.isDone = false;
    this.window = window.open(`/embed/sign?${look}`, NAME, FEATURES);
    if (!this.window) {
      this.on.problem(new Problem("window_blocked"));
      return;
    }
    this.window.focus();
    this.watch = setInterval(() => this.#checkClosed(), 500);
  }

  close() {
    clearInterval(this.watch);
    this.window?.close();
    this.window = null;
  }

  #checkClosed() {
    if (!this.window?.closed) return;
    clearInterval(this.watch);
    this.window = null;
    if (!this.isDone) this.on.problem(new Problem("window_closed"));
  }

  /** @param {MessageEvent} event */
  #receive(event) {
    if (event.origin !== location.origin || !this.window || event.source !== this.window) return;
    const { kind, args, result } = event.data ?? {};
    const [port] = event.ports;
    if (kind === "ready") {
      this.window.postMessage({ kind: "about", about: this.about }, location.origin);
    } else if (kind === "createNonce") {
      answerCall(port, (signal) => this.service.createNonce(args[0], signal));
    } else if (kind === "submit") {
      answerCall(port, () => this.service.submit(args[0]));
    } else if (kind === "done") {
      this.isDone = true;
      this.on.done(result);
    }
  }
}
