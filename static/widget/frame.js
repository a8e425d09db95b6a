// Messages between the frame and its host page: height, theme, and whether it lends its wallets.

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

/**
 * Apply the theme that fits the host page, and have no surface of its own if texts can be read without one.
 * @param {string} theme
 * @param {unknown} ground the computed color under the frame, if that is known
 */
function setTheme(theme, ground) {
  if (!["auto", "light", "dark"].includes(theme)) return;
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.toggleAttribute("data-surface", isMiddling(ground));
}

/**
 * Whether a color is so far from white and from black that quiet texts have less than 4.5:1.
 * @param {unknown} ground
 */
function isMiddling(ground) {
  const parts = String(ground).match(/^rgb\((\d+), (\d+), (\d+)\)$/);
  if (!parts) return false;
  const [red, green, blue] = parts.slice(1).map((part) => (Number(part) / 255) ** 2.2);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.06 && luminance < 0.75;
}
