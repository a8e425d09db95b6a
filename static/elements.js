// Finds template elements and checks their types, scrolls to them, ignores accidental second presses and
// exceptions, and parses other pages.

/**
 * Return the first element inside `root` that matches `selector`. Throws if it's missing or of another type.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function getElement(root, selector, type) {
  const element = root.querySelector(selector);
  if (element instanceof type) return element;
  throw new TypeError(`The page has no ${selector} that is an ${type.name}.`);
}

/**
 * Return the closest element around the event's target that matches `selector`, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function findAround(event, selector) {
  const { target } = event;
  const element = target instanceof Element ? target.closest(selector) : null;
  return element instanceof HTMLElement ? element : null;
}

/**
 * Scroll until all of the element is in view, also if a site first has to make the frame higher.
 * @param {Element} element
 */
export function showWhole(element) {
  const scroll = () => element.scrollIntoView({ block: "nearest" });
  scroll();
  addEventListener("resize", scroll, { signal: AbortSignal.timeout(1000) });
}

/**
 * Ignore the second of two presses if another control came under the finger after the first.
 * @param {HTMLElement} root
 */
export function ignoreSecondPresses(root) {
  /** @type {HTMLElement | null} */
  let pressed = null;
  root.addEventListener("click", (event) => {
    const control = findAround(event, "a, button, summary");
    if (event.detail > 1 && control !== pressed) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else pressed = control;
  }, true);
}

/**
 * Return what `action` does, or null if it throws, as in a sandbox or in a wallet's own code.
 * @template T
 * @param {() => T} action
 */
export function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}

/** @type {{ createHTML: (html: string) => string } | undefined} */
let pages; // a host page that lends its wallets also loads this file, and may not allow a policy

/**
 * Parse a page from this service; scripts in it don't run. This is the only place where text becomes
 * HTML: the Content-Security-Policy allows no other Trusted Types policy, in browsers that support them.
 * @param {string} html
 * @returns {Document}
 */
export function parsePage(html) {
  pages ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy("pages", { createHTML: String });
  return new DOMParser().parseFromString(pages?.createHTML(html) ?? html, "text/html");
}
