// Asking again, gently: only while somebody looks, and less often when the server is in trouble.

const SLOWEST_MS = 10 * 60_000;

/**
 * Call the async `action` every `seconds` while the tab is visible and `isWanted()` says so.
 * A failure doubles the pause; a Problem's Retry-After is kept to. Returns {now} to ask at once.
 */
export function poll(action, seconds, isWanted = () => true) {
  let timer, dueAt = Date.now() + seconds * 1000, pause = seconds * 1000, isRunning = false;

  async function run() {
    if (isRunning || document.hidden || !isWanted()) return;
    isRunning = true;
    try {
      await action();
      pause = seconds * 1000;
      schedule(pause);
    } catch (problem) {
      pause = Math.min(pause * 2, SLOWEST_MS);
      schedule(Math.max(pause, (problem.retryAt ?? 0) - Date.now()));
    } finally {
      isRunning = false;
    }
  }

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
