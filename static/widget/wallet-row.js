// A row of the list: created from a wallet, or read from the server's HTML.

import { getElement } from "../elements.js";
import { normalizeAmount } from "./amounts.js";
import { formatAmount, say } from "./words.js";

/** @import { Tag, TrackedWallet } from "./api.js" */

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
