// The orders of the list, the visitor's choice of one, and the ranks.

import { compareAmounts } from "./amounts.js";
import { nameOf } from "./wallet-row.js";
import { formatShare, language } from "./words.js";

/**
 * @import { TrackedWallet, TrackingPage } from "./api.js"
 * @import { Standing } from "./wallet-row.js"
 */

const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

/** @param {TrackedWallet} one @param {TrackedWallet} other */
const byBalance = (one, other) => compareAmounts(other.tokenBalance, one.tokenBalance);

/** @type {Record<string, ((one: TrackedWallet, other: TrackedWallet) => number) | null>} */
export const ORDERS = {
  listed: null,
  balance: byBalance,
  name: (one, other) => collator.compare(nameOf(one), nameOf(other)),
};

/**
 * Rank wallets by their balances, and measure their bars and shares.
 * @param {TrackingPage} page
 * @returns {Map<string, Standing>} by the wallets' ids
 */
export function rankWallets({ wallets, supply }) {
  const sorted = [...wallets].sort(byBalance);
  const highest = Number(sorted[0]?.tokenBalance);
  let rank = 0;
  return new Map(sorted.map(({ id, tokenBalance }, index) => {
    if (tokenBalance !== sorted[index - 1]?.tokenBalance) rank = index + 1;
    const balance = Number(tokenBalance);
    const part = highest ? Math.round((balance / highest) * 1000) / 10 : 0;
    const share = supply && balance ? formatShare(balance / supply) : "";
    return [id, { rank: balance ? rank : 0, part, share }];
  }));
}

/** The order that a visitor has chosen on a page, as far as the browser lets a frame remember it. */
export class ChosenOrder {
  /** @param {string} pageId */
  constructor(pageId) {
    this.key = `embed-order-${pageId}`;
  }

  /** @returns {string | null} */
  recall() {
    try {
      const order = localStorage.getItem(this.key);
      return order && Object.hasOwn(ORDERS, order) ? order : null;
    } catch {
      return null;
    }
  }

  /** @param {string} order */
  remember(order) {
    try {
      localStorage.setItem(this.key, order);
    } catch {
      // it counts until the page is left
    }
  }
}
