// What depends on whether the flow is in a frame or in a window of its own.

/**
 * Show the parts for this place, and let the visitor load the window again.
 * @param {HTMLElement} root the section of flow.html
 */
export function adaptToPlace(root) {
  const place = window.parent === window ? "top" : "frame";
  for (const part of root.querySelectorAll("[data-where]")) {
    if (part instanceof HTMLElement) part.hidden = part.dataset.where !== place;
  }
  root.querySelector("[data-do=reload]")?.addEventListener("click", () => location.reload());
}
