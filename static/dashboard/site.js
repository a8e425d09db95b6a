// A site's form names the site's twin, which a ticked box adds.

import { getElement } from "../elements.js";
import { describeOrigin } from "./origin-rules.js";

/**
 * Name the site that the box adds: the typed one with or without www.
 * @param {string} typed
 */
function showTwin(typed) {
  const label = getElement(document, "#twin", HTMLElement), site = describeOrigin(typed);
  const origin = site.origin ?? site.meant ?? "";
  const twin = origin.includes("://www.") ? origin.replace("://www.", "://")
    : /\..*[^0-9\]](:\d+)?$/.test(origin) ? origin.replace("://", "://www.") : "";
  if (twin) label.textContent = (label.dataset.text ?? "").replace("{site}", twin);
  label.parentElement?.toggleAttribute("hidden", !twin);
}

export function listenForSite() {
  const site = document.querySelector("#site");
  if (!(site instanceof HTMLInputElement)) return;
  site.addEventListener("input", () => showTwin(site.value));
  if (site.value) showTwin(site.value);
}
