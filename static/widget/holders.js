// The bar of holders above the list, whose parts filter the list, and the line below, which explains a part.
// Loaded when someone points at it or the list changes.

import { getElement } from "../elements.js";

/**
 * @import { TrackedWallet } from "./api.js"
 * @import { List } from "./list.js"
 */

export class Holders {
  /**
   * @param {HTMLElement} root
   * @param {List} list
   */
  constructor(root, list) {
    this.root = root;
    this.list = list;
    this.pressed = ""; // the pressed part's filter
    list.listeners.push(() => !list.test && this.pressed && this.#choose(""));
  }

  /**
   * Handle the pointer or the keyboard on a part or the button below.
   * @param {string} kind of the event
   * @param {HTMLElement} target
   */
  handle(kind, target) {
    const { pressed } = this;
    if (kind !== "click") this.#show(kind === "pointerover" || kind === "focusin" ? target : null);
    else if (target.dataset.filter !== undefined) this.#choose(target.dataset.filter === pressed ? "" : target.dataset.filter);
    else {
      this.#choose("");
      this.#find(pressed)?.focus({ preventScroll: true }); // the button is gone
    }
  }

  /**
   * Replace the sentence, bar and line with those of another document.
   * @param {Document} served
   */
  replace(served) {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.filter : undefined;
    for (const part of ["#sentence", "#summary"]) {
      getElement(this.root, part, HTMLElement).replaceWith(getElement(served, part, HTMLElement));
    }
    for (const part of this.#parts) {
      part.disabled = !this.list.hasTools;
      part.style.flexGrow = part.dataset.grow ?? ""; // this document's style is for the old bar
    }
    const { pressed } = this;
    this.#choose(this.#find(pressed) ? pressed : "");
    if (focused !== undefined) this.#find(focused)?.focus({ preventScroll: true });
  }

  get #parts() {
    return /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-filter]"));
  }

  /** @param {string} filter */
  #find(filter) {
    return [...this.#parts].find(({ dataset }) => dataset.filter === filter) ?? null;
  }

  /** @param {string} filter */
  #choose(filter) {
    const hasChanged = filter !== this.pressed;
    this.pressed = filter;
    for (const part of this.#parts) part.setAttribute("aria-pressed", String(part.dataset.filter === filter));
    this.#show(null);
    const [kind, id] = filter.split(":");
    if (hasChanged) this.list.filter(filter ? this.#makeTest(kind, id) : null, kind === "tag" ? id : "");
  }

  /**
   * @param {string} kind
   * @param {string} id
   * @returns {(wallet: TrackedWallet) => boolean}
   */
  #makeTest(kind, id) {
    if (kind === "wallet") return (wallet) => wallet.id === id;
    if (kind === "tag") return ({ tags }) => (id ? tags.some((tag) => tag.id === id) : tags.length === 0);
    return (wallet) => !this.#find(`wallet:${wallet.id}`);
  }

  /**
   * Explain a part; without one, the pressed part.
   * @param {HTMLElement | null} part
   */
  #show(part) {
    const told = part?.dataset.filter === undefined ? this.#find(this.pressed) : part;
    const said = getElement(this.root, ".said", HTMLElement);
    getElement(this.root, ".told", HTMLElement).hidden = Boolean(told);
    getElement(this.root, "#show-all", HTMLElement).hidden = !this.pressed;
    said.hidden = !told;
    said.textContent = told?.title ?? "";
    said.classList.toggle("tag", told?.dataset.color !== undefined);
    said.dataset.color = told?.dataset.color ?? "";
  }
}
