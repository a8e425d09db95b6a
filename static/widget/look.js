// Theme and accent: from the address, or sent later by the host page.

const root = document.documentElement;

/** Apply theme and accent from the address. */
export function applyLook() {
  document.body.hidden = false; // if the stylesheet could not be loaded
  if (root.dataset.accent) setAccent(root.dataset.accent);
}

/**
 * Apply the theme that fits the host page, and lie on its ground if texts can be read there.
 * @param {string} theme
 * @param {unknown} ground the computed color under the frame, if that is known
 */
export function setTheme(theme, ground) {
  if (!["auto", "light", "dark"].includes(theme)) return;
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

/** @param {string} hex */
function setAccent(hex) {
  root.style.setProperty("--accent", hex);
  // Black or white, whichever stands out more (WCAG relative luminance).
  const [red, green, blue] = [1, 3, 5]
    .map((start) => parseInt(hex.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  root.style.setProperty("--on-accent", luminance > 0.179 ? "#000" : "#fff");
}
