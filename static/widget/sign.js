// The signing window: a top-level page, for wallets that do not work in frames. It connects and
// signs; the frame that opened it has the cookie and makes the API calls.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { call } from "./calls.js";
import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { applyLook } from "./look.js";
import { watchWallets } from "./wallets.js";
import { say } from "./words.js";

const TIMEOUT_MS = 30_000; // longer than the frame's own timeout for the server

applyLook();

/** @type {Window | null} */
const opener = window.opener;
const title = getElement(document, "#asked-by", HTMLElement);

/**
 * @param {{ kind: string, args: unknown[] }} message
 * @param {AbortSignal} [signal]
 */
async function ask(message, signal) {
  if (!opener || opener.closed) throw new Problem("window_disconnected");
  return call(opener, message, { origin: location.origin, timeoutMs: TIMEOUT_MS, signal });
}

const view = new FlowView(getElement(document, "#flow", HTMLElement));
const flow = new Flow(view, {
  service: {
    createNonce: (address, signal) => ask({ kind: "createNonce", args: [address] }, signal),
    submit: (draft) => ask({ kind: "submit", args: [draft] }),
  },
  on: {
    close: () => window.close(),
    done(result) {
      title.textContent = say("window_done");
      opener?.postMessage({ kind: "done", result }, location.origin);
      window.close();
    },
  },
});

window.addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.source !== opener) return;
  if (event.data?.kind === "about") begin(event.data.about);
});

let hasBegun = false;

/** @param {{ site: string | null, symbol: string }} about */
function begin({ site, symbol }) {
  title.textContent = say(site ? "window_for" : "window_for_unknown", { site, symbol });
  if (hasBegun) return;
  hasBegun = true;
  flow.start();
  watchWallets((wallets) => view.showWallets(wallets));
}

if (opener) opener.postMessage({ kind: "ready" }, location.origin);
else title.textContent = say("window_disconnected");
