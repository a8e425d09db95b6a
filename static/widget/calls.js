// Calls to another window: from the signing window to the frame that opened it, and from the frame
// to its host page. Each uses its own MessageChannel, so that answers cannot be mixed up, and late
// answers are dropped with the closed channel.

import { Problem } from "./api.js";

/**
 * @typedef {{ value?: any, problem?: { code: string, details: object, retryAt: number | null },
 *   isUnderWay?: boolean }} Answer `isUnderWay`: not the answer yet, but there is something to tell
 */

/**
 * Post {kind, args} and a port to `target`, and return the answer on that port.
 * Rejects with the Problem in the answer, with `window_disconnected` after `timeoutMs`, and with the
 * signal's reason when it is aborted.
 * @param {Window} target
 * @param {{ kind: string, args: unknown[] }} message
 * @param {{ origin: string, timeoutMs: number, signal?: AbortSignal, onProgress?: () => void }} options
 * @returns {Promise<any>}
 */
export function call(target, message, { origin, timeoutMs, signal, onProgress }) {
  const { port1: port, port2: theirs } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const abort = () => {
      port.postMessage("abort");
      end();
      reject(signal?.reason);
    };
    // The frame was reloaded, and no longer knows this window.
    const timer = setTimeout(() => {
      end();
      reject(new Problem("window_disconnected"));
    }, timeoutMs);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      port.close();
    };
    port.onmessage = ({ data }) => {
      const { value, problem, isUnderWay } = /** @type {Answer} */ (data ?? {});
      if (isUnderWay) return onProgress?.();
      end();
      if (problem) reject(Object.assign(new Problem(problem.code), problem));
      else resolve(value);
    };
    signal?.addEventListener("abort", abort);
    target.postMessage(message, origin, [theirs]);
  });
}

/**
 * Answer a call on its port with the result of `action`. The caller closes the port; `signal` is
 * aborted when the caller no longer wants an answer, and `tell` tells it of progress.
 * @param {MessagePort} port
 * @param {(signal: AbortSignal, tell: () => void) => Promise<unknown>} action
 */
export async function answerCall(port, action) {
  const controller = new AbortController();
  port.onmessage = () => controller.abort();
  try {
    const tell = () => port.postMessage({ isUnderWay: true });
    port.postMessage({ value: await action(controller.signal, tell) });
  } catch (error) {
    const { code, details, retryAt } = error instanceof Problem ? error : new Problem("server");
    port.postMessage({ problem: { code, details, retryAt } });
  }
}
