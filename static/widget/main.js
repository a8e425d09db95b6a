// The widget in the frame: the list, adding a wallet, and the visitor's own submissions.

import { findAround, getElement, ignoreSecondPresses } from "../elements.js";
import { Api, connectToHost, noteTime, now, poll, Problem } from "./api.js";
import { FlowOpener } from "./flow-opener.js";
import { List } from "./list.js";
import { copyText, explain, formatAge, say } from "./words.js";

/**
 * @import { Holders } from "./holders.js"
 * @import { OwnSubmissions } from "./own.js"
 * @import { ListDetails } from "./row-details.js"
 */

const LIST_PAUSES = { seconds: 30, slowest: 5 * 60 };

const root = getElement(document, "#widget", HTMLElement);
// A sandboxed frame may have no origin; the service then answers only if the key allows it.
const isIsolated = self.origin === "null" && !("nullOrigin" in root.dataset);
const { page: pageId = "", key = "", site, symbol = "" } = root.dataset;
root.toggleAttribute("data-framed", window.parent !== window);
const api = new Api({ pageId, key });
const visits = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
noteTime(visits[0]?.serverTiming?.find(({ name }) => name === "now")?.description);
const list = new List(root, async () => {
  const page = await api.readPage();
  list.show(page);
});

ignoreSecondPresses(root);
document.body.hidden = false; // in case the style sheet couldn't be loaded
const { lender, tell } = connectToHost({ site: site || null, isForAnySite: "anySite" in root.dataset });
tell("ready", { wallets: list.total });

// The list

let { etag: shownEtag = "" } = root.dataset; // of the source of the rows, their proofs and the summary

let againAt = findAgainAt();

if (list.isComplete) api.etag = shownEtag; // the document shows all of it

/** Show changes; return whether there were any. */
async function refreshList() {
  try {
    if (list.isComplete || list.isWanted) list.show(await api.readPage());
    const hasChanged = await refreshServed();
    if (!hasChanged) list.show(null);
    if (hasChanged || loadedDetails?.hasFailed) updateDetails({ hasChanged });
    return hasChanged;
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    const isPassing = problem.retryAt !== null || ["offline", "server"].includes(problem.code);
    list.warn(isPassing ? say("stale") : explain(problem));
    throw error;
  }
}

/**
 * Read the document again if the list has changed: its summary, and its rows unless all wallets were
 * read. For a long list, that's only after a visitor searches, sorts or asks for more.
 */
async function refreshServed() {
  const again = Date.now() > againAt;
  if (!again && list.isComplete && api.etag === shownEtag) return false;
  const page = await api.readHtml(location.href, { etag: again ? "" : shownEtag, isOwn: own !== null });
  if (!page) return false;
  own?.then((found) => found.adopt(page)).catch(() => {});
  const served = getElement(page, "#widget", HTMLElement);
  (await loadHolders()).replace(page);
  againAt = findAgainAt();
  showAges();
  const hasChanged = served.dataset.etag !== shownEtag;
  shownEtag = served.dataset.etag ?? "";
  if (list.isComplete) return hasChanged;
  list.showServed(served);
  if (list.isComplete) api.etag = shownEtag;
  return hasChanged;
}

/** @type {Promise<Holders> | null} */
let holders = null;

function loadHolders() {
  holders ??= import("./holders.js").then(({ Holders }) => new Holders(root, list));
  holders.catch(() => (holders = null));
  return holders;
}

for (const kind of ["pointerover", "pointerout", "focusin", "focusout", "click"]) {
  root.addEventListener(kind, async (event) => {
    const target = findAround(event, "[data-filter], #show-all");
    if (target) (await loadHolders()).handle(kind, target);
  });
}

/** Show how long ago times were, and mark the time of balances that are no longer read. */
function showAges() {
  for (const time of root.querySelectorAll("time")) {
    time.textContent = formatAge(time.dateTime);
    const isOld = now() - Date.parse(time.dateTime) > Number(time.dataset.againAfter) * 1000;
    time.classList.toggle("old", isOld);
  }
}

/** Return when to read the summary again even without changes, since it says when balances were read. */
function findAgainAt() {
  const read = root.querySelector("#summary [data-again-after]");
  return read instanceof HTMLElement ? Date.now() + Number(read.dataset.againAfter) * 1000 : Infinity;
}

showAges();
setInterval(showAges, 30_000);

// The rows' data that isn't in the payload: loaded when rows other than the server's are shown, or one is opened

const hasChanges = "changes" in root.dataset;
/** @type {Promise<ListDetails> | null} */
let details = null;
/** @type {ListDetails | null} */
let loadedDetails = null;

async function updateDetails({ hasChanged = false } = {}) {
  details ??= import("./row-details.js").then(({ ListDetails }) => new ListDetails({
    list, api, hasChanges,
  }));
  try {
    loadedDetails = await details;
    loadedDetails.update({ hasChanged });
  } catch {
    details = null; // the list is complete without them
  }
}

list.listeners.push(() => updateDetails());
/** @param {Event} event */
async function openDetails({ target }) {
  const row = target instanceof HTMLDetailsElement && target.open ? target.closest(".wallet") : null;
  if (!(row instanceof HTMLElement) || target !== row.firstElementChild) return;
  try {
    const { showDetails } = await import("./row-details.js");
    await showDetails(row, api);
  } catch {
    list.warn(say("offline"));
  }
}

const listPoll = poll(refreshList, { ...LIST_PAUSES, isWanted: () => !isIsolated });

// The visitor's own submissions

/** @type {Promise<OwnSubmissions> | null} */
let own = null;

/** Load the visitor's submissions and keep them up to date. */
function loadOwn() {
  own ??= import("./own.js").then(({ OwnSubmissions }) =>
    new OwnSubmissions(root, {
      api, list, tell, refreshList: () => listPoll.now(), openFlow: (...how) => opener.open(...how),
    }));
  own.catch(() => (own = null));
  return own;
}

/** Return whether cookies work here; scripts can't read the session's, so a similar one is tried. */
function keepsCookies() {
  const cookie = "embed_tried=1; Path=/embed; Secure; SameSite=None; Partitioned";
  try {
    document.cookie = cookie;
    const isKept = document.cookie.includes("embed_tried=1");
    document.cookie = `${cookie}; Max-Age=0`;
    return isKept;
  } catch {
    return false; // in a sandbox
  }
}

// Adding a wallet, and its holder's rights

const opener = new FlowOpener(getElement(root, "#flow", HTMLElement), {
  api, lender, tell, loadOwn, site: site || null, symbol,
});
for (const [selector, purpose] of /** @type {const} */ ([["#add", "add"], ["#add-first", "add"], ["#rights", "show"], ["#ask", "show"]])) {
  opener.listen(getElement(root, selector, HTMLButtonElement), purpose);
}
opener.listen(getElement(root, "#add-unlisted", HTMLButtonElement), "add", () => ({ address: list.search }));

if (isIsolated) {
  const notice = getElement(root, "#isolated", HTMLElement);
  const [link, copy] = [getElement(notice, "a", HTMLAnchorElement), getElement(notice, "button", HTMLElement)];
  copy.addEventListener("click", () => copyText(link.href, copy)); // a sandbox may not allow new windows
  notice.hidden = false;
  root.dataset.isolated = "";
} else {
  list.list.addEventListener("toggle", openDetails, { capture: true }); // it does not bubble
  if (hasChanges) updateDetails();
  if (getElement(root, "#own-data", HTMLElement).textContent !== "[]") loadOwn().catch(() => {}); // the served rows stay
  getElement(root, "#cookie-blocked", HTMLElement).hidden = keepsCookies();
  // From here on, everything that needs a script works, unless the browser is too old.
  if ("timeout" in AbortSignal) root.dataset.ready = "";
  if (location.hash === "#add") getElement(root, "#add", HTMLButtonElement).click(); // from the strip
}
