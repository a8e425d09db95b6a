// What the frame tells the page around it, and hears from it: height and theme.

import { setTheme } from "./look.js";

/** Keep the host page's script (embed.js) informed; without it nothing happens. */
export function talkToHost() {
  if (window.parent === window) return;
  // The height is no secret, and a host that hides its Referer has no known origin.
  const host = document.referrer ? new URL(document.referrer).origin : "*";
  const tell = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    window.parent.postMessage({ kind: "embed:height", height }, host);
  };
  new ResizeObserver(tell).observe(document.documentElement);
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || (host !== "*" && event.origin !== host)) return;
    if (event.data?.kind === "embed:theme") setTheme(event.data.theme);
    if (event.data?.kind === "embed:hello") tell();
  });
}
