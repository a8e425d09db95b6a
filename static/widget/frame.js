// Messages between the frame and its host page: height, theme, and whether it lends its wallets.

import { setTheme } from "./look.js";

/**
 * Send the height to the host page's script (embed.js), and apply the theme that it sends.
 *
 * Returns the origin of the host page once it offers to lend its wallets, which it may never do.
 * Only a page that the service vouches for is believed: `site`, the one that the server has found on
 * the key's list, or, if that one is unknown, any, as the widget's policy (frame-ancestors) keeps
 * others out. A key that allows the null origin has no such policy: `isForAnySite`.
 * @param {{ site: string | null, isForAnySite: boolean }} options
 * @returns {Promise<string>}
 */
export function connectToHost({ site, isForAnySite }) {
  /** @type {(origin: string) => void} */
  let resolve = () => {};
  /** @type {Promise<string>} */
  const lender = new Promise((found) => (resolve = found));
  if (window.parent === window) return lender;
  // Without a Referer the host's origin is unknown: send to any, as the height is not secret.
  const host = document.referrer ? new URL(document.referrer).origin : "*";
  const sendHeight = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    window.parent.postMessage({ kind: "embed:height", height }, host);
  };
  /** @param {string} origin */
  const mayLend = (origin) => origin !== "null" && (site ? origin === site : !isForAnySite);
  new ResizeObserver(sendHeight).observe(document.documentElement);
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || (host !== "*" && event.origin !== host)) return;
    if (event.data?.kind === "embed:theme") setTheme(event.data.theme, event.data.ground);
    if (event.data?.kind === "embed:hello") {
      sendHeight();
      if (event.data.lends === true && mayLend(event.origin)) resolve(event.origin);
    }
  });
  return lender;
}
