// The widget in the frame: the list, adding a wallet, and the visitor's own submissions.

import { findAround, getElement } from "../elements.js";
import { Api, Problem } from "./api.js";
import { connectToHost } from "./frame.js";
import { List } from "./list.js";
import { applyLook } from "./look.js";
import { OwnSubmissions } from "./own.js";
import { poll } from "./poll.js";
import { explain, say } from "./words.js";

/**
 * @import { FlowOpener } from "./flow-opener.js"
 * @import { Listener } from "./flow-tasks.js"
 * @import { ListDetails } from "./list-details.js"
 */

const LIST_PAUSES = { seconds: 30, slowest: 5 * 60 };
const OWN_PAUSES = { seconds: 10, slowest: 2 * 60 };

const root = getElement(document, "#widget", HTMLElement);
const { page: pageId = "", key = "", site, symbol = "", cooldown } = root.dataset;
const api = new Api({ pageId, key });
const list = new List(root);
const own = new OwnSubmissions(getElement(root, "#own", HTMLElement), {
  cooldown: Number(cooldown),
  locateReceipt: (id) => api.locateReceipt(id),
});

applyLook();
const lender = connectToHost({ site: site || null, isForAnySite: "anySite" in root.dataset });

// The list

if (list.isComplete) api.known.etag = root.dataset.etag ?? null; // the document shows all of it

/** Return whether the page has changed. */
async function refreshList() {
  let page;
  try {
    page = await api.readPage();
    list.show(page);
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    const isPassing = problem.retryAt !== null || ["offline", "server"].includes(problem.code);
    list.warn(isPassing ? say("stale") : explain(problem));
    throw error;
  }
  if (!page) return false;
  own.noteListed((address) => list.has(address));
  list.markMine(own.approvedAddresses);
  updateDetails();
  return true;
}

// What rows show beside the payload: loaded when the list shows other rows than the server's

const hasChanges = "changes" in root.dataset;
/** @type {Promise<ListDetails> | null} */
let details = null;

async function updateDetails() {
  details ??= import("./list-details.js").then(({ ListDetails }) => new ListDetails({
    list, api, hasChanges,
  }));
  try {
    (await details).update();
  } catch {
    details = null; // the list is complete without them
  }
}

list.listeners.push(updateDetails);
if (hasChanges) updateDetails();

list.list.addEventListener("click", async (event) => {
  const button = findAround(event, "button.proved");
  const wallet = list.shown.find(({ row }) => row === button?.closest(".wallet"))?.wallet;
  if (!button || !wallet) return;
  try {
    const { toggleProof } = await import("./proof-panel.js");
    await toggleProof(button, { api, wallet, submissionId: button.dataset.proof ?? "" });
  } catch {
    list.warn(say("offline"));
  }
});

const listPoll = poll(refreshList, LIST_PAUSES);
if (!list.isComplete) listPoll.now();

// The visitor's own submissions

/** Return whether the visitor's submissions have changed. */
async function refreshOwn() {
  if (own.isCookieBlocked) return false;
  const before = own.approvedAddresses.length;
  const submissions = await api.listOwn();
  const hasChanged = JSON.stringify(submissions) !== JSON.stringify(own.remembered);
  own.show(submissions);
  list.markMine(own.approvedAddresses);
  if (own.approvedAddresses.length > before) listPoll.now();
  return hasChanged;
}

const ownPoll = poll(refreshOwn, {
  ...OWN_PAUSES, isWanted: () => own.isPending && !own.isCookieBlocked,
});

async function loadOwn() {
  if (await api.hasSession()) await refreshOwn();
  else own.showCookieBlocked();
}

own.list.addEventListener("click", async (event) => {
  const link = findAround(event, "a[data-receipt]");
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault(); // the answer may be no receipt
  try {
    const { saveReceipt } = await import("./receipt-download.js");
    own.tell(await saveReceipt(link, api) ?? "");
  } catch {
    own.tell(say("offline"));
  }
});

loadOwn().catch(() => {}); // the list shows already that the server cannot be reached

// Adding a wallet, and the rights of its holder

/** @type {Listener} */
const listener = {
  sent({ walletAddress: address, nickname }, answer) {
    own.addSent({ address, nickname, wasListed: list.has(address), ...answer });
  },
  tried: () => refreshOwn().catch(() => {}), // the visitor's list also shows refusals
  added() {
    list.markMine(own.approvedAddresses);
    listPoll.now();
    ownPoll.now();
  },
  withdrawn(address) {
    own.forgetSent(address);
    listPoll.now();
    refreshOwn().catch(() => {});
  },
};

/** @type {FlowOpener | null} */
let opener = null;

/**
 * @param {HTMLButtonElement} button
 * @param {"add" | "show"} purpose
 */
async function openFlow(button, purpose) {
  try {
    const { FlowOpener } = await import("./flow-opener.js");
    const about = { lender, site: site || null, symbol };
    const place = getElement(root, "#flow", HTMLElement);
    opener ??= new FlowOpener(place, { pageId, key, on: listener, ...about });
    await opener.toggle(button, purpose);
  } catch (error) {
    list.warn(error instanceof Problem ? explain(error) : say("offline"));
  }
}

for (const [selector, purpose] of /** @type {const} */ ([["#add", "add"], ["#rights", "show"]])) {
  const button = getElement(root, selector, HTMLButtonElement);
  button.addEventListener("click", () => openFlow(button, purpose));
}

root.dataset.ready = ""; // from here on, everything that needs a script works
