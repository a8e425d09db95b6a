// Polling: only while the tab is visible, and less often while the server fails.

import { Problem } from "./api.js";

const SLOWEST_MS = 10 * 60_000;

/**
 * Call the async `action` every `seconds` while the tab is visible and `isWanted()` says so.
 * A failure doubles the pause, and a Problem's Retry-After is obeyed. Returns {now} to poll at once.
 * @param {() => Promise<void>} action
 * @param {number} seconds
 */
export function poll(action, seconds, isWanted = () => true) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let dueAt = Date.now() + seconds * 1000;
  let pause = seconds * 1000;
  let isRunning = false;

  async function run() {
    if (isRunning || document.hidden || !isWanted()) return;
    isRunning = true;
    try {
      await action();
      pause = seconds * 1000;
      schedule(pause);
    } catch (error) {
      const retryAt = error instanceof Problem ? error.retryAt : null;
      pause = Math.min(pause * 2, SLOWEST_MS);
      schedule(Math.max(pause, (retryAt ?? 0) - Date.now()));
    } finally {
      isRunning = false;
    }
  }

  /** @param {number} delay in milliseconds */
  function schedule(delay) {
    dueAt = Date.now() + delay;
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) schedule(Math.max(0, dueAt - Date.now()));
  });
  schedule(pause);
  return { now: () => schedule(0) };
}
