// The queue refreshes itself: it counts in the tab's title, and offers to show what is new.

import { getElement } from "../elements.js";
import { poll } from "../widget/api.js";
import { say } from "../widget/words.js";
import { ask, isKnown, loadRows, showCounts } from "./queue-rows.js";

const EVERY_SECONDS = 20;
const MOST = 100; // the server lists no more

const news = getElement(document, "#news", HTMLElement);
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
  if (count === shown) return; // not read out again
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
 * Add the new submissions to the list, which keeps what is selected; else follow the link.
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
