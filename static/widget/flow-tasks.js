// What the flow is for: adding a wallet, and the rights of its holder, who may see what the page
// keeps of it and withdraw it.

import { Problem } from "./api.js";

/**
 * @import { Answer, Draft, FlowApi, Records } from "./flow-api.js"
 * @import { Service } from "./flow.js"
 * @typedef {{ service: Service, done?: () => void, withdraw?: (address: string) => Task }} Task what
 *   follows when it is done, and what the visitor may do then
 * @typedef {{ sent: (draft: Draft, answer: Answer) => void, tried: () => void, added: () => void,
 *   asked: (records: Records) => void, withdrawn: (address: string) => void }} Listener `tried`: a submission
 *   was answered, maybe by a refusal; `asked`: the holder of a wallet was told what is kept of it
 */

/**
 * @param {FlowApi} api
 * @param {Listener} on
 * @returns {Record<"add" | "show", Task>}
 */
export const makeTasks = (api, on) => ({
  add: {
    service: {
      purpose: "add",
      createNonce: (address, nickname, signal) => api.createNonce(address, nickname, signal),
      async submit(draft) {
        try {
          const answer = await api.submit(draft);
          on.sent(draft, answer);
          return answer;
        } finally {
          on.tried();
        }
      },
    },
    done: on.added,
  },
  show: {
    service: {
      purpose: "show",
      createNonce: (address, _, signal) => api.createRecordNonce(address, "show", signal),
      async submit(draft) {
        const records = await api.readRecords(draft);
        on.asked(records);
        return records;
      },
    },
    withdraw: (address) => ({ service: makeWithdrawal(api, address, on) }),
  },
});

/**
 * @param {FlowApi} api
 * @param {string} shown the wallet whose records the visitor has read
 * @param {Listener} on
 * @returns {Service}
 */
const makeWithdrawal = (api, shown, on) => ({
  purpose: "withdraw",
  async createNonce(address, _, signal) {
    if (address !== shown) throw new Problem("records_other_wallet", { details: { address: shown } });
    return api.createRecordNonce(address, "withdraw", signal);
  },
  async submit(draft) {
    const answer = await api.withdraw(draft);
    on.withdrawn(shown); // also if the visitor has left meanwhile
    return answer;
  },
});
