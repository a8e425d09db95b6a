// The strip: its links open the list in a tab of its own, or in its place where the page around the
// frame makes it as high as the list (embed.js).

import { connectToHost } from "./api.js";

connectToHost({ site: null, isForAnySite: true });
addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.kind !== "embed:hello") return;
  for (const link of document.links) link.removeAttribute("target");
});
