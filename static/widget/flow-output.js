// What the flow tells at its end: a problem, or what the page keeps of a wallet.

import { getElement } from "../elements.js";
import { copyText, explain, formatAmount, formatInstant, isolate, say, showIsolated } from "./words.js";

/**
 * @import { Problem } from "./api.js"
 * @import { Balance, Records, Withdrawal } from "./flow-setup.js"
 */

// The box of the flow that explains a problem, and when it can be tried again.

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
      showIsolated(explain(problem), this.sentence);
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

// What the page keeps of a wallet, in plain words, and what became of a withdrawal.

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
    ...records.submissions.flatMap((one) => [describeSubmission(one), one.reasonText]),
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
function describeSubmission({ createdAtIso, nickname, status, rejectReason, reasonCode, hasReceipt }) {
  const given = { date: formatInstant(createdAtIso), status: say(`status_${status}`) };
  const sentence = nickname
    ? say("records_sent", { ...given, name: isolate(nickname) })
    : say("records_sent_nameless", given);
  const reason = rejectReason && say(`reason_${reasonCode ?? rejectReason}`);
  return [sentence, reason, hasReceipt && say("records_receipt")].filter(Boolean).join(" ");
}

/** @param {Balance} balance */
const describeBalance = ({ amount, observedAtIso }) =>
  ({ amount: formatAmount(amount), date: formatInstant(observedAtIso) });

/** @param {string} text */
function makeItem(text) {
  const item = document.createElement("li");
  showIsolated(text, item);
  return item;
}
