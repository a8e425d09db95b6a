// The strip: its links open the list in a new tab, or in place if the host page adapts the frame's
// height to the list (embed.js).

import { connectToHost } from "./api.js";

connectToHost({ site: null, isForAnySite: true });
addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.kind !== "embed:hello" || self.origin === "null") return;
  for (const link of document.links) link.removeAttribute("target");
});
