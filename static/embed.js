// Optional companion of the iframe snippet: keeps the frame as tall as its content and in the
// host page's theme. Put it anywhere on the page; the frame works without it too.
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const origin = new URL(script.src).origin;
  const start = `${origin}/embed/tracking/`;

  /** @param {HTMLIFrameElement} frame */
  function readTheme(frame) {
    const root = document.documentElement;
    const said = [frame.dataset.theme, root.dataset.theme, ...root.classList].find((word) =>
      word === "dark" || word === "light");
    if (said) return said;
    const scheme = getComputedStyle(root).colorScheme;
    if (scheme.includes("dark") && scheme.includes("light")) return "auto";
    return scheme.includes("dark") ? "dark" : "light";
  }

  /** @param {HTMLIFrameElement} frame */
  function adopt(frame) {
    frame.title ||= "Wallets";
    frame.referrerPolicy ||= "strict-origin";
    frame.style.border ||= "0";
    frame.style.width ||= "100%";
    /**
     * @param {string} kind
     * @param {string | null} [theme]
     */
    const tell = (kind, theme) => {
      // Before it loads, a frame holds an empty page of the host's own; it hears us at its load.
      if (frame.contentDocument?.URL === "about:blank") return;
      frame.contentWindow?.postMessage({ kind, theme }, origin);
    };
    const isFixed = new URL(frame.src).searchParams.has("theme");
    const passTheme = () => {
      const theme = isFixed
        ? new URL(frame.src).searchParams.get("theme") ?? "auto"
        : readTheme(frame);
      // A frame whose scheme differs from its document's is painted with a solid backdrop.
      frame.style.colorScheme = theme === "auto" ? "light dark" : theme;
      if (!isFixed) tell("embed:theme", theme);
    };
    addEventListener("message", ({ source, origin: from, data }) => {
      if (from !== origin || source !== frame.contentWindow || data?.kind !== "embed:height") return;
      if (data.height > 0 && data.height < 20000) frame.style.height = `${data.height}px`;
    });
    frame.addEventListener("load", () => { tell("embed:hello"); passTheme(); });
    new MutationObserver(passTheme).observe(document.documentElement, {
      attributeFilter: ["class", "data-theme", "style"],
    });
    tell("embed:hello");
    passTheme();
  }

  function adoptAll() {
    document.querySelectorAll("iframe").forEach((frame) => {
      if (frame.src.startsWith(start)) adopt(frame);
    });
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", adoptAll);
  else adoptAll();
})();
