// The rows of the list: made from wallets, or read from the server's HTML (templates/widget/row.html),
// with their pictures and keys.

import { getElement } from "../elements.js";
import { normalizeAmount } from "./api.js";
import { formatAmount, roundAmount, say } from "./words.js";

/** @import { Proof, Tag, TrackedWallet } from "./api.js" */

/**
 * @typedef {{ rank: number, part: number, share: string }} Standing a wallet's rank, 0: none, its bar,
 *   of 100, and its share of the supply
 */

/** @param {string} address */
export const shorten = (address) => `${address.slice(0, 4)}…${address.slice(-4)}`;
/** @param {TrackedWallet} wallet */
export const nameOf = (wallet) => wallet.publicAlias ?? shorten(wallet.address);

/**
 * @param {HTMLTemplateElement} template
 * @param {TrackedWallet} wallet
 */
export function makeRow(template, wallet) {
  const copy = document.importNode(template.content, true);
  const row = getElement(copy, ".wallet", HTMLElement);
  const { id, address } = wallet;
  row.dataset.id = id;
  row.toggleAttribute("data-nameless", wallet.publicAlias === null);
  getElement(row, ".name", HTMLElement).textContent = wallet.publicAlias ?? shorten(address);
  const code = getElement(row, "summary code", HTMLElement);
  code.textContent = shorten(address);
  getElement(row, ".about", HTMLElement).append(...wallet.tags.flatMap((tag) => [" ", makeTag(tag)]));
  const isKnown = wallet.balanceKnown !== false;
  row.dataset.balance = isKnown ? wallet.tokenBalance : "";
  const [whole, decimals] = isKnown ? roundAmount(wallet.tokenBalance) : [say("unknown"), ""];
  const figure = getElement(row, ".balance bdi", HTMLElement);
  const small = getElement(figure, "small", HTMLElement);
  small.textContent = decimals;
  figure.replaceChildren(whole, small);
  getElement(row, ".detail code", HTMLElement).textContent = address;
  getElement(row, ".copy", HTMLElement).dataset.copy = address;
  for (const link of row.querySelectorAll(".explorer")) {
    link.setAttribute("href", link.getAttribute("href") + address);
  }
  showAvatar(getElement(row, ".avatar", SVGElement), address);
  return row;
}

/** @param {string} address */
export function makeAvatar(address) {
  const { content } = getElement(document, "#wallet-row", HTMLTemplateElement);
  const avatar = document.importNode(getElement(content, ".avatar", SVGElement), true);
  showAvatar(avatar, address);
  return avatar;
}

/**
 * Draw an avatar, where the browser can: not on pages without HTTPS.
 * @param {SVGElement} avatar
 * @param {string} address
 */
async function showAvatar(avatar, address) {
  if (!crypto.subtle) return;
  const { path, fill } = await drawAvatar(address);
  const squares = getElement(avatar, "path", SVGElement);
  squares.setAttribute("d", path);
  squares.setAttribute("fill", fill);
}

/**
 * Return the wallet of a row in the server's HTML, in the API's form.
 * @param {HTMLElement} row
 * @returns {TrackedWallet}
 */
export function readRow(row) {
  const { id = "", address = "", balance = "", nameless } = row.dataset;
  /** @type {NodeListOf<HTMLElement>} */
  const tags = row.querySelectorAll(".tag");
  return {
    id,
    address,
    publicAlias: nameless === undefined ? getElement(row, ".name", HTMLElement).textContent : null,
    tokenBalance: normalizeAmount(balance || "0"),
    ...(!balance && { balanceKnown: false }),
    tags: [...tags].map(readTag),
  };
}

/**
 * @param {HTMLElement} row
 * @returns {Standing}
 */
export const readStanding = (row) => ({
  rank: Number(row.dataset.rank),
  part: Number(findBar(row).getAttribute("width")),
  share: findShare(row).textContent,
});

/**
 * Show a standing, without touching what is so already.
 * @param {HTMLElement} row
 * @param {Standing} standing
 */
export function showStanding(row, { rank, part, share }) {
  const [text, width] = [rank ? formatAmount(rank) : "", String(part)];
  const [place, bar] = [findRank(row), findBar(row)];
  if (place.textContent !== text) place.textContent = text;
  if (bar.getAttribute("width") !== width) bar.setAttribute("width", width);
  if (findShare(row).textContent !== share) findShare(row).textContent = share;
}

/** @param {HTMLElement} row */
const findRank = (row) => getElement(row, ".rank", HTMLElement);
/** @param {HTMLElement} row */
const findShare = (row) => getElement(row, ".share", HTMLElement);
/** @param {HTMLElement} row */
const findBar = (row) => getElement(row, ".bar rect + rect", SVGElement);

/**
 * Mark a row as the visitor's own, or no longer.
 * @param {HTMLElement} row
 * @param {boolean} isMine
 */
export function showMine(row, isMine) {
  if (row.classList.toggle("mine", isMine) === Boolean(row.querySelector(".mark"))) return;
  row.querySelector(".mark")?.remove();
  if (!isMine) return;
  const mark = document.createElement("span");
  mark.className = "mark pill";
  mark.textContent = say("yours");
  getElement(row, ".name", HTMLElement).after(" ", mark);
}

/**
 * Mark a row as proved by its holder; undefined: unmark it.
 * @param {HTMLElement} row
 * @param {Proof | undefined} proof
 */
export function showProof(row, proof) {
  const mark = findProof(row);
  if (mark.hidden === Boolean(proof)) mark.hidden = !proof;
}

/**
 * Return the proof of a row in the server's HTML, which only says that there is one.
 * @param {HTMLElement} row
 * @returns {Proof | undefined}
 */
export const readProof = (row) => (findProof(row).hidden ? undefined : { submissionId: "" });

/** @param {HTMLElement} row */
const findProof = (row) => getElement(row, ".proved", HTMLElement);

/**
 * Let a wallet's new row be as open as its old one, and keep what is read for it separately, so
 * that a refresh closes nothing.
 * @param {HTMLElement} from
 * @param {HTMLElement} to
 */
export function keepState(from, to) {
  findProof(to).hidden = findProof(from).hidden;
  getElement(to, ".balance", HTMLElement).before(...from.querySelectorAll(".change, .line"));
  if (!getElement(from, "details", HTMLDetailsElement).open) return;
  getElement(to, ".detail", HTMLElement).replaceWith(getElement(from, ".detail", HTMLElement));
  getElement(to, "details", HTMLDetailsElement).open = true; // which reads the details again
}

/**
 * @param {HTMLElement} tag
 * @returns {Tag}
 */
function readTag({ dataset: { tag: id = "", color = "", uncounted }, textContent: name }) {
  return { id, name, color, ...(uncounted === "" && { counted: false }) };
}

/** @param {Tag} tag */
function makeTag({ color, name }) {
  const element = document.createElement("span");
  element.className = "tag";
  element.translate = false;
  element.dataset.color = color;
  element.textContent = name;
  return element;
}

// Small pictures of addresses, which help to tell wallets apart; embed/web/drawings.py draws the same.

const SIDE = 5;
const HALF = 3; // columns; the others mirror them
const MIDDLE = "M2 2h1v1h-1z"; // where there is nothing else

/**
 * Return the path data of squares in a grid of 5 by 5, and their color.
 * @param {string} address
 */
export async function drawAvatar(address) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(address));
  const [hue, ...values] = new Uint8Array(digest);
  let path = "";
  for (let x = 0; x < HALF; x++) {
    for (let y = 0; y < SIDE; y++) {
      if (values[x * SIDE + y] % 2 === 0) continue;
      for (const column of new Set([x, SIDE - 1 - x])) path += `M${column} ${y}h1v1h-1z`;
    }
  }
  return { path: path || MIDDLE, fill: `hsl(${Math.floor((hue * 360) / 256)} 60% 50%)` };
}

// The keyboard in the list: one stop for Tab, and the arrow keys from there (a roving tabindex).
// It stays a plain list, which screen readers read in their own way; a grid would take that away.

const STOP = ".wallet > details > summary"; // the control of a row

/**
 * Listen to the keys, and return how to choose the control that Tab leads to.
 * @param {HTMLElement} list
 */
export function steerByKeys(list) {
  /** @type {HTMLElement | null} */
  let current = null;

  /** @param {HTMLElement} control */
  function choose(control) {
    if (current !== control) current?.setAttribute("tabindex", "-1");
    current = control;
    control.tabIndex = 0;
  }

  function chooseOne() {
    /** @type {NodeListOf<HTMLElement>} */
    const others = list.querySelectorAll(`${STOP}:not([tabindex])`);
    for (const other of others) other.tabIndex = -1;
    const first = list.querySelector("summary");
    if (!(current && list.contains(current)) && first) choose(first);
  }

  list.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLElement && target.matches(STOP)) choose(target);
  });
  list.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(target instanceof HTMLElement && target.matches(STOP))) return;
    const next = findNext(target, key);
    if (next === undefined) return;
    event.preventDefault(); // the page must not scroll, too
    next?.focus();
  });
  new MutationObserver(chooseOne).observe(list, { childList: true, subtree: true });
  chooseOne();
  return choose;
}

/**
 * Run `change`, which may replace rows, and leave the focus on the same wallet, or on the one that
 * took its place.
 * @param {HTMLElement} list
 * @param {() => void} change
 */
export function keepFocus(list, change) {
  const focused = document.activeElement;
  const row = list.contains(focused) ? focused?.closest(".wallet") : null;
  const place = row ? [...list.children].indexOf(row) : -1;
  change();
  if (!(focused instanceof HTMLElement) || !(row instanceof HTMLElement)) return;
  const now = list.querySelector(`[data-id="${row.dataset.id}"]`) ??
    list.children[place] ?? list.lastElementChild;
  const same = list.contains(focused) ? focused : now?.querySelector("summary");
  same?.focus({ preventScroll: true });
}

/**
 * Return the row's control that a key leads to; null: there is none; undefined: the key is not ours.
 * @param {HTMLElement} control
 * @param {string} key
 */
function findNext(control, key) {
  const row = control.closest(".wallet");
  /** @type {Record<string, Element | null | undefined>} */
  const rows = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
    Home: row?.parentElement?.firstElementChild,
    End: row?.parentElement?.lastElementChild,
  };
  return key in rows ? rows[key]?.querySelector("summary") ?? null : undefined;
}
