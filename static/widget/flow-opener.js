// Opens and closes the flow's panel. Its steps are loaded when a visitor is about to open it, since most
// visitors just read.

import { findAround, getElement, showWhole } from "../elements.js";
import { Problem } from "./api.js";
import { explain, say } from "./words.js";

/**
 * @import { PurposeName, Steps, Wanted } from "./flow-setup.js"
 * @import { Api } from "./api.js"
 * @import { OwnSubmissions } from "./own.js"
 */

export class FlowOpener {
  /**
   * @param {HTMLElement} panel
   * @param {{ api: Api, lender: Promise<string>, tell: (event: string, detail: object) => void,
   *   site: string | null, symbol: string, loadOwn: () => Promise<OwnSubmissions> }} options
   */
  constructor(panel, { api, tell, loadOwn, ...about }) {
    this.panel = panel;
    this.title = getElement(panel, "#flow-title", HTMLElement);
    this.api = api;
    this.tell = tell;
    this.loadOwn = loadOwn;
    this.about = about;
    /** @type {HTMLElement | null} */
    this.button = null; // the button that opened the panel
    /** @type {PurposeName} */
    this.purpose = "add";
    /** @type {Wanted} */
    this.wanted = {};
    /** @type {Promise<Steps> | null} */
    this.loading = null;
    /** @type {Steps | null} */
    this.steps = null;
    panel.addEventListener("click", (event) => this.#act(event));
    document.addEventListener("keydown", (event) => this.#leaveByKey(event));
  }

  /**
   * Let a button open and close the panel for a purpose.
   * @param {HTMLButtonElement} button
   * @param {PurposeName} purpose
   * @param {() => Wanted} [findWanted]
   */
  listen(button, purpose, findWanted = () => ({})) {
    for (const intent of ["pointerenter", "focus", "touchstart"]) {
      // If it fails, the press tries again and reports a failure.
      button.addEventListener(intent, () => this.#load().catch(() => {}), { passive: true });
    }
    button.addEventListener("click", ({ detail }) => {
      if (detail > 1) return; // a double click would close it again
      if (this.button !== button) this.open(button, purpose, findWanted());
      else if (this.steps) this.#leave();
      else this.#start(); // pressed again because nothing had appeared yet
    });
  }

  /**
   * Open the panel; when closed, it returns the focus to `button`.
   * @param {HTMLElement} button
   * @param {PurposeName} purpose
   * @param {Wanted & { title?: string }} [wanted]
   */
  open(button, purpose, { title = button.textContent, ...wanted } = {}) {
    if (this.button) this.#leave();
    this.button = button;
    this.purpose = purpose;
    this.wanted = wanted;
    // Not inside an element that goes away when the list has its first wallet or is searched.
    (button.closest("header, .empty, #own, .list") ?? button.parentElement)?.after(this.panel);
    if (button.hasAttribute("aria-controls")) button.setAttribute("aria-expanded", "true");
    this.title.textContent = title;
    this.panel.hidden = false;
    this.title.focus();
    showWhole(this.panel);
    this.#start();
  }

  async #start() {
    const { button } = this;
    if (!this.steps) this.#tell(say("loading"), true);
    try {
      const { start } = await this.#load();
      if (this.button === button) start(this.purpose, this.wanted);
    } catch (error) {
      this.#tell(explainFailure(error), false);
    }
  }

  #close() {
    const { button } = this;
    this.button = null;
    this.panel.hidden = true;
    if (button?.hasAttribute("aria-controls")) button.setAttribute("aria-expanded", "false");
    button?.focus();
    if (document.activeElement === button) return;
    // The list was empty and now has its first wallet, so the button is gone.
    /** @type {HTMLElement | null} */
    const first = document.querySelector("#wallets summary");
    first?.focus();
  }

  #leave() {
    if (this.steps) this.steps.leave();
    else this.#close();
  }

  /** @param {Event} event */
  #act(event) {
    if (this.steps) return; // they listen themselves
    const name = findAround(event, "button[data-do]")?.dataset.do;
    if (name === "close") this.#close();
    if (name === "retry") this.#start();
  }

  /** @param {KeyboardEvent} event */
  #leaveByKey(event) {
    const { key, target, isComposing, defaultPrevented } = event;
    if (key !== "Escape" || isComposing || defaultPrevented || this.panel.hidden) return;
    const isElsewhere = target !== document.body && target !== this.button;
    if (isElsewhere && !(target instanceof Node && this.panel.contains(target))) return;
    this.#leave();
  }

  /**
   * Show a sentence in the empty panel.
   * @param {string} sentence
   * @param {boolean} isBusy
   */
  #tell(sentence, isBusy) {
    const shown = getElement(this.panel, "[data-busy]", HTMLElement);
    shown.textContent = sentence;
    shown.classList.toggle("busy", isBusy);
    getElement(this.panel, "[data-do=retry]", HTMLElement).hidden = isBusy;
    this.panel.setAttribute("aria-busy", String(isBusy));
  }

  #load() {
    this.loading ??= this.#loadSteps().catch((error) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  /** Load everything that the steps need in parallel. */
  async #loadSteps() {
    const links = getElement(document, "#flow-links", HTMLTemplateElement);
    this.tell("prepare", { modules: links.dataset.lend?.split(" ") });
    const { api, about } = this;
    const steps = /** @type {Promise<Document>} */ (api.readHtml(`/embed/tracking/${api.pageId}/flow`));
    const [, part, own, { setUpSteps }] = await Promise.all([
      loadLinks(links.content), steps, this.loadOwn(), import("./flow-setup.js"),
    ]);
    this.panel.removeAttribute("aria-busy");
    this.steps = setUpSteps(this.panel, part, { ...about, api, own, close: () => this.#close() });
    return this.steps;
  }
}

/**
 * Request the steps' scripts and style sheet; wait for the style sheet.
 * @param {DocumentFragment} named
 */
async function loadLinks(named) {
  const links = document.importNode(named, true);
  const style = getElement(links, "[rel=stylesheet]", HTMLLinkElement);
  if (document.querySelector(`link[href="${style.getAttribute("href")}"]`)) return;
  const loaded = new Promise((resolve, reject) => {
    style.addEventListener("load", resolve);
    style.addEventListener("error", () => {
      style.remove();
      reject(new Problem("offline"));
    });
  });
  document.head.append(links);
  await loaded;
}

/** @param {unknown} error */
function explainFailure(error) {
  if (error instanceof Problem) return explain(error);
  return say(error instanceof SyntaxError ? "too_old" : "offline");
}
