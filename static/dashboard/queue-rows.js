// The rows of the queue: their order, their ages, loading more of them, and new submissions.

import { getElement, parsePage } from "../elements.js";
import { noteDate, noteTime, now, poll } from "../widget/api.js";
import { language, say } from "../widget/words.js";
import { showTimes } from "./dashboard.js";

const AGES_EVERY_MS = 60_000;
const FEW = 10;
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

const panel = getElement(document, ".panel", HTMLElement);
const list = getElement(panel, ".queue", HTMLElement);
const empty = getElement(document, ".empty", HTMLElement);
const waitingInFrame = getElement(document, "#waiting-here", HTMLElement);
const icon = getElement(document, "link[rel=icon]", HTMLLinkElement);
const isOldestFirst = list.dataset.order === "oldest";
const title = document.title.replace(/^\([^)]*\) /, "");
/** @type {Set<string>} */
const removed = new Set(); // ids of rows that were decided here; the server may not know yet

/** @returns {HTMLElement[]} */
export const listRows = () => [...list.querySelectorAll(/** @type {"li"} */ (".item:not([inert])"))];

/** @param {string} id of a submission */
export const findRow = (id) => document.getElementById(`submission-${id}`);

/**
 * Return whether a submission has a row here, or had one that was decided.
 * @param {string} id
 */
const isKnown = (id) => findRow(id) !== null || removed.has(`submission-${id}`);

/** @param {HTMLElement} row */
export const nameOf = (row) => getElement(row, ".nickname", HTMLElement).textContent;

/**
 * Insert rows into the list at their places.
 * @param {HTMLElement[]} rows
 */
export function addRows(rows) {
  const others = listRows();
  for (const row of rows) {
    removed.delete(row.id);
    row.inert = false;
    list.insertBefore(row, others.find((other) => comesBefore(row, other)) ?? null);
  }
  showChange();
}

/**
 * Remove rows; with `keepsPlace`, leave them without their buttons, so the next row's buttons don't slide
 * under the finger.
 * @param {HTMLElement[]} rows
 * @param {boolean} keepsPlace
 */
export function removeRows(rows, keepsPlace) {
  for (const row of rows) {
    removed.add(row.id);
    if (keepsPlace) clear(row);
    else row.remove();
  }
  showChange();
}

/** @param {HTMLElement} row */
function clear(row) {
  row.inert = true;
  /** @type {HTMLElement | null} */ (row.querySelector(":popover-open"))?.hidePopover();
  unselect(row);
}

/** @param {HTMLElement} row */
export function unselect(row) {
  const box = row.querySelector(".pick input");
  if (box instanceof HTMLInputElement) box.checked = false;
}

/** Remove the placeholders of decided rows. */
export function closeGaps() {
  for (const row of list.querySelectorAll("[inert]")) row.remove();
}

panel.addEventListener("pointerleave", ({ pointerType }) => {
  if (pointerType === "mouse") closeGaps();
});

function showChange() {
  /** @type {NodeListOf<HTMLInputElement>} */
  const chosen = document.querySelectorAll("#clear [name=ids]");
  for (const input of chosen) if (removed.has(`submission-${input.value}`)) input.remove(); // decided here
  if (listRows().length === 0) closeGaps();
  empty.hidden = listRows().length > 0 || findNextPart() !== null ||
    document.querySelector("#clear:not([hidden])") !== null;
  list.dispatchEvent(new Event("change", { bubbles: true })); // the selection has changed
}

/**
 * @param {HTMLElement} row
 * @param {HTMLElement} other
 */
function comesBefore(row, other) {
  const [one, two] = [row, other].map(({ dataset, id }) => `${dataset.sent} ${id}`);
  return isOldestFirst ? one < two : one > two;
}

/**
 * Add the new rows of a queue page at their places and return them. Null means that nobody is signed in,
 * or the page is gone.
 * @param {string} address
 */
export async function loadRows(address) {
  const found = await loadPage(address);
  return found && adoptRows(found);
}

/**
 * Show what nothing speaks against now, and can be approved at once.
 * @param {Document} found a page of the queue, or that part of it
 */
export function showClear(found) {
  const part = found.querySelector("#clear");
  if (part) document.querySelector("#clear")?.replaceWith(document.adoptNode(part));
  showChange();
}

/** @param {Document} found a page of the queue */
function adoptRows(found) {
  /** @type {HTMLElement[]} */
  const rows = [...found.querySelectorAll(/** @type {"li"} */ (".queue > .item"))];
  const added = rows.filter((row) => !document.getElementById(row.id) && !removed.has(row.id));
  for (const row of added) {
    document.adoptNode(row);
    showTimes(row);
    showAges(row);
  }
  addRows(added);
  showClear(found);
  return added;
}

/** @returns {HTMLAnchorElement | null} the link to the next part of a long list */
const findNextPart = () => document.querySelector("a[rel=next]");

let isLoading = false;

/** Add the next part of a long list when few rows are left. */
export async function refill() {
  const next = findNextPart();
  if (isLoading || !next || listRows().length > FEW) return;
  isLoading = true;
  try {
    const found = await loadPage(next.href);
    const after = found?.querySelector("a[rel=next]");
    if (!found) return;
    if (after) next.replaceWith(document.adoptNode(after));
    else next.remove();
    adoptRows(found);
  } catch {
    // The link is still there.
  } finally {
    isLoading = false;
  }
}

/** @param {string} address */
export async function loadPage(address) {
  const answer = await ask(address);
  return answer && parsePage(await answer.text());
}

/**
 * Return the answer, or null if it redirects or doesn't exist, which is permanent. Throws on temporary failures.
 * @param {string} address
 */
export async function ask(address) {
  const answer = await fetch(address, { redirect: "manual", cache: "no-store" });
  noteDate(answer.headers);
  if (answer.ok) return answer;
  if (answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status)) return null;
  throw new Error(`The server answered ${answer.status}.`);
}

/**
 * Show the number of submissions in each tab.
 * @param {Record<string, number>} counts
 */
export function showCounts(counts) {
  for (const [tab, count] of Object.entries(counts)) {
    const text = count.toLocaleString(language);
    for (const place of document.querySelectorAll(`[data-count=${tab}]`)) {
      if (place.textContent !== text) place.textContent = text;
    }
  }
  const { waiting } = counts;
  waitingInFrame.hidden = waiting === 0;
  icon.href = (waiting > 0 ? icon.dataset.waiting : icon.dataset.idle) ?? icon.href;
  document.title = waiting > 0 ? `(${waiting.toLocaleString(language)}) ${title}` : title;
}

/** @param {ParentNode} root */
function showAges(root) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const found = root.querySelectorAll("time.age");
  for (const time of found) {
    const age = describeAge((now() - Date.parse(time.dateTime)) / 1000);
    if (time.textContent !== age) time.textContent = age;
  }
}

/** @param {number} seconds */
function describeAge(seconds) {
  for (const [unit, size] of UNITS) {
    if (seconds < size) continue;
    const style = /** @type {const} */ ({ style: "unit", unit, unitDisplay: "short" });
    return new Intl.NumberFormat(language, style).format(Math.floor(seconds / size));
  }
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second");
}

const news = getElement(document, "#news", HTMLElement);
noteTime(news.dataset.now);
showAges(document);
setInterval(() => showAges(document), AGES_EVERY_MS);

// News. The queue refreshes itself: it counts in the tab's title and offers to show new submissions.

const EVERY_SECONDS = 20;
const MOST = 100; // the server's limit

const { url = "", href = "", hasEnd } = news.dataset;
const known = new Set(news.dataset.known?.split(" "));
let isOver = false; // signed out, or the page is gone
let shown = 0;

async function refresh() {
  const answer = await ask(url);
  isOver = !answer;
  if (!answer) return;
  const told = await answer.json();
  showCounts({ waiting: told.waiting });
  /** @type {string[]} */
  const ids = told.new;
  offer(ids.filter((id) => !known.has(id) && !isKnown(id)).length);
}

/**
 * Offer to show new submissions; nothing moves until the owner asks for them.
 * @param {number} count
 */
function offer(count) {
  if (count === shown) return; // so it isn't read out again
  shown = count;
  const before = document.activeElement;
  const hadFocus = news.contains(before);
  news.replaceChildren();
  if (count === 0) return;
  const offered = document.createElement("p");
  const link = document.createElement("a");
  offered.className = "flash row";
  link.href = href;
  link.textContent = say("show");
  link.addEventListener("click", showHere);
  const shownCount = count < MOST ? count : `≥ ${MOST}`;
  offered.append(say("news", { count: shownCount }), " ", link);
  news.append(offered);
  if (hadFocus) link.focus();
}

/**
 * Add the new submissions to the list, keeping the selection; if that fails, follow the link.
 * @param {MouseEvent} event
 */
async function showHere(event) {
  if (hasEnd === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const added = await loadRows(location.href).catch(() => null);
  if (!added?.length) return location.assign(href);
  offer(0);
  added[0].focus();
}

poll(refresh, { seconds: EVERY_SECONDS, isWanted: () => !isOver });
