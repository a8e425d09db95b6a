// Sets up the flow in the frame. Loaded on demand, as most visitors do not add a wallet.

import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { SigningWindow } from "./signing-window.js";
import { watchWallets } from "./wallets.js";

/** @import { Result, Service } from "./flow.js" */

/**
 * Set up the flow in its section.
 * @param {HTMLElement} section
 * @param {{ service: Service, site: string | null, symbol: string,
 *   on: { close: () => void, done: (result: Result) => void } }} options
 */
export function setUpFlow(section, { service, site, symbol, on }) {
  const view = new FlowView(section);
  const isFramed = window.parent !== window;
  const flow = new Flow(view, {
    service,
    on: {
      close() {
        signingWindow.close();
        view.hide();
        on.close();
      },
      done: on.done,
      openWindow: isFramed ? openWindow : null,
    },
  });
  const signingWindow = new SigningWindow({
    service,
    site,
    symbol,
    on: {
      done: (result) => flow.finish(result),
      problem: (problem) => flow.fail(problem, openWindow),
    },
  });

  function openWindow() {
    flow.waitElsewhere();
    signingWindow.open();
  }

  watchWallets((wallets) => view.showWallets(wallets));
  return flow;
}
