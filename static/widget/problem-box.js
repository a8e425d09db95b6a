// The box of the flow that explains a problem, and when it can be tried again.

import { getElement } from "../elements.js";
import { explain } from "./words.js";

/** @import { Problem } from "./api.js" */

export class ProblemBox {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.box = getElement(root, "[data-problem]", HTMLElement);
    this.sentence = getElement(root, "[data-sentence]", HTMLElement);
    this.retry = getElement(root, "[data-do=retry]", HTMLButtonElement);
  }

  /**
   * @param {Problem} problem
   * @param {{ canRetry: boolean }} options
   */
  show(problem, { canRetry }) {
    clearInterval(this.timer);
    const { retryAt } = problem;
    const tick = () => {
      const mustWait = retryAt !== null && retryAt > Date.now();
      this.sentence.textContent = explain(problem);
      this.retry.disabled = mustWait;
      if (!mustWait) clearInterval(this.timer);
    };
    this.retry.hidden = !canRetry;
    this.box.hidden = false;
    this.sentence.removeAttribute("aria-live");
    tick();
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
