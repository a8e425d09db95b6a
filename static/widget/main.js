// The widget inside the frame: the list, the way onto it, and the visitor's own submissions.

import { Api } from "./api.js";
import { Flow } from "./flow.js";
import { talkToHost } from "./frame.js";
import { List } from "./list.js";
import { applyLook } from "./look.js";
import { OwnSubmissions } from "./own.js";
import { poll } from "./poll.js";
import { SigningWindow } from "./signing-window.js";
import { watchWallets } from "./wallets.js";
import { explain, say } from "./words.js";

const LIST_SECONDS = 30;
const OWN_SECONDS = 10;

const root = document.getElementById("widget");
const { page: pageId, key, site, symbol, cooldown } = root.dataset;
const api = new Api({ pageId, key });
const list = new List(root);
const own = new OwnSubmissions(root.querySelector("#own"), { cooldown: Number(cooldown) });
const addButton = root.querySelector("#add");

applyLook();
talkToHost();

// The list

async function refreshList() {
  try {
    list.show(await api.readPage());
  } catch (problem) {
    const isPassing = problem.retryAt !== null || ["offline", "server"].includes(problem.code);
    list.warn(isPassing ? say("stale") : explain(problem));
    throw problem;
  }
  own.noteListed((address) => list.has(address));
  list.markMine(own.approvedAddresses);
}

const listPoll = poll(refreshList, LIST_SECONDS);
if (!list.isComplete) listPoll.now();

// The visitor's own submissions

async function refreshOwn() {
  if (own.isForgetful) return;
  const before = own.approvedAddresses.length;
  own.show(await api.listOwn());
  list.markMine(own.approvedAddresses);
  if (own.approvedAddresses.length > before) listPoll.now();
}

const ownPoll = poll(refreshOwn, OWN_SECONDS, () => own.isPending && !own.isForgetful);

async function remember() {
  if (await api.hasSession()) await refreshOwn();
  else own.sayForgetful();
}

remember().catch(() => {}); // the list says already when the server is away

// The way onto the list

const service = {
  createNonce: (address) => api.createNonce(address),
  async submit(draft) {
    try {
      const answer = await api.submit(draft);
      const { walletAddress: address, nickname } = draft;
      own.addSent({ address, nickname, wasListed: list.has(address), ...answer });
      return answer;
    } finally {
      refreshOwn().catch(() => {}); // a refusal is on the visitor's list too
    }
  },
};

const isFramed = window.parent !== window;
const flow = new Flow(root.querySelector("#flow"), {
  service,
  on: {
    close: closeFlow,
    done: showResult,
    openWindow: isFramed ? openWindow : null,
  },
});

const signingWindow = new SigningWindow({
  service,
  site: site || null,
  symbol,
  on: {
    done: (result) => flow.finish(result),
    problem: (problem) => flow.fail(problem, openWindow),
  },
});

function openWindow() {
  flow.showElsewhere();
  signingWindow.open();
}

function showResult() {
  list.markMine(own.approvedAddresses);
  listPoll.now();
  ownPoll.now();
}

function closeFlow() {
  signingWindow.close();
  flow.root.hidden = true;
  addButton.setAttribute("aria-expanded", "false");
  addButton.focus();
}

addButton.addEventListener("click", () => {
  if (!flow.root.hidden) return closeFlow();
  addButton.setAttribute("aria-expanded", "true");
  flow.start();
});

watchWallets((wallets) => flow.showWallets(wallets));

root.dataset.ready = ""; // what needs script works from here on
