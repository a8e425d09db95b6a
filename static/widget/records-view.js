// What the page keeps of a wallet, in plain words, and what became of a withdrawal.

import { getElement } from "../elements.js";
import { formatAmount, formatInstant, isolate, say } from "./words.js";

/** @import { Balance, Records, Withdrawal } from "./purposes.js" */

/**
 * Fill the step that shows the records.
 * @param {HTMLElement} root the section of flow.html
 * @param {Records} records
 */
export function showRecords(root, records) {
  getElement(root, "[data-show=records-address]", HTMLElement).textContent = records.walletAddress;
  getElement(root, "[data-records]", HTMLElement).replaceChildren(...describe(records).map(makeItem));
  getElement(root, "[data-show=records]", HTMLElement).textContent = JSON.stringify(records, null, 2);
  const hasAny = records.submissions.length > 0 || records.listed?.addedBy === "submission";
  getElement(root, "[data-if=can-withdraw]", HTMLElement).hidden = !hasAny;
  getElement(root, "[data-if=no-withdrawal]", HTMLElement).hidden = hasAny;
}

/**
 * @param {HTMLElement} root the section of flow.html
 * @param {Withdrawal} withdrawal
 */
export function showWithdrawal(root, { leftList, staysListed }) {
  getElement(root, "[data-if=left-list]", HTMLElement).hidden = !leftList;
  getElement(root, "[data-if=stays-listed]", HTMLElement).hidden = !staysListed;
}

/** @param {Records} records */
function describe(records) {
  const { activity, listings, messages, observedBalance, enteredBalance } = records;
  const sentences = [
    describeListed(records),
    ...records.submissions.map(describeSubmission),
    observedBalance && say("records_observed", describeBalance(observedBalance)),
    enteredBalance && say("records_entered", describeBalance(enteredBalance)),
    listings.length && say("records_feed", { count: formatAmount(listings.length) }),
    activity.length && say("records_log", { count: formatAmount(activity.length) }),
    messages && say("records_messages", { count: formatAmount(messages) }),
  ];
  return sentences.filter((one) => typeof one === "string");
}

/** @param {Records} records */
function describeListed({ listed }) {
  if (!listed) return say("records_not_listed");
  const { publicAlias, addedBy, createdAtIso, hideFromPublic, withheld, tags } = listed;
  const date = formatInstant(createdAtIso);
  const sentences = [
    publicAlias ? say("records_listed", { name: isolate(publicAlias), date }) : say("records_listed_nameless", { date }),
    say(addedBy === "owner" ? "records_by_owner" : "records_by_submission"),
  ];
  if (hideFromPublic || withheld) sentences.push(say("records_hidden"));
  if (tags.length) sentences.push(`${say("tags")}: ${tags.map(({ name }) => isolate(name)).join(", ")}`);
  return sentences.join(" ");
}

/** @param {Records["submissions"][number]} submission */
function describeSubmission({ createdAtIso, nickname, status, rejectReason, reasonCode, reasonText, hasReceipt }) {
  const given = { date: formatInstant(createdAtIso), status: say(`status_${status}`) };
  const sentence = nickname
    ? say("records_sent", { ...given, name: isolate(nickname) })
    : say("records_sent_nameless", given);
  const reason = rejectReason && say(`reason_${reasonCode ?? rejectReason}`);
  return [sentence, reason, reasonText && isolate(reasonText), hasReceipt && say("records_receipt")].filter(Boolean).join(" ");
}

/** @param {Balance} balance */
const describeBalance = ({ amount, observedAtIso }) =>
  ({ amount: formatAmount(amount), date: formatInstant(observedAtIso) });

/** @param {string} text */
function makeItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}
