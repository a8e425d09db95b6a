// What a visitor signs for: to add a wallet, or, as its holder, to see what the page keeps of it and to
// withdraw it. Each purpose asks the service for a text, and sends the signature of it.

import { Problem } from "./api.js";
import { isolate } from "./words.js";

/**
 * @import { Api, Submission, Tag } from "./api.js"
 * @import { OwnSubmissions } from "./own.js"
 * @typedef {{ nonceId: string, message: string, isDuplicate?: boolean }} Nonce
 * @typedef {{ walletAddress: string, nickname: string, nonceId: string, signature: string }} Draft
 * @typedef {{ submissionId: string, status: string, isRemembered?: boolean,
 *   receipt?: string | null }} Answer to a submission; whether this browser will hear of it, and where
 *   its receipt is, if this browser may read it
 * @typedef {{ amount: string, observedAtIso: string }} Balance
 * @typedef {{ publicAlias: string | null, tags: Tag[], hideFromPublic: boolean, withheld: boolean,
 *   addedBy: "owner" | "submission", createdAtIso: string }} Entry of the list
 * @typedef {{ walletAddress: string, listed: Entry | null,
 *   submissions: (Submission & { createdAtIso: string, hasReceipt: boolean })[], activity: object[],
 *   messages: number, listings: object[], observedBalance: Balance | null,
 *   enteredBalance: Balance | null, domainName: string | null }} Records what a page keeps of a wallet
 * @typedef {{ withdrawnSubmissions: number, leftList: boolean, staysListed: boolean }} Withdrawal
 * @typedef {"add" | "show" | "withdraw"} PurposeName
 * @typedef {{ name: PurposeName,
 *   findDuplicate?: (address: string) => Problem | null,
 *   createNonce: (address: string, nickname: string, signal?: AbortSignal) => Promise<Nonce>,
 *   submit: (draft: Draft) => Promise<Answer | Records | Withdrawal>,
 *   withdraw?: (address: string) => Purpose }} Purpose `createNonce` asks for a text to sign; `submit`
 *   is never aborted; `withdraw` is what may follow for the wallet that was shown
 */

/**
 * Add a wallet under a nickname.
 * @param {Api} api
 * @param {Pick<OwnSubmissions, "add" | "refresh" | "find" | "isForgotten">} own
 * @returns {Purpose}
 */
export const makeAdding = (api, own) => ({
  name: "add",
  findDuplicate(address) {
    const found = own.find(address);
    if (!found) return null;
    const details = { name: isolate(found.nickname ?? "") };
    return new Problem(found.status === "pending" ? "duplicate_waits" : "duplicate_sent", { details });
  },
  async createNonce(walletAddress, nickname, signal) {
    const nonce = await post(api, "siws/nonce", { walletAddress, nickname }, { signal });
    if (nonce.isDuplicate) throw new Problem("duplicate"); // before anything is signed
    return nonce;
  },
  async submit(draft) {
    try {
      // Even if the tab is closed meanwhile: it may have been accepted already.
      const answer = await post(api, "submissions", draft, { keepalive: true });
      own.add(draft, answer);
      const isReadable = !own.isForgotten || answer.status === "auto_approved";
      const receipt = isReadable ? api.locateReceipt(answer.submissionId) : null;
      return { ...answer, isRemembered: !own.isForgotten, receipt };
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
