// What the list's rows show beside the payload: proofs, and how balances changed.

import { NearRows, RowDetails } from "./row-details.js";
import { showProof } from "./wallet-row.js";

/**
 * @import { Api } from "./api.js"
 * @import { List } from "./list.js"
 */

export class ListDetails {
  /** @param {{ list: List, api: Api, hasChanges: boolean }} options */
  constructor({ list, api, hasChanges }) {
    const nearRows = new NearRows(() => this.update());
    const shared = { list, isNear: (/** @type {HTMLElement} */ row) => nearRows.has(row) };
    const proofs = new RowDetails({
      ...shared, isCheap: true, show: showProof, read: (ids) => api.readProofs(ids),
    });
    for (const { wallet, proof } of list.served) proofs.learn(wallet, proof);
    /** @type {{ update: () => Promise<void> }[]} */
    this.details = [proofs];
    this.proofs = proofs;
    if (hasChanges) this.#loadChanges(shared, api);
  }

  /** @param {{ hasChanged?: boolean }} [page] */
  update({ hasChanged = false } = {}) {
    if (hasChanged) this.proofs.expire(); // a wallet may be proved and look as before
    for (const one of this.details) one.update();
  }

  /**
   * @param {{ list: List, isNear: (row: HTMLElement) => boolean }} shared
   * @param {Api} api
   */
  async #loadChanges(shared, api) {
    const { showChange } = await import("./change-view.js");
    const read = (/** @type {string[]} */ ids) => api.readChanges(ids);
    const changes = new RowDetails({ ...shared, show: showChange, read });
    this.details.push(changes);
    changes.update();
  }
}
