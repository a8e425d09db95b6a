// The widget in the frame: the list, adding a wallet, and the visitor's own submissions.

import { getElement } from "../elements.js";
import { Api, Problem } from "./api.js";
import { connectToHost } from "./frame.js";
import { List } from "./list.js";
import { applyLook } from "./look.js";
import { OwnSubmissions } from "./own.js";
import { poll } from "./poll.js";
import { explain, say } from "./words.js";

/** @import { Flow, Service } from "./flow.js" */

const LIST_SECONDS = 30;
const OWN_SECONDS = 10;

const root = getElement(document, "#widget", HTMLElement);
const { page: pageId = "", key = "", site, symbol = "", cooldown } = root.dataset;
const api = new Api({ pageId, key });
const list = new List(root);
const own = new OwnSubmissions(getElement(root, "#own", HTMLElement), { cooldown: Number(cooldown) });
const addButton = getElement(root, "#add", HTMLButtonElement);

applyLook();
connectToHost();

// The list

async function refreshList() {
  try {
    list.show(await api.readPage());
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    const isPassing = problem.retryAt !== null || ["offline", "server"].includes(problem.code);
    list.warn(isPassing ? say("stale") : explain(problem));
    throw error;
  }
  own.noteListed((address) => list.has(address));
  list.markMine(own.approvedAddresses);
}

const listPoll = poll(refreshList, LIST_SECONDS);
if (!list.isComplete) listPoll.now();

// The visitor's own submissions

async function refreshOwn() {
  if (own.isCookieBlocked) return;
  const before = own.approvedAddresses.length;
  own.show(await api.listOwn());
  list.markMine(own.approvedAddresses);
  if (own.approvedAddresses.length > before) listPoll.now();
}

const ownPoll = poll(refreshOwn, OWN_SECONDS, () => own.isPending && !own.isCookieBlocked);

async function loadOwn() {
  if (await api.hasSession()) await refreshOwn();
  else own.showCookieBlocked();
}

loadOwn().catch(() => {}); // the list shows already that the server cannot be reached

// Adding a wallet

/** @type {Service} */
const service = {
  createNonce: (address, signal) => api.createNonce(address, signal),
  async submit(draft) {
    try {
      const answer = await api.submit(draft);
      const { walletAddress: address, nickname } = draft;
      own.addSent({ address, nickname, wasListed: list.has(address), ...answer });
      return answer;
    } finally {
      refreshOwn().catch(() => {}); // the visitor's list also shows refusals
    }
  },
};

/** @type {Promise<Flow> | null} */
let loading = null;

async function loadFlow() {
  const { setUpFlow } = await import("./flow-setup.js");
  return setUpFlow(getElement(root, "#flow", HTMLElement), {
    service,
    site: site || null,
    symbol,
    on: { close: leaveFlow, done: showResult },
  });
}

function showResult() {
  list.markMine(own.approvedAddresses);
  listPoll.now();
  ownPoll.now();
}

function leaveFlow() {
  addButton.setAttribute("aria-expanded", "false");
  addButton.focus();
}

addButton.addEventListener("click", async () => {
  let flow;
  try {
    flow = await (loading ??= loadFlow());
  } catch {
    loading = null;
    return list.warn(say("offline"));
  }
  if (flow.isOpen) return flow.close();
  addButton.setAttribute("aria-expanded", "true");
  flow.start();
});

root.dataset.ready = ""; // from here on, everything that needs a script works
