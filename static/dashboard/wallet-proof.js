// A person signs with a wallet to sign in, to link it, or for "Is it you?", by the steps of visitors.

import { getElement } from "../elements.js";
import { eitherOf, Problem, TIMEOUT_MS } from "../widget/api.js";
import { Flow } from "../widget/flow.js";
import { FlowView } from "../widget/flow-view.js";
import { watchWallets } from "../widget/wallets.js";

/** @import { Nonce } from "../widget/flow-setup.js" */

document.body.hidden = false; // if the stylesheet could not be loaded

const main = getElement(document, "#proof", HTMLElement);
const steps = getElement(main, "#flow", HTMLElement);
const { token = "", back = "" } = main.dataset;
/** @type {Window | null} */
const opener = window.opener; // the page that asks "Is it you?", if it is in another tab

/**
 * Send a form to the address of this page, and return its answer.
 * @param {Record<string, string>} fields
 * @param {AbortSignal} [signal]
 */
async function post(fields, signal) {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  let response;
  let answer;
  try {
    response = await fetch(location.href, {
      method: "POST",
      body: new URLSearchParams({ csrf_token: token, ...fields }),
      signal: signal ? eitherOf(signal, timeout) : timeout,
    });
    answer = await response.text();
  } catch {
    signal?.throwIfAborted();
    throw new Problem("offline");
  }
  if (response.status >= 500) throw new Problem("server");
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) {
    location.reload(); // signed out, or to be asked "Is it you?" first: the page leads there
    return waitForever();
  }
  const { error, ...details } = JSON.parse(answer);
  if (!error) return details;
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  throw new Problem(error, { retryAfter, details });
}

/** @returns {Promise<any>} while the browser leaves this page */
const waitForever = () => new Promise(() => {});

/** @param {string} next where the person was going */
function leave(next) {
  if (!opener || opener.closed) return location.assign(next);
  opener.postMessage("embed:confirmed", location.origin);
  steps.hidden = true;
  getElement(main, "#finished", HTMLElement).hidden = false;
  window.close();
}

const view = new FlowView(steps);
const flow = new Flow(view, {
  name: "prove",
  createNonce: (address, _, signal) => post({ address }, signal),
  async submit({ walletAddress: address, nonceId, signature }) {
    leave((await post({ address, nonceId, signature })).next);
    return waitForever();
  },
}, { close: () => location.assign(back) });
flow.start();
watchWallets((wallets) => view.showWallets(wallets));
document.documentElement.dataset.ready = ""; // too-old.js
