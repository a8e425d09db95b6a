// Puts the flow's steps into its panel, once they are loaded.

import { getElement } from "../elements.js";
import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { watchAllWallets } from "./lent-wallets.js";
import { makeAdding, makeShowing } from "./purposes.js";
import { SigningWindow } from "./signing-window.js";
import { addWords } from "./words.js";

/**
 * @import { Api } from "./api.js"
 * @import { OwnSubmissions } from "./own.js"
 * @typedef {"add" | "show"} FirstPurpose
 * @typedef {{ start: (purpose: FirstPurpose) => void, leave: () => void }} Steps
 */

/**
 * @param {HTMLElement} panel keeps only its head of what it shows
 * @param {Document} part the steps, and their sentences
 * @param {{ api: Api, own: OwnSubmissions, lender: Promise<string>, site: string | null,
 *   symbol: string, close: () => void }} options
 * @returns {Steps}
 */
export function setUpSteps(panel, part, { api, own, lender, site, symbol, close }) {
  addWords(part);
  const head = getElement(panel, ".flow-head", HTMLElement);
  panel.replaceChildren(head, ...getElement(part, "#flow", HTMLElement).children);
  const purposes = { add: makeAdding(api, own), show: makeShowing(api, own) };
  const view = new FlowView(panel);
  view.about = { site, symbol, minimum: view.minimum };
  const flow = new Flow(view, purposes.add, {
    close() {
      signingWindow.close();
      close();
    },
    openWindow: () => signingWindow.open(),
    canShow: (address) => own.canShow(address),
    show: (address) => own.show(address),
  });
  const signingWindow = new SigningWindow(flow, view.about);
  watchAllWallets(lender, (wallets, origin) => view.showWallets(wallets, origin));
  return { leave: () => flow.close(), start: (purpose) => flow.start(purposes[purpose]) };
}
