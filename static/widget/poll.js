// Polling: only while the tab is visible, less often while nothing changes, and while the server fails.

import { Problem } from "./api.js";

const GROWTH = 1.5;
const SPREAD = 0.1;
const SLOWEST_FAILING_MS = 10 * 60_000;

/**
 * Call the async `action` every `seconds` while the tab is visible and `isWanted()` says so. Each
 * call that resolves to false, since nothing has changed, makes the pause longer, up to `slowest`
 * seconds. A failure doubles it, and a Problem's Retry-After is obeyed. Returns {now} to poll at
 * once and more often again.
 * @param {() => Promise<unknown>} action
 * @param {{ seconds: number, slowest?: number, isWanted?: () => boolean }} options
 */
export function poll(action, { seconds, slowest = seconds, isWanted = () => true }) {
  const shortest = seconds * 1000;
  const spread = slowest > seconds ? SPREAD : 0; // so that a page's visitors do not ask in step
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = shortest;
  let dueAt = 0;
  let askedAt = Date.now();
  let refusedUntil = 0;
  let isFailing = false;
  let isRunning = false;
  let isWantedNow = false;

  async function run() {
    if (isRunning || document.hidden || !isWanted()) return;
    isRunning = true;
    const isPrompted = isWantedNow; // what prompted it will often show only later
    isWantedNow = false;
    askedAt = Date.now();
    try {
      const isSame = await action() === false;
      pause = isSame && !isFailing && !isPrompted ? Math.min(pause * GROWTH, slowest * 1000) : shortest;
      isFailing = false;
    } catch (error) {
      isFailing = true;
      pause = Math.min(pause * 2, SLOWEST_FAILING_MS);
      const retryAt = error instanceof Problem ? error.retryAt : null;
      if (retryAt) refusedUntil = retryAt + vary(shortest);
    } finally {
      isRunning = false;
    }
    schedule(isWantedNow ? 0 : pause - vary(pause));
  }

  /** @param {number} time */
  const vary = (time) => time * spread * Math.random();

  /** @param {number} delay in milliseconds */
  function schedule(delay) {
    dueAt = Math.max(Date.now() + delay, refusedUntil);
    clearTimeout(timer);
    timer = setTimeout(run, dueAt - Date.now());
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    const newest = isFailing ? dueAt : Math.min(dueAt, askedAt + shortest);
    schedule(Math.max(0, newest - Date.now()));
  });
  schedule(pause - vary(pause));

  return {
    now() {
      pause = shortest;
      isWantedNow = true; // what is under way may be answered from before
      if (!isRunning) schedule(0);
    },
  };
}
