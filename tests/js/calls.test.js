import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../static/widget/api.js";
import { answerCall, call } from "../../static/widget/wallets.js";

const ORIGIN = "https://embed.example";

/** The frame that opened the window: it keeps what it is sent. */
class FakeFrame {
  /** @type {{ message: any, origin: string, port: MessagePort }[]} */
  received = [];

  /**
   * @param {unknown} message
   * @param {string} origin
   * @param {MessagePort[]} ports
   */
  postMessage(message, origin, [port]) {
    this.received.push({ message, origin, port });
  }
}

/**
 * @param {FakeFrame} frame
 * @param {{ timeoutMs?: number, signal?: AbortSignal }} [options]
 */
function ask(frame, { timeoutMs = 60_000, signal } = {}) {
  const target = /** @type {Window} */ (/** @type {unknown} */ (frame));
  return call(target, { kind: "createNonce", args: ["w"] }, { origin: ORIGIN, timeoutMs, signal });
}

/** @param {string} code */
const isProblem = (code) => (/** @type {unknown} */ error) => error instanceof Problem && error.code === code;

test("a call is posted to one origin, with a port for its answer", async () => {
  const frame = new FakeFrame();
  const asked = ask(frame);
  const [{ message, origin, port }] = frame.received;

  await answerCall(port, async () => ({ nonceId: "1" }));

  assert.deepEqual(message, { kind: "createNonce", args: ["w"] });
  assert.equal(origin, ORIGIN);
  assert.deepEqual(await asked, { nonceId: "1" });
});

test("a refusal arrives with its details and its time", async () => {
  const frame = new FakeFrame();
  const asked = ask(frame);
  const refusal = new Problem("ca_gate_failed", { retryAfter: 9, details: { balance: "0.25" } });

  await answerCall(frame.received[0].port, () => Promise.reject(refusal));

  await assert.rejects(asked, ({ code, details, retryAt }) => {
    assert.deepEqual({ code, details, retryAt },
      { code: refusal.code, details: refusal.details, retryAt: refusal.retryAt });
    return true;
  });
});

test("progress is told before the answer", async () => {
  const frame = new FakeFrame();
  let count = 0;
  const target = /** @type {Window} */ (/** @type {unknown} */ (frame));
  const asked = call(target, { kind: "sign", args: [] }, {
    origin: ORIGIN, timeoutMs: 60_000, onProgress: () => (count += 1),
  });

  await answerCall(frame.received[0].port, async (_, tell) => {
    tell();
    tell();
    return "signature";
  });

  assert.equal(await asked, "signature");
  assert.equal(count, 2);
});

test("a bug in the frame is a problem of the server's", async () => {
  const frame = new FakeFrame();
  const asked = ask(frame);

  await answerCall(frame.received[0].port, () => Promise.reject(new TypeError("bug")));

  await assert.rejects(asked, isProblem("server"));
});

test("an answer after the time-out is dropped, and its port is closed", async () => {
  const frame = new FakeFrame();
  /** @type {PromiseWithResolvers<string>} */
  const { promise: late, resolve } = Promise.withResolvers();
  const asked = ask(frame, { timeoutMs: 5 });
  const [{ port: theirs }] = frame.received;
  const isClosed = new Promise((done) => theirs.addEventListener("close", done));
  const answered = answerCall(theirs, () => late);

  await assert.rejects(asked, isProblem("window_disconnected"));
  await isClosed;
  resolve("too late");
  await answered;
});

test("who no longer waits aborts the call at the other end, too", async () => {
  const frame = new FakeFrame();
  const controller = new AbortController();
  const asked = ask(frame, { signal: controller.signal });
  const [{ port }] = frame.received;
  const isAborted = new Promise((done) => {
    answerCall(port, (signal) => new Promise(() => signal.addEventListener("abort", done)));
  });

  controller.abort();

  await assert.rejects(asked, { name: "AbortError" });
  await isAborted;
});

