// The signing window: a top-level page for wallets that don't work in frames. It connects and signs;
// the frame that opened it has the cookie and makes the API calls.

import { getElement, ignoreSecondPresses } from "../elements.js";
import { Problem } from "./api.js";
import { Flow } from "./flow.js";
import { FlowView } from "./flow-view.js";
import { call, watchWallets } from "./wallets.js";
import { say } from "./words.js";

/**
 * @import { About } from "./flow-view.js"
 * @import { Purpose } from "./flow-setup.js"
 */

const TIMEOUT_MS = 30_000; // longer than the frame's own timeout for the server

ignoreSecondPresses(document.body);
document.body.hidden = false; // in case the style sheet couldn't be loaded

/** @type {Window | null} */
const opener = window.opener;
const title = getElement(document, "#asked-by", HTMLElement);

/**
 * @param {{ kind: string, args: unknown[] }} message
 * @param {AbortSignal} [signal]
 */
async function askFrame(message, signal) {
  if (!opener || opener.closed) throw new Problem("window_disconnected");
  return call(opener, message, { origin: location.origin, timeoutMs: TIMEOUT_MS, signal });
}

window.addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.source !== opener) return;
  if (event.data?.kind === "about") begin(event.data.about);
});

const view = new FlowView(getElement(document, "#flow", HTMLElement));
let hasBegun = false;

/** @param {About & { purpose: Pick<Purpose, "name" | "address" | "nickname"> }} about */
function begin(about) {
  view.about = about;
  view.minimum = about.minimum;
  view.showKeeper(title);
  if (hasBegun) return;
  hasBegun = true;
  const flow = new Flow(view, {
    ...about.purpose,
    createNonce: (address, nickname, signal) =>
      askFrame({ kind: "createNonce", args: [address, nickname] }, signal),
    submit: (draft) => askFrame({ kind: "submit", args: [draft] }),
  }, {
    close: () => window.close(),
    finish() {
      title.textContent = say("window_done");
      window.close(); // the frame sent it, and shows the result
    },
  });
  flow.start();
  document.addEventListener("keydown", ({ key, isComposing }) => {
    if (key === "Escape" && !isComposing) flow.close();
  });
  watchWallets((wallets) => view.showWallets(wallets));
}

/** Say why there's nothing to do here, and link to the list if it's known. */
function explainDisconnected() {
  const ownPage = document.getElementById("own-page");
  title.textContent = say(ownPage ? "window_alone" : "window_disconnected");
  if (ownPage) ownPage.hidden = false;
}

if (opener) opener.postMessage({ kind: "ready" }, location.origin);
else explainDisconnected();
if ("timeout" in AbortSignal) getElement(document, "#sign", HTMLElement).dataset.ready = "";
