// A row of the list: created from a wallet, or read from the server's HTML.

import { getElement } from "../elements.js";
import { normalizeAmount } from "./amounts.js";
import { formatAmount, say } from "./words.js";

/** @import { Proof, Tag, TrackedWallet } from "./api.js" */

/** @param {string} address */
const shorten = (address) => `${address.slice(0, 4)}…${address.slice(-4)}`;
/** @param {TrackedWallet} wallet */
export const nameOf = (wallet) => wallet.publicAlias ?? shorten(wallet.address);

/**
 * @param {HTMLTemplateElement} template
 * @param {TrackedWallet} wallet
 * @param {{ isMine: boolean }} options
 */
export function makeRow(template, wallet, { isMine }) {
  const copy = document.importNode(template.content, true);
  const row = getElement(copy, ".wallet", HTMLElement);
  const name = getElement(row, ".name", HTMLElement);
  row.dataset.id = wallet.id;
  name.textContent = nameOf(wallet);
  getElement(row, ".balance bdi", HTMLElement).textContent = formatAmount(wallet.tokenBalance);
  const code = getElement(row, "code", HTMLElement);
  code.textContent = code.title = wallet.address;
  getElement(row, ".copy", HTMLElement).dataset.copy = wallet.address;
  if (isMine) {
    row.classList.add("mine");
    name.append(" ", makeMark(say("yours")));
  }
  if (wallet.tags.length) row.append(makeTags(wallet.tags));
  return row;
}

/**
 * Return the wallet of a row in the server's HTML, in the API's form.
 * @param {HTMLElement} row
 * @returns {TrackedWallet}
 */
export function readRow(row) {
  const { id = "", balance = "0", nameless } = row.dataset;
  /** @param {string} selector */
  const read = (selector) => getElement(row, selector, HTMLElement).textContent;
  /** @type {NodeListOf<HTMLElement>} */
  const tags = row.querySelectorAll(".tag");
  return {
    id,
    address: read("code"),
    publicAlias: nameless === undefined ? read(".name") : null,
    tokenBalance: normalizeAmount(balance),
    tags: [...tags].map(readTag),
  };
}

/**
 * Return the proof of a row in the server's HTML, which is a link to its receipt.
 * @param {HTMLElement} row
 * @returns {Proof | undefined}
 */
export function readProof(row) {
  const mark = row.querySelector(".proved");
  const { proof: submissionId } = mark instanceof HTMLElement ? mark.dataset : {};
  return submissionId ? { submissionId } : undefined;
}

/**
 * Mark a row as proved by a word that opens the proof; undefined: unmark it.
 * @param {HTMLElement} row
 * @param {Proof | undefined} proof
 */
export function showProof(row, proof) {
  const mark = row.querySelector(".proved");
  if (mark instanceof HTMLButtonElement && mark.dataset.proof === proof?.submissionId) return;
  row.querySelector(".proof")?.remove(); // it showed another proof
  mark?.remove();
  if (!proof) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "proved";
  button.tabIndex = -1; // list-keys.js
  button.dataset.proof = proof.submissionId;
  button.setAttribute("aria-expanded", "false");
  button.textContent = say("proved");
  getElement(row, ".name", HTMLElement).after(" ", button);
}

/**
 * Move the mark and the open proof of a wallet to its new row, so that a refresh closes nothing.
 * @param {HTMLElement} from
 * @param {HTMLElement} to
 */
export function keepProof(from, to) {
  const [mark, proof] = [from.querySelector(".proved"), from.querySelector(".proof")];
  if (mark) getElement(to, ".name", HTMLElement).after(" ", mark);
  if (proof) to.append(proof);
}

/**
 * @param {HTMLElement} tag
 * @returns {Tag}
 */
function readTag({ dataset: { tag: id = "", color = "" }, textContent: name }) {
  return { id, name, color };
}

/** @param {string} text */
function makeMark(text) {
  const mark = document.createElement("span");
  mark.className = "mark";
  mark.textContent = text;
  return mark;
}

/** @param {Tag[]} tags */
function makeTags(tags) {
  const list = document.createElement("ul");
  list.className = "tags";
  list.setAttribute("aria-label", say("tags"));
  list.append(...tags.map((tag) => {
    const item = document.createElement("li");
    item.className = "tag";
    item.dataset.color = tag.color;
    item.textContent = tag.name;
    return item;
  }));
  return list;
}
