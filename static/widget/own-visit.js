// Follows the visitor's own submissions. Loaded once there are any, as most visitors only read.

import { findAround, getElement } from "../elements.js";
import { OwnSubmissions } from "./own.js";
import { poll } from "./poll.js";
import { say } from "./words.js";

/**
 * @import { Api } from "./api.js"
 * @import { Listener } from "./flow-tasks.js"
 * @import { List } from "./list.js"
 */

const PAUSES = { seconds: 10, slowest: 2 * 60 };

/**
 * Show what becomes of the visitor's submissions, and return what to tell it.
 * @param {HTMLElement} root
 * @param {{ api: Api, list: List, refreshList: () => void }} options
 * @returns {Listener}
 */
export function followOwn(root, { api, list, refreshList }) {
  const notice = getElement(root, "#cookie-blocked", HTMLElement);
  const own = new OwnSubmissions(getElement(root, "#own", HTMLElement), {
    cooldown: Number(root.dataset.cooldown),
    locateReceipt: (id) => api.locateReceipt(id),
  });
  const isForgotten = () => notice.hidden === false; // the browser sends no cookie
  const ownPoll = poll(refresh, {
    ...PAUSES, isWanted: () => own.isPending && !isForgotten(),
  });

  /** Return whether the submissions have changed. */
  async function refresh() {
    if (isForgotten()) return false;
    const before = own.approvedAddresses.length;
    const submissions = await api.listOwn();
    const hasChanged = JSON.stringify(submissions) !== JSON.stringify(own.remembered);
    own.show(submissions);
    list.markMine(own.approvedAddresses);
    if (own.approvedAddresses.length > before) refreshList();
    return hasChanged;
  }

  function compareWithList() {
    own.noteListed((address) => list.has(address));
    list.markMine(own.approvedAddresses);
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
  list.listeners.push(compareWithList);
  list.markMine(own.approvedAddresses);

  return {
    sent({ walletAddress: address, nickname }, answer) {
      if (isForgotten()) own.root.after(notice); // it explains the row above it, and stays when that goes
      own.addSent({ address, nickname, wasListed: list.has(address), ...answer });
    },
    tried: () => refresh().catch(() => {}), // the visitor's list also shows refusals
    added() {
      list.markMine(own.approvedAddresses);
      refreshList();
      ownPoll.now();
    },
    asked(records) {
      own.learn(records);
      list.markMine(own.approvedAddresses);
    },
    withdrawn(address) {
      own.forgetSent(address);
      refreshList();
      refresh().catch(() => {});
    },
  };
}
