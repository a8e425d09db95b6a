// Theme and accent: from the address, or sent later by the host page.

const root = document.documentElement;

/** Apply theme and accent from the address. */
export function applyLook() {
  document.body.hidden = false; // if the stylesheet could not be loaded
  if (root.dataset.accent) setAccent(root.dataset.accent);
}

/**
 * Apply the theme that fits the host page.
 * @param {string} theme
 */
export function setTheme(theme) {
  if (!["auto", "light", "dark"].includes(theme)) return;
  root.dataset.theme = theme;
  delete root.dataset.surface;
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
