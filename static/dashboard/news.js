// The queue refreshes itself: it counts in the tab's title, and offers to show what is new.

import { getElement } from "../elements.js";
import { poll } from "../widget/poll.js";
import { showTimes } from "./dashboard.js";
import { showSelection } from "./queue.js";

const EVERY_SECONDS = 20;
const MOST = 100; // the server lists no more

const news = getElement(document, "#news", HTMLElement);
const { url = "", href = "", place } = news.dataset;
const known = new Set(news.dataset.known?.split(" "));
const waiting = getElement(document, "[data-count=waiting]", HTMLElement);
const title = document.title.replace(/^\([\d,]+\) /, "");
let isOver = false; // signed out, or the page is gone
let shown = 0;

/**
 * Return the answer, or null for good if it leads elsewhere or nowhere. Throws on failures that pass.
 * @param {string} address
 */
async function ask(address) {
  const answer = await fetch(address, { redirect: "manual", cache: "no-store" });
  if (answer.ok) return answer;
  isOver = answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status);
  if (isOver) return null;
  throw new Error(`The server answered ${answer.status}.`);
}

async function refresh() {
  const answer = await (await ask(url))?.json();
  if (!answer) return;
  const count = answer.waiting.toLocaleString("en");
  if (waiting.textContent !== count) waiting.textContent = count;
  document.title = answer.waiting > 0 ? `(${count}) ${title}` : title;
  /** @type {string[]} */
  const ids = answer.new;
  offer(ids.filter((id) => !known.has(id) && !document.getElementById(`submission-${id}`)).length);
}

/**
 * Offer to show new submissions; nothing moves until the owner asks for them.
 * @param {number} count
 */
function offer(count) {
  if (count === shown) return; // not read out again
  shown = count;
  const before = document.activeElement;
  const hadFocus = news.contains(before);
  news.replaceChildren();
  if (count === 0) return;
  const offered = document.createElement("p");
  const link = document.createElement("a");
  const what = count === 1 ? "new submission" : "new submissions";
  offered.className = "flash row";
  link.href = href;
  link.textContent = "Show";
  link.addEventListener("click", showHere);
  offered.append(`${count < MOST ? count : `${MOST} or more`} ${what}: `, link);
  news.append(offered);
  if (hadFocus) link.focus();
}

/**
 * Add the new submissions to the list, which keeps what is selected; else follow the link.
 * @param {MouseEvent} event
 */
async function showHere(event) {
  const list = document.querySelector(".queue");
  if (!place || !list || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const answer = await ask(location.href);
    if (!answer) return location.assign(href);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    /** @type {HTMLElement[]} */
    const items = [...found.querySelectorAll(/** @type {"li"} */ (".queue > .item"))];
    const added = items.filter((item) => !document.getElementById(item.id));
    if (added.length === 0) return location.assign(href);
    for (const item of added) {
      document.adoptNode(item);
      showTimes(item);
    }
    if (place === "start") list.prepend(...added);
    else list.append(...added);
    showSelection();
    offer(0);
    added[0].focus();
  } catch {
    location.assign(href);
  }
}

poll(refresh, { seconds: EVERY_SECONDS, isWanted: () => !isOver });
