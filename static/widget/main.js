// The widget in the frame: the list, adding a wallet, and the visitor's own submissions.

import { findAround, getElement } from "../elements.js";
import { Api, Problem } from "./api.js";
import { FlowOpener } from "./flow-opener.js";
import { connectToHost } from "./frame.js";
import { List } from "./list.js";
import { poll } from "./poll.js";
import { explain, say } from "./words.js";

/**
 * @import { OwnSubmissions } from "./own.js"
 * @import { ListDetails } from "./row-details.js"
 */

const LIST_PAUSES = { seconds: 30, slowest: 5 * 60 };

const root = getElement(document, "#widget", HTMLElement);
const { page: pageId = "", key = "", site, symbol = "" } = root.dataset;
const api = new Api({ pageId, key });
const list = new List(root);

document.body.hidden = false; // if the stylesheet could not be loaded
const lender = connectToHost({ site: site || null, isForAnySite: "anySite" in root.dataset });

// The list

if (list.isComplete) api.known.etag = root.dataset.etag ?? null; // the document shows all of it

let { etag: shownEtag } = root.dataset; // of what the rows and their proofs are from

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
  const hasChanged = api.known.etag !== shownEtag;
  shownEtag = api.known.etag ?? undefined;
  if (page) updateDetails({ hasChanged });
  return hasChanged;
}

// What rows show beside the payload: loaded when the list shows other rows than the server's

const hasChanges = "changes" in root.dataset;
/** @type {Promise<ListDetails> | null} */
let details = null;

async function updateDetails({ hasChanged = false } = {}) {
  details ??= import("./row-details.js").then(({ ListDetails }) => new ListDetails({
    list, api, hasChanges,
  }));
  try {
    (await details).update({ hasChanged });
  } catch {
    details = null; // the list is complete without them
  }
}

list.listeners.push(() => updateDetails());
if (hasChanges) updateDetails();

list.list.addEventListener("click", async (event) => {
  const button = findAround(event, "button.proved");
  const wallet = list.shown.find(({ row }) => row === button?.closest(".wallet"))?.wallet;
  if (!button || !wallet) return;
  try {
    const { toggleProof } = await import("./receipts.js");
    await toggleProof(button, { api, wallet, submissionId: button.dataset.proof ?? "" });
  } catch {
    list.warn(say("offline"));
  }
});

const listPoll = poll(refreshList, LIST_PAUSES);
if (!list.isComplete) listPoll.now();

// The visitor's own submissions

/** @type {Promise<OwnSubmissions> | null} */
let own = null;

/** Follow the visitor's submissions. */
function loadOwn() {
  own ??= import("./own.js").then(({ OwnSubmissions }) =>
    new OwnSubmissions(root, { api, list, refreshList: () => listPoll.now() }));
  own.catch(() => (own = null));
  return own;
}

async function checkCookie() {
  const notice = getElement(root, "#cookie-blocked", HTMLElement);
  notice.hidden = "session" in notice.dataset || await api.hasSession();
}

if (!getElement(root, "#own", HTMLElement).hidden) loadOwn().catch(() => {}); // what was served stays
checkCookie().catch(() => {}); // the list shows already that the server cannot be reached

// Adding a wallet, and the rights of its holder

const opener = new FlowOpener(getElement(root, "#flow", HTMLElement), {
  pageId, key, lender, loadOwn, site: site || null, symbol,
});
for (const [selector, purpose] of /** @type {const} */ ([["#add", "add"], ["#rights", "show"], ["#ask", "show"]])) {
  opener.listen(getElement(root, selector, HTMLButtonElement), purpose);
}

root.dataset.ready = ""; // from here on, everything that needs a script works
