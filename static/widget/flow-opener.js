// Opens and closes the flow. Its steps, sentences and scripts are loaded on demand, as most visitors
// only read.

import { Problem } from "./api.js";
import { FlowApi } from "./flow-api.js";
import { setUpFlow } from "./flow-setup.js";
import { makeTasks } from "./flow-tasks.js";
import { addWords } from "./words.js";

/**
 * @import { Flow } from "./flow.js"
 * @import { Listener, Task } from "./flow-tasks.js"
 */

export class FlowOpener {
  /**
   * @param {Element} place is replaced by the flow's section
   * @param {{ pageId: string, key: string, on: Listener, lender: Promise<string>,
   *   site: string | null, symbol: string }} options
   */
  constructor(place, { pageId, key, on, ...about }) {
    this.section = place;
    this.api = new FlowApi({ pageId, key });
    this.tasks = makeTasks(this.api, on);
    this.about = about;
    /** @type {HTMLButtonElement | null} */
    this.button = null; // the one that opened the flow
    /** @type {Task | null} */
    this.task = null;
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
    const isOpen = flow.isOpen && this.button === button;
    if (flow.isOpen) flow.close();
    if (isOpen) return;
    this.button = button;
    this.task = this.tasks[purpose];
    (button.closest("header") ?? button.parentElement)?.after(this.section);
    button.setAttribute("aria-expanded", "true");
    flow.start(this.task.service);
  }

  async #load() {
    const part = new DOMParser().parseFromString(await this.api.readFlow(), "text/html");
    const section = part.querySelector("#flow");
    if (!(section instanceof HTMLElement)) throw new Problem("server");
    addWords(part);
    await loadStyle(part);
    this.section.replaceWith(section);
    this.section = section;
    const flow = setUpFlow(section, {
      ...this.about,
      on: {
        close: () => this.#leave(),
        done: () => this.task?.done?.(),
        withdraw: (address) => this.#withdraw(flow, address),
      },
    });
    return flow;
  }

  /**
   * @param {Flow} flow
   * @param {string} address
   */
  #withdraw(flow, address) {
    const task = this.task?.withdraw?.(address);
    if (!task) return;
    this.task = task;
    flow.start(task.service, address);
  }

  #leave() {
    this.button?.setAttribute("aria-expanded", "false");
    this.button?.focus();
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
