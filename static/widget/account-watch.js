// Watching whether a wallet still lets this page use an account.

/** @import { Problem } from "./api.js" */

const GRACE_MS = 500; // some wallets have no account for a moment while they connect again

/**
 * Call `onLost` when, some time after a change in the wallet, the account cannot be used; return
 * how to stop that. A wallet that cannot be listened to is checked when it signs.
 * @param {(onChange: () => void) => unknown} listen starts to listen to the wallet; gives how to stop
 * @param {() => Problem | null} findLoss
 * @param {(problem: Problem) => void} onLost
 */
export function watchAccount(listen, findLoss, onLost) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let isWatching = true;
  const check = () => {
    const problem = findLoss();
    if (problem) onLost(problem);
  };
  const off = attempt(() => listen(() => {
    clearTimeout(timer);
    if (isWatching) timer = setTimeout(check, GRACE_MS);
  }));
  return () => {
    isWatching = false;
    clearTimeout(timer);
    if (typeof off === "function") attempt(() => off());
  };
}

/** @param {() => unknown} action a wallet's own code, which may throw anything */
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
