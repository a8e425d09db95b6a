// Optional script for the iframe snippet: adapts the frame's height to its content and its theme
// to the host page. It can be anywhere on the page; the frame also works without it.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const origin = new URL(script.src).origin;
  const start = `${origin}/embed/tracking/`;

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

  /** @param {HTMLIFrameElement} frame */
  function setUp(frame) {
    frame.title ||= "Wallets";
    frame.referrerPolicy ||= "strict-origin";
    frame.style.border ||= "0";
    frame.style.width ||= "100%";
    /**
     * @param {string} kind
     * @param {string | null} [theme]
     */
    const send = (kind, theme) => {
      // Before it loads, a frame contains an empty document of the host's origin; we send to it
      // again when it has loaded.
      if (frame.contentDocument?.URL === "about:blank") return;
      frame.contentWindow?.postMessage({ kind, theme }, origin);
    };
    const isFixed = new URL(frame.src).searchParams.has("theme");
    const passTheme = () => {
      const theme = isFixed
        ? new URL(frame.src).searchParams.get("theme") ?? "auto"
        : readTheme(frame);
      // A frame whose color scheme differs from its document's gets an opaque background.
      frame.style.colorScheme = theme === "auto" ? "light dark" : theme;
      if (!isFixed) send("embed:theme", theme);
    };
    addEventListener("message", ({ source, origin: from, data }) => {
      if (from !== origin || source !== frame.contentWindow || data?.kind !== "embed:height") return;
      if (data.height > 0 && data.height < 20000) frame.style.height = `${data.height}px`;
    });
    frame.addEventListener("load", () => { send("embed:hello"); passTheme(); });
    new MutationObserver(passTheme).observe(document.documentElement, {
      attributeFilter: ["class", "data-theme", "style"],
    });
    send("embed:hello");
    passTheme();
  }

  function setUpAll() {
    document.querySelectorAll("iframe").forEach((frame) => {
      if (frame.src.startsWith(start)) setUp(frame);
    });
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", setUpAll);
  else setUpAll();
})();
