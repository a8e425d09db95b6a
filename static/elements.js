// Finding elements of the templates, with a check of their type; pressing them; and reading other pages.

/**
 * Return the first element inside `root` that `selector` finds. Throws if it is missing or of another type.
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
 * Return the closest element around the target of `event` that `selector` finds, or null.
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
 * Ignore the second press of two where another control has come under the finger after the first.
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

/** @type {{ createHTML: (html: string) => string } | undefined} */
let pages; // a site that lends its wallets loads this file, too, and may allow no policy

/**
 * Return a page that this service answered with; no script in it runs. Nowhere else does text become
 * HTML: the Content-Security-Policy allows no other policy of Trusted Types, where browsers know those.
 * @param {string} html
 * @returns {Document}
 */
export function parsePage(html) {
  pages ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy("pages", { createHTML: String });
  return new DOMParser().parseFromString(pages?.createHTML(html) ?? html, "text/html");
}
