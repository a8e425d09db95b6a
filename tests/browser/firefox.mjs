// Drives Firefox through a page by WebDriver BiDi: node firefox.mjs FIREFOX JOB, where the job is JSON
// with `url`, `frame` (how the frame's address begins), `script` (runs before those of each page),
// `profile` (an empty folder) and `steps`. Prints what the steps read, as JSON.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const [, , firefox, job] = process.argv;
const { url, frame, script, profile, steps } = JSON.parse(job);
const PATIENCE_MS = 20_000;

/** What a step does in the frame: an expression that is asked until it is true. */
const STEPS = {
  press: (text) => `(() => {
    const named = [...document.querySelectorAll("button")].find((one) =>
      one.checkVisibility() && one.innerText.trim().startsWith(${JSON.stringify(text)}));
    named?.click();
    return named !== undefined;
  })()`,
  fill: (selector, text) =>
    `(document.querySelector(${JSON.stringify(selector)}).value = ${JSON.stringify(text)}) !== ""`,
  read: (selector) => `(() => {
    const found = document.querySelector(${JSON.stringify(selector)});
    return found?.checkVisibility() && found.innerText;
  })()`,
};

async function connect(lines) {
  for await (const line of lines) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (!address) continue;
    const socket = new WebSocket(`${address}/session`);
    await once(socket, "open");
    return socket;
  }
  throw new Error("Firefox did not start");
}

function makeCaller(socket) {
  const waiting = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, message } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    if (result) resolve?.(result);
    else reject?.(new Error(message));
  });
  return (method, params) => new Promise((resolve, reject) => {
    const id = waiting.size + 1;
    waiting.set(id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params }));
  });
}

async function walk(call) {
  await call("session.new", { capabilities: {} });
  await call("script.addPreloadScript", { functionDeclaration: `() => { ${script} }` });
  const { contexts: [top] } = await call("browsingContext.getTree", {});
  await call("browsingContext.navigate", { context: top.context, url, wait: "complete" });
  const { contexts: [{ children }] } = await call("browsingContext.getTree", { root: top.context });
  const { context } = children.find((one) => one.url.startsWith(frame));

  async function until(expression) {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      const params = { expression, target: { context }, awaitPromise: true };
      const { result, exceptionDetails } = await call("script.evaluate", params);
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      if (result.value) return result.value;
    }
    throw new Error(`this did not become true: ${expression}`);
  }

  await until("document.querySelector('#widget[data-ready]') !== null");
  const read = [];
  for (const [kind, ...given] of steps) {
    const value = await until(STEPS[kind](...given));
    if (kind === "read") read.push(value);
  }
  return read;
}

const options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
const started = spawn(firefox, options, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: profile } });
try {
  const socket = await connect(createInterface({ input: started.stderr }));
  started.stderr.resume(); // or it waits for a reader
  console.log(JSON.stringify(await walk(makeCaller(socket))));
} finally {
  started.kill();
}
process.exit(0);
