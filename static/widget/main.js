// The widget in the frame: the list, adding a wallet, and the visitor's own submissions.

import { getElement, ignoreSecondPresses } from "../elements.js";
import { Api, connectToHost, noteTime, now, poll, readCookie, setCookie } from "./api.js";
import { FlowOpener } from "./flow-opener.js";
import { List } from "./list.js";
import { copyText, formatAge, formatDuration, say } from "./words.js";

/** @import { OwnSubmissions } from "./own.js" */

const LIST_PAUSES = { seconds: 30, slowest: 5 * 60 };

const root = getElement(document, "#widget", HTMLElement);
// A sandboxed frame may have no origin; the service then answers only if the key allows it.
const isIsolated = self.origin === "null" && !("nullOrigin" in root.dataset);
const isTooOld = !("timeout" in AbortSignal);
const { page: pageId = "", key = "", site, symbol = "" } = root.dataset;
root.toggleAttribute("data-framed", window.parent !== window);
const api = new Api({ pageId, key });
const visits = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
noteTime(visits[0]?.serverTiming?.find(({ name }) => name === "now")?.description);

ignoreSecondPresses(root);
document.body.hidden = false; // in case the style sheet couldn't be loaded
const { lender, tell } = connectToHost({ site: site || null, isForAnySite: "anySite" in root.dataset });

// The list

const list = new List(root, { api, isLocked: isIsolated || isTooOld });
list.listeners.push(tick, listenToUnlisted);

/** Show everything as it is now; the visitor's own rows also say whether the list has changed. */
async function refresh() {
  try {
    return await (loadedOwn ? loadedOwn.read() : list.refresh());
  } catch (error) {
    list.report(error);
    throw error;
  }
}

/** Show how long ago times were, or how long until they come. */
function tick() {
  for (const time of root.querySelectorAll("time")) {
    const left = (Date.parse(time.dateTime) - now()) / 1000;
    time.textContent = "until" in time.dataset ? formatDuration(left) : formatAge(time.dateTime);
    time.classList.toggle("old", -left > Number(time.dataset.againAfter)); // balances aren't read any more
    const again = "until" in time.dataset && time.closest(".again");
    if (again) {
      getElement(again, "span", HTMLElement).hidden = left <= 0;
      for (const button of again.querySelectorAll("button")) button.hidden = left > 0;
    }
  }
}

tick();
setInterval(tick, 1000);

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

// While a submission is pending, own.js asks more often.
poll(async () => loadedOwn?.isPending || refresh(), { ...LIST_PAUSES, isWanted: () => !isIsolated && !isTooOld });

// The visitor's own submissions

/** @type {Promise<OwnSubmissions> | null} */
let own = null;
/** @type {OwnSubmissions | null} */
let loadedOwn = null;

/** Load the visitor's submissions and keep them up to date. */
function loadOwn() {
  own ??= import("./own.js").then(({ OwnSubmissions }) => {
    loadedOwn = new OwnSubmissions(root, {
      api, list, tell, refresh, tick, openFlow: (...how) => opener.open(...how),
    });
    return loadedOwn;
  });
  own.catch(() => (own = null));
  return own;
}

/** Return whether cookies work here; scripts can't read the session's, so a similar one is tried. */
function keepsCookies() {
  setCookie("embed_tried", "1");
  const isKept = readCookie("embed_tried") === "1";
  setCookie("embed_tried", "", { age: 0 });
  return isKept;
}

// Adding a wallet, and its holder's rights

const opener = new FlowOpener(getElement(root, "#flow", HTMLElement), {
  api, lender, tell, loadOwn, site: site || null, symbol,
});
for (const [selector, purpose] of /** @type {const} */ ([["#add", "add"], ["#add-first", "add"], ["#rights", "show"], ["#ask", "show"]])) {
  opener.listen(getElement(root, selector, HTMLButtonElement), purpose);
}

/** Let an address that was searched for and isn't listed be added. */
function listenToUnlisted() {
  const button = root.querySelector("#add-unlisted");
  if (button instanceof HTMLButtonElement) opener.listen(button, "add", () => ({ address: list.search?.value.trim() }));
}

listenToUnlisted();
if (isIsolated) {
  const notice = getElement(root, "#isolated", HTMLElement);
  const [link, copy] = [getElement(notice, "a", HTMLAnchorElement), getElement(notice, "button", HTMLElement)];
  copy.addEventListener("click", () => copyText(link.href, copy)); // a sandbox may not allow new windows
  notice.hidden = false;
  root.dataset.isolated = "";
} else {
  list.list.addEventListener("toggle", openDetails, { capture: true }); // it does not bubble
  if (root.querySelector("#own[data-mine], #own-list > li")) loadOwn().catch(() => {}); // the served rows stay
  getElement(root, "#cookie-blocked", HTMLElement).hidden = keepsCookies();
  // From here on, everything that needs a script works.
  if (!isTooOld) root.dataset.ready = "";
  if (location.hash === "#add") getElement(root, "#add", HTMLButtonElement).click(); // from the strip
}
tell("ready", { wallets: list.total });
