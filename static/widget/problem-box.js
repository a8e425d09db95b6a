// The box of the flow that explains a problem, and when it can be tried again.

import { getElement } from "../elements.js";
import { copyText } from "./clipboard.js";
import { explain } from "./words.js";

/** @import { Problem } from "./api.js" */

// Without a signing window, the list still works as a page of its own.
const WINDOW_CODES = new Set([
  "window_blocked", "window_cut_off", "window_disconnected", "window_unreached",
]);

export class ProblemBox {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.box = getElement(root, "[data-problem]", HTMLElement);
    this.sentence = getElement(root, "[data-sentence]", HTMLElement);
    this.retry = getElement(root, "[data-do=retry]", HTMLButtonElement);
    this.showWallet = getElement(root, "[data-do=show-wallet]", HTMLButtonElement);
    this.restart = getElement(root, "[data-do=restart]", HTMLButtonElement);
    /** @type {HTMLElement | null} */
    this.ownPage = root.querySelector("[data-own-page]"); // absent where the list is unknown
    if (this.ownPage) {
      const link = getElement(this.ownPage, "a", HTMLAnchorElement);
      const copy = getElement(this.ownPage, "button", HTMLButtonElement);
      copy.addEventListener("click", () => copyText(link.href, copy));
    }
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean, isRefused: boolean, canShow: boolean }} options whether the wallet
   *   is refused, so that only another one helps, and whether there is a row of it to show
   */
  show(problem, { canRetry, isRefused, canShow }) {
    clearInterval(this.timer);
    const { retryAt } = problem;
    const tick = () => {
      const mustWait = retryAt !== null && retryAt > Date.now();
      this.sentence.textContent = explain(problem);
      this.retry.disabled = mustWait;
      this.retry.hidden = !canRetry || (isRefused && mustWait); // which may be for days
      if (!mustWait) clearInterval(this.timer);
    };
    this.restart.hidden = !isRefused;
    this.showWallet.hidden = !isRefused || !canShow;
    if (this.ownPage) this.ownPage.hidden = !WINDOW_CODES.has(problem.code);
    this.box.classList.toggle("refused", isRefused);
    this.box.hidden = false;
    this.sentence.removeAttribute("aria-live");
    tick();
    this.box.scrollIntoView({ block: "nearest" }); // it is below the step, which may be long
    if (retryAt === null) return;
    this.timer = setInterval(() => {
      // Screen readers read the first sentence only, not every second of the countdown.
      this.sentence.setAttribute("aria-live", "off");
      tick();
    }, 1000);
  }

  clear() {
    clearInterval(this.timer);
    this.box.hidden = true;
    this.sentence.textContent = "";
  }
}
