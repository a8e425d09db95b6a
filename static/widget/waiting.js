// Waiting for a wallet or the server, which the visitor may stop at any time.

/** @import { FlowView } from "./flow-view.js" */

export class Waiting {
  #attempt = new AbortController(); // aborted when the visitor leaves a step in progress

  /** @param {FlowView} view */
  constructor(view) {
    this.view = view;
    this.busy = ""; // the key of the sentence that says what is waited for
  }

  /**
   * Run `work`, then `next` with its result, unless the visitor has left meanwhile.
   * @template T
   * @param {string} busy the key of the sentence to show meanwhile
   * @param {(signal: AbortSignal) => T | Promise<T>} work
   * @param {{ next: (result: T) => unknown,
   *   recover: (error: unknown, signal: AbortSignal) => unknown }} then
   */
  async run(busy, work, { next, recover }) {
    const { signal } = this.#attempt;
    this.#show(busy);
    try {
      const result = await work(signal);
      if (!signal.aborted) await next(result);
    } catch (error) {
      if (!signal.aborted) await recover(error, signal);
    } finally {
      if (!signal.aborted) this.#stop();
    }
  }

  /**
   * Say something else while the same work goes on.
   * @param {string} busy
   * @param {AbortSignal} signal the work's
   */
  update(busy, signal) {
    if (!signal.aborted) this.#show(busy);
  }

  /** Stop waiting: a wallet may answer long after the visitor has left. */
  leave() {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#stop();
  }

  /** @param {string} busy */
  #show(busy) {
    this.busy = busy;
    this.view.startWaiting(busy);
  }

  #stop() {
    this.busy = "";
    this.view.stopWaiting();
  }
}
