// The signing window: a top-level page, where wallets that shun frames are at hand. It connects
// and signs; the frame that opened it holds the cookie and makes the API calls.

import { Problem } from "./api.js";
import { Flow } from "./flow.js";
import { applyLook } from "./look.js";
import { watchWallets } from "./wallets.js";
import { say } from "./words.js";

const PATIENCE_MS = 30_000; // the frame itself gives up on the server sooner

applyLook();

const opener = window.opener;
const title = document.getElementById("asked-by");
const waiting = new Map();
let nextId = 1;

function call(kind, ...args) {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    if (!opener || opener.closed) return reject(new Problem("window_lonely"));
    waiting.set(id, { resolve, reject });
    // The frame has been loaded anew, and knows nothing of this window.
    setTimeout(() => reject(new Problem("window_lonely")), PATIENCE_MS);
    opener.postMessage({ kind, id, args }, location.origin);
  });
}

const flow = new Flow(document.getElementById("flow"), {
  service: {
    createNonce: (address) => call("createNonce", address),
    submit: (draft) => call("submit", draft),
  },
  on: {
    close: () => window.close(),
    done(result) {
      title.textContent = say("window_done");
      opener.postMessage({ kind: "done", result }, location.origin);
      window.close();
    },
  },
});

window.addEventListener("message", (event) => {
  if (event.origin !== location.origin || event.source !== opener) return;
  const { kind, id, value, problem, about } = event.data ?? {};
  if (kind === "about") begin(about);
  if (kind === "answer" && waiting.has(id)) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (problem) reject(Object.assign(new Problem(problem.code), problem));
    else resolve(value);
  }
});

let hasBegun = false;

function begin({ site, symbol }) {
  title.textContent = say(site ? "window_for" : "window_for_unknown", { site, symbol });
  if (hasBegun) return;
  hasBegun = true;
  flow.start();
  watchWallets((wallets) => flow.showWallets(wallets));
}

if (opener) opener.postMessage({ kind: "ready" }, location.origin);
else title.textContent = say("window_lonely");
