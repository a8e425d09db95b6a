// What a visitor signs for: to add a wallet, or, as its holder, to see what the page keeps of it and to
// withdraw it. Each purpose asks the service for a text, and sends the signature of it.

import { Problem } from "./api.js";

/**
 * @import { Api, Submission, Tag } from "./api.js"
 * @import { OwnSubmissions } from "./own.js"
 * @typedef {{ nonceId: string, message: string }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string }} Answer to a submission
 * @typedef {{ amount: string, observedAtIso: string }} Balance
 * @typedef {{ publicAlias: string | null, tags: Tag[], hideFromPublic: boolean, withheld: boolean,
 *   addedBy: "owner" | "submission", createdAtIso: string }} Entry of the list
 * @typedef {{ walletAddress: string, listed: Entry | null,
 *   submissions: (Submission & { createdAtIso: string, hasReceipt: boolean })[], activity: object[],
 *   messages: number, listings: object[], observedBalance: Balance | null,
 *   enteredBalance: Balance | null }} Records what a page keeps of a wallet
 * @typedef {{ withdrawnSubmissions: number, leftList: boolean, staysListed: boolean }} Withdrawal
 * @typedef {"add" | "show" | "withdraw"} PurposeName
 * @typedef {{ name: PurposeName,
 *   createNonce: (address: string, nickname: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Answer | Records | Withdrawal>,
 *   withdraw?: (address: string) => Purpose }} Purpose `createNonce` asks for a text to sign; `submit`
 *   is never aborted; `withdraw` is what may follow for the wallet that was shown
 */

/**
 * Add a wallet under a nickname.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "add" | "refresh">} own
 * @returns {Purpose}
 */
export const makeAdding = (api, own) => ({
  name: "add",
  createNonce: (walletAddress, nickname, signal) =>
    post(api, "siws/nonce", { walletAddress, nickname }, { signal }),
  async submit(draft) {
    try {
      // Even if the tab is closed meanwhile: it may have been accepted already.
      const answer = await post(api, "submissions", draft, { keepalive: true });
      own.add(draft, answer);
      return answer;
    } finally {
      own.refresh(); // the visitor's list also shows refusals
    }
  },
});

/**
 * Show the holder of a wallet what the page keeps of it.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "update" | "forget">} own
 * @returns {Purpose}
 */
export const makeShowing = (api, own) => ({
  name: "show",
  createNonce: (walletAddress, _, signal) =>
    post(api, "wallet-records/nonce", { walletAddress, action: "show" }, { signal }),
  async submit({ nickname: _, ...draft }) {
    const records = await post(api, `wallet-records?lang=${document.documentElement.lang}`, draft);
    own.update(records);
    return records;
  },
  withdraw: (address) => makeWithdrawing(api, own, address),
});

/**
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "forget">} own
 * @param {string} shown the wallet whose records the visitor has read
 * @returns {Purpose}
 */
const makeWithdrawing = (api, own, shown) => ({
  name: "withdraw",
  async createNonce(walletAddress, _, signal) {
    if (walletAddress !== shown) throw new Problem("records_other_wallet", { details: { address: shown } });
    return post(api, "wallet-records/nonce", { walletAddress, action: "withdraw" }, { signal });
  },
  async submit({ nickname: _, ...draft }) {
    const answer = await post(api, "wallet-records/withdraw", draft, { keepalive: true });
    own.forget(shown); // also if the visitor has left meanwhile
    return answer;
  },
});

/**
 * @param {Api} api
 * @param {string} path
 * @param {object} fields
 * @param {{ signal?: AbortSignal, keepalive?: boolean }} [options]
 */
function post(api, path, fields, options) {
  return api.call(`/embed/api/${path}`, { body: { trackingPageId: api.pageId, ...fields }, ...options });
}
