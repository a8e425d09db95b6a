// Optional script for the iframe snippet: adapts the frame's height to its content and its theme to the
// page, lends it the page's wallets, many of which don't appear in frames, and dispatches events on it.
// Frames may come and go, and also work without it.
(() => {
  if (typeof document === "undefined") return; // bundled with code that runs on a server
  const written = ""; // its own origin, inserted here by a service with PUBLIC_URL
  const tag = document.currentScript instanceof HTMLScriptElement && document.currentScript;
  // A module has no currentScript; the first address in an error's stack is the script's.
  const address = tag ? tag.src : /https?:[^\s)]+/.exec(new Error().stack ?? "")?.[0] ?? "";
  // A copy has a different address, or none.
  const [own] = /^https?:\/\/[^/]+\/embed\.js(?=[?#:]|$)/.exec(address) ?? [];
  const origin = written || (own ? new URL(own).origin : "");
  const starts = [`${origin}/embed/tracking/`, `${origin}/embed/page/`];
  const LENDING = ["embed:wallets", "embed:watch", "embed:connect", "embed:sign"];
  // The detail of each event, by its message; the rest of a message isn't passed on.
  const EVENTS = new Map(/** @type {[unknown, (data: any, frame: HTMLIFrameElement) => object | false][]} */ ([
    ["embed:ready", ({ wallets }, { clientHeight: height }) => Number.isInteger(wallets) && { height, wallets }],
    ["embed:submitted", ({ status }) => ["pending", "auto_approved"].includes(status) && { status }],
    ["embed:listed", () => ({})],
  ]));
  const LIST = /^(https?:\/\/[^/]+)\/embed\/(?:tracking|page)\//;
  const DARK = /^rgb\(\d?\d, \d?\d, \d?\d\)$/; // all parts are under 100
  const frames = document.getElementsByTagName("iframe"); // a live collection
  /** @type {WeakMap<HTMLIFrameElement, string>} */
  const addresses = new WeakMap(); // of frames that are set up

  /** @param {HTMLIFrameElement} frame */
  const isOurs = (frame) => starts.some((one) => frame.src.startsWith(one));

  /** @param {HTMLIFrameElement} frame */
  function readGround(frame) {
    for (let one = frame.parentElement; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if (color.startsWith("rgb(")) return color;
    }
    return "";
  }

  /** @param {HTMLIFrameElement} frame */
  function readTheme(frame) {
    const asked = new URL(frame.src).searchParams.get("theme");
    const root = document.documentElement;
    if (asked === "auto") return "auto"; // the device's theme
    const words = [asked, frame.dataset.theme, root.dataset.theme, ...root.classList];
    const theme = words.find((word) => word === "dark" || word === "light");
    if (theme) return theme;
    const scheme = getComputedStyle(root).colorScheme;
    if (scheme.includes("dark") && scheme.includes("light")) return "auto";
    if (scheme !== "normal") return scheme.includes("dark") ? "dark" : "light";
    return DARK.test(readGround(frame)) ? "dark" : "light";
  }

  /**
   * Return whether wallets are lent to it: not if the page's owner turned that off, or pinned this file with
   * `integrity`, since lending loads another file.
   * @param {HTMLIFrameElement} frame
   */
  function isLending(frame) {
    const script = tag || [...document.scripts].find(({ src }) => src && address.startsWith(src));
    const named = [script, frame];
    return !script?.integrity && !named.some((one) => one?.dataset.lendWallets === "off");
  }

  /**
   * @param {HTMLIFrameElement} frame
   * @param {{ kind: string, theme?: string, ground?: string, lends?: boolean }} message
   */
  function send(frame, message) {
    // Before it loads, a frame has an empty document with the host's origin; we send again later.
    if (frame.contentDocument?.URL === "about:blank") return;
    frame.contentWindow?.postMessage(message, origin);
  }

  /** @param {HTMLIFrameElement} frame */
  function passTheme(frame) {
    const theme = readTheme(frame);
    // A frame whose color scheme differs from its document's gets an opaque background.
    frame.style.colorScheme = theme === "auto" ? "light dark" : theme;
    send(frame, { kind: "embed:theme", theme, ground: readGround(frame) });
  }

  /** @param {HTMLIFrameElement} frame */
  function greet(frame) {
    passTheme(frame); // first, since the theme also decides how high the frame is
    send(frame, { kind: "embed:hello", lends: isLending(frame) });
  }

  /** @param {HTMLIFrameElement} frame */
  function setUp(frame) {
    addresses.set(frame, frame.src);
    frame.title ||= "Wallets";
    frame.referrerPolicy ||= "strict-origin";
    frame.style.border ||= "0";
    frame.style.width ||= "100%";
    greet(frame);
    checkSites(frame);
  }

  function setUpNew() {
    for (const frame of frames) {
      if (addresses.get(frame) === frame.src) continue;
      if (isOurs(frame)) setUp(frame);
      else warnOfCopy(frame);
    }
  }

  /** @param {HTMLIFrameElement} frame */
  function warnOfCopy(frame) {
    const service = LIST.exec(frame.src)?.[1];
    if (!service) return;
    addresses.set(frame, frame.src);
    const from = origin ? ` of ${origin}` : ", as a copy,";
    console.warn(`embed.js${from} does nothing for the frame of ${service}: load ${service}/embed.js.`);
  }

  /**
   * If this page is in a frame itself, ask which of the sites around it the key doesn't list, since browsers
   * then refuse the frame silently.
   * @param {HTMLIFrameElement} frame
   */
  async function checkSites({ src }) {
    const around = [...(location.ancestorOrigins ?? [])];
    if (!around.length || !src.startsWith(starts[0])) return;
    const url = new URL(src);
    url.pathname += "/sites";
    for (const site of new Set([location.origin, ...around])) url.searchParams.append("site", site);
    const answer = await fetch(url, { credentials: "omit" }).then((one) => one.json()).catch(() => null);
    const sites = answer?.refused?.join(", ");
    if (sites) console.warn(`Browsers show nothing in the frame of ${origin} until its key names ${sites}: every site around it.`);
  }

  /** @param {MessageEvent} event */
  async function lend(event) {
    // Any version in the address gets the current one. If the page's own policy doesn't allow loading it,
    // the frame works without these wallets.
    const module = await import(`${origin}/static/latest/host/lend.js`).catch(() => null);
    module?.lend(event);
  }

  /**
   * Load the modules that lending needs in parallel, without running them yet.
   * @param {string[]} modules
   */
  function prepare(modules) {
    for (const name of modules) {
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = `${origin}/static/latest/${name}`;
      document.head.append(link);
    }
  }

  addEventListener("message", (event) => {
    if (event.origin !== origin) return;
    const { source, data } = event;
    const frame = [...frames].find((one) => one.contentWindow === source);
    if (!frame || !isOurs(frame)) return;
    if (data?.kind === "embed:height" && data.height > 0) frame.style.height = `${data.height}px`;
    if (data?.kind === "embed:prepare" && isLending(frame)) prepare(data.modules);
    const detail = EVENTS.get(data?.kind)?.(data, frame);
    if (detail) {
      event.stopImmediatePropagation(); // a second tag of this script would dispatch it again
      frame.dispatchEvent(new CustomEvent(`tracking-${data.kind}`, { bubbles: true, detail }));
    }
    if (LENDING.includes(data?.kind)) {
      event.stopImmediatePropagation(); // a second tag of this script must not also answer
      if (isLending(frame)) lend(event);
    }
  });
  // `load` doesn't bubble, but it can be captured on its way to the frame.
  document.addEventListener("load", ({ target }) => {
    if (target instanceof HTMLIFrameElement && isOurs(target)) greet(target);
  }, true);
  new MutationObserver(setUpNew).observe(document, {
    attributeFilter: ["src"], childList: true, subtree: true,
  });
  new MutationObserver(() => [...frames].filter(isOurs).forEach(passTheme)).observe(
    document.documentElement, { attributeFilter: ["class", "data-theme", "style"] },
  );
  setUpNew();
})();
