// Messages between the frame and its host page: height and theme.

import { setTheme } from "./look.js";

/** Send the height to the host page's script (embed.js), and apply the theme that it sends. */
export function connectToHost() {
  if (window.parent === window) return;
  // Without a Referer the host's origin is unknown: send to any, as the height is not secret.
  const host = document.referrer ? new URL(document.referrer).origin : "*";
  const sendHeight = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    window.parent.postMessage({ kind: "embed:height", height }, host);
  };
  new ResizeObserver(sendHeight).observe(document.documentElement);
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || (host !== "*" && event.origin !== host)) return;
    if (event.data?.kind === "embed:theme") setTheme(event.data.theme);
    if (event.data?.kind === "embed:hello") sendHeight();
  });
}
