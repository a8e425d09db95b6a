// Sets up the flow in the frame. Loaded on demand, as most visitors do not add a wallet.

import { getElement } from "../elements.js";
import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { watchLentWallets } from "./lent-wallets.js";
import { adaptToPlace } from "./place.js";
import { SigningWindow } from "./signing-window.js";
import { watchWallets } from "./wallets.js";
import { say } from "./words.js";

/**
 * @import { Result } from "./flow.js"
 * @import { Wallet } from "./wallets.js"
 */

/**
 * Set up the flow in its section. `lender` is the origin of a host page that lends its wallets.
 * @param {HTMLElement} section
 * @param {{ lender: Promise<string>, site: string | null, symbol: string,
 *   on: { close: () => void, done: (result: Result) => void, withdraw: (address: string) => void } }} options
 */
export function setUpFlow(section, { lender, site, symbol, on }) {
  const view = new FlowView(section);
  const isFramed = window.parent !== window;
  const flow = new Flow(view, {
    on: {
      close() {
        signingWindow.close();
        view.hide();
        on.close();
      },
      done: on.done,
      withdraw: on.withdraw,
      openWindow: isFramed ? openWindow : null,
    },
  });
  const signingWindow = new SigningWindow({
    getService: () => flow.service,
    site,
    symbol,
    on: {
      done: (result) => flow.finish(result),
      problem(problem, { canRetry }) {
        flow.start();
        flow.fail(problem, canRetry ? openWindow : null);
      },
    },
  });

  function openWindow() {
    if (signingWindow.open()) flow.waitElsewhere();
  }

  adaptToPlace(section);
  showAllWallets(view, lender, getElement(section, "[data-lent]", HTMLElement));
  return flow;
}

/**
 * Show the wallets that are found in this frame, then those that the host page lends.
 * @param {FlowView} view
 * @param {Promise<string>} lender
 * @param {HTMLElement} note names the host page where some are lent
 */
function showAllWallets(view, lender, note) {
  /** @type {Wallet[]} */
  let own = [];
  /** @type {Wallet[]} */
  let lent = [];
  const show = () => {
    // A wallet that is here, too, needs nobody in between.
    const names = new Set(own.map(({ name }) => name.toLowerCase()));
    const others = lent.filter(({ name }) => !names.has(name.toLowerCase()));
    note.hidden = others.length === 0;
    view.showWallets([...own, ...others]);
  };
  watchWallets((wallets) => {
    own = wallets;
    show();
  });
  lender.then((origin) => {
    note.textContent = say("lent_by", { site: origin });
    watchLentWallets(origin, (wallets) => {
      lent = wallets;
      show();
    });
  });
}
