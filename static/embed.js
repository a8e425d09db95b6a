// Optional script for the iframe snippet: adapts the frame's height to its content and its theme
// to the host page, and lends it the page's wallets, many of which do not appear in frames. It can
// be anywhere on the page; the frame also works without it.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const origin = new URL(script.src).origin;
  const start = `${origin}/embed/tracking/`;
  const LENDING = ["embed:wallets", "embed:watch", "embed:connect", "embed:sign"];

  /** @param {HTMLIFrameElement} frame */
  function readTheme(frame) {
    const root = document.documentElement;
    const theme = [frame.dataset.theme, root.dataset.theme, ...root.classList].find((word) =>
      word === "dark" || word === "light");
    if (theme) return theme;
    const scheme = getComputedStyle(root).colorScheme;
    if (scheme.includes("dark") && scheme.includes("light")) return "auto";
    return scheme.includes("dark") ? "dark" : "light";
  }

  /**
   * Whether wallets are lent to the frame: unless the page's owner has switched it off, or has
   * pinned this file by `integrity`, since lending loads another one.
   * @param {HTMLIFrameElement} frame
   */
  function isLending(frame) {
    return !script.integrity && ![script, frame].some((one) => one.dataset.lendWallets === "off");
  }

  /** @param {HTMLIFrameElement} frame */
  function setUp(frame) {
    frame.title ||= "Wallets";
    frame.referrerPolicy ||= "strict-origin";
    frame.style.border ||= "0";
    frame.style.width ||= "100%";
    /** @param {{ kind: string, theme?: string, lends?: boolean }} message */
    const send = (message) => {
      // Before it loads, a frame contains an empty document of the host's origin; we send to it
      // again when it has loaded.
      if (frame.contentDocument?.URL === "about:blank") return;
      frame.contentWindow?.postMessage(message, origin);
    };
    const greet = () => send({ kind: "embed:hello", lends: isLending(frame) });
    const isFixed = new URL(frame.src).searchParams.has("theme");
    const passTheme = () => {
      const theme = isFixed
        ? new URL(frame.src).searchParams.get("theme") ?? "auto"
        : readTheme(frame);
      // A frame whose color scheme differs from its document's gets an opaque background.
      frame.style.colorScheme = theme === "auto" ? "light dark" : theme;
      if (!isFixed) send({ kind: "embed:theme", theme });
    };
    addEventListener("message", (event) => {
      const { source, origin: from, data } = event;
      if (from !== origin || source !== frame.contentWindow) return;
      if (data?.kind === "embed:height" && data.height > 0 && data.height < 20000) {
        frame.style.height = `${data.height}px`;
      }
      if (LENDING.includes(data?.kind)) {
        event.stopImmediatePropagation(); // a second tag of this script must not answer, too
        if (isLending(frame)) lend(event);
      }
    });
    frame.addEventListener("load", () => { greet(); passTheme(); });
    new MutationObserver(passTheme).observe(document.documentElement, {
      attributeFilter: ["class", "data-theme", "style"],
    });
    greet();
    passTheme();
  }

  /** @param {MessageEvent} event */
  async function lend(event) {
    // Any version in the address gets the present one. The page's own policy may forbid to load it;
    // the frame then does without these wallets.
    const module = await import(`${origin}/static/latest/host/lend.js`).catch(() => null);
    module?.lend(event);
  }

  function setUpAll() {
    document.querySelectorAll("iframe").forEach((frame) => {
      if (frame.src.startsWith(start)) setUp(frame);
    });
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", setUpAll);
  else setUpAll();
})();
