// The frame's side of the signing window: opens it, and makes its API calls with the cookie.

import { Problem } from "./api.js";

const NAME = "embed-sign";
const FEATURES = "popup,width=440,height=680";

export class SigningWindow {
  /** `on` has done(result) and problem(problem). */
  constructor({ service, site, symbol, on }) {
    this.service = service;
    this.about = { site, symbol };
    this.on = on;
    this.window = null;
    window.addEventListener("message", (event) => this.#receive(event));
  }

  /** Open the window, by the very click that asks for it; else browsers block it. */
  open() {
    const here = new URLSearchParams(location.search);
    const look = new URLSearchParams({ lang: document.documentElement.lang });
    for (const name of ["theme", "accent"]) if (here.has(name)) look.set(name, here.get(name));
    clearInterval(this.watch);
    this.isDone = false;
    this.window = window.open(`/embed/sign?${look}`, NAME, FEATURES);
    if (!this.window) {
      this.on.problem(new Problem("window_blocked"));
      return false;
    }
    this.window.focus();
    this.watch = setInterval(() => this.#checkClosed(), 500);
    return true;
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

  async #receive(event) {
    if (event.origin !== location.origin || !this.window || event.source !== this.window) return;
    const { kind, id, args, result } = event.data ?? {};
    if (kind === "ready") this.#tell({ kind: "about", about: this.about });
    if (kind === "createNonce") await this.#answer(id, () => this.service.createNonce(args[0]));
    if (kind === "submit") await this.#answer(id, () => this.service.submit(args[0]));
    if (kind === "done") {
      this.isDone = true;
      this.on.done(result);
    }
  }

  async #answer(id, action) {
    try {
      this.#tell({ kind: "answer", id, value: await action() });
    } catch (problem) {
      const { code = "server", details, retryAt } = problem;
      this.#tell({ kind: "answer", id, problem: { code, details, retryAt } });
    }
  }

  #tell(message) {
    this.window?.postMessage(message, location.origin);
  }
}
