// Opens and closes the flow in the frame. Its steps, sentences and scripts are loaded on demand, as most
// visitors only read.

import { Api, Problem, TIMEOUT_MS } from "./api.js";
import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { watchAllWallets } from "./lent-wallets.js";
import { makeAdding, makeShowing } from "./purposes.js";
import { SigningWindow } from "./signing-window.js";
import { addWords } from "./words.js";

/**
 * @import { Surroundings } from "./flow.js"
 * @import { OwnSubmissions } from "./own.js"
 */

/** @implements {Surroundings} */
export class FlowOpener {
  /**
   * `lender` is the origin of a host page that lends its wallets.
   * @param {HTMLElement} place is replaced by the flow's section
   * @param {{ pageId: string, key: string, own: OwnSubmissions, lender: Promise<string>,
   *   site: string | null, symbol: string }} options
   */
  constructor(place, { pageId, key, own, lender, ...about }) {
    this.section = place;
    this.api = new Api({ pageId, key });
    this.purposes = { add: makeAdding(this.api, own), show: makeShowing(this.api, own) };
    this.lender = lender;
    this.about = about;
    /** @type {HTMLButtonElement | null} */
    this.button = null; // the one that opened the flow
    /** @type {Promise<Flow> | null} */
    this.loading = null;
    /** @type {object | null} */
    this.lastCall = null;
  }

  /**
   * Open the flow for a purpose below the button that asks for it, or close it. Throws a Problem if
   * it cannot be loaded. Of several calls before it is loaded, the last one counts.
   * @param {HTMLButtonElement} button
   * @param {"add" | "show"} purpose
   */
  async toggle(button, purpose) {
    const call = this.lastCall = {};
    this.loading ??= this.#load();
    button.setAttribute("aria-busy", "true");
    const flow = await this.loading.catch((error) => {
      this.loading = null;
      throw error;
    }).finally(() => button.removeAttribute("aria-busy"));
    if (call !== this.lastCall) return;
    const isOpen = !this.section.hidden;
    if (isOpen) flow.close();
    if (isOpen && this.button === button) return;
    this.button = button;
    (button.closest("header") ?? button.parentElement)?.after(this.section);
    button.setAttribute("aria-expanded", "true");
    flow.start(this.purposes[purpose]);
  }

  /** Hide the flow, which is over. */
  close() {
    this.signingWindow?.close();
    this.section.hidden = true;
    this.button?.setAttribute("aria-expanded", "false");
    this.button?.focus();
  }

  openWindow() {
    this.signingWindow?.open();
  }

  async #load() {
    const part = new DOMParser().parseFromString(await this.#readPart(), "text/html");
    const section = part.querySelector("#flow");
    if (!(section instanceof HTMLElement)) throw new Problem("server");
    addWords(part);
    await loadStyle(part);
    this.section.replaceWith(section);
    this.section = section;
    const view = new FlowView(section);
    const flow = new Flow(view, this.purposes.add, this);
    this.signingWindow = new SigningWindow(flow, this.about);
    watchAllWallets(this.lender, (wallets, lender) => view.showWallets(wallets, lender));
    return flow;
  }

  /** Return the flow's part of the page, as HTML. */
  async #readPart() {
    const query = new URLSearchParams({ key: this.api.key, lang: document.documentElement.lang });
    const response = await fetch(`/embed/tracking/${this.api.pageId}/flow?${query}`, {
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) {
      await this.api.readPage(); // if it is refused, too, that says why
      throw new Problem("server");
    }
    return response.text();
  }
}

/**
 * Load the style sheet that a part of the page names, before the part is shown.
 * @param {Document} part
 */
async function loadStyle(part) {
  const address = part.querySelector("link")?.getAttribute("href") ?? "";
  if (document.querySelector(`link[href="${address}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  await new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => {
      link.remove();
      reject(new Problem("offline"));
    });
    document.head.append(link);
  });
}
