// A row of the visitor's own submissions, as in templates/widget/own.html.

import { makeAvatar, shorten } from "./wallet-row.js";
import { formatDuration, say } from "./words.js";

/** @import { Submission } from "./api.js" */

/**
 * @param {Submission} submission
 * @param {{ receipt: string | null, cooldown: number }} options the address of its receipt, if it
 *   may be read; `cooldown` in seconds
 */
export function makeRow(submission, { receipt, cooldown }) {
  const { id, walletAddress, nickname, status, rejectReason } = submission;
  const row = document.createElement("li");
  row.dataset.status = status;
  const name = make("strong", nickname ?? "");
  name.dir = "auto";
  const address = make("code", shorten(walletAddress));
  address.dir = "ltr";
  address.title = walletAddress;
  row.append(makeAvatar(walletAddress), " ", name, " ", make("span", say(`status_${status}`), "status pill"), " ", address);
  if (receipt) row.append(" ", makeLink(id, receipt));
  if (rejectReason) row.append(makeAdvice(submission, cooldown));
  return row;
}

/**
 * Say in the rejected rows of a list when they can be sent again.
 * @param {HTMLElement} list
 * @param {number} cooldown in seconds
 */
export function countDown(list, cooldown) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = list.querySelectorAll("[data-decided]");
  for (const again of all) {
    const left = (Date.parse(again.dataset.decided ?? "") - Date.now()) / 1000 + cooldown;
    const sentence = left > 0 ? say("again_in", { time: formatDuration(left) }) : say("again_now");
    if (again.textContent !== sentence) again.textContent = sentence;
  }
}

/**
 * @param {string} id
 * @param {string} address
 */
function makeLink(id, address) {
  const link = document.createElement("a");
  link.className = "receipt button";
  link.href = address;
  link.download = "";
  link.dataset.receipt = id;
  link.textContent = say("receipt");
  return link;
}

/**
 * @param {Submission} submission
 * @param {number} cooldown in seconds
 */
function makeAdvice({ rejectReason, reasonCode, reasonText, decidedAtIso, status }, cooldown) {
  const advice = make("p", say(`reason_${reasonCode ?? rejectReason}`), "quiet");
  if (reasonText) {
    const words = make("q", reasonText);
    words.dir = "auto";
    advice.append(" ", words);
  }
  if (status === "rejected" && decidedAtIso) {
    const again = make("span", "", "again");
    again.dataset.decided = decidedAtIso;
    again.setAttribute("aria-live", "off"); // a countdown must not be read out every second
    advice.append(" ", again);
    countDown(advice, cooldown);
  }
  return advice;
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [className]
 */
function make(tag, text, className = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.textContent = text;
  return element;
}
