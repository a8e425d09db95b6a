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
  const root = document.documentElement;
  const mark = Symbol.for(`tracking-embed ${origin}`);
  if (mark in root) return; // several tags run this, and some sites run it again for each page, in one document
  Object.assign(root, { [mark]: true });
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
  const frames = document.getElementsByTagName("iframe"); // a live collection, without those in shadow roots
  /** @type {Set<HTMLIFrameElement>} */
  const shadowed = new Set(); // in open shadow roots
  /** @type {WeakSet<Window>} */
  const unreachable = new WeakSet();
  let hasWarned = false;
  /** @type {WeakMap<HTMLIFrameElement, string>} */
  const addresses = new WeakMap(); // of frames that are set up
  /** @type {WeakMap<HTMLIFrameElement, { look: PropertyIndexedKeyframes, animation: Animation }>} */
  const dressed = new WeakMap();

  /**
   * Return a root, and the open shadow roots in it.
   * @param {Document | ShadowRoot} one
   * @returns {(Document | ShadowRoot)[]}
   */
  const listRoots = (one) => [one, ...[...one.querySelectorAll("*")].flatMap(
    ({ shadowRoot }) => (shadowRoot ? listRoots(shadowRoot) : []),
  )];

  /**
   * @template {"iframe" | "script"} Name
   * @param {Name} name
   */
  const findAll = (name) => listRoots(document).flatMap((one) => [...one.querySelectorAll(name)]);

  const script = tag || findAll("script").find(({ src }) => src && address.startsWith(src));

  /**
   * Return the frame whose window sent a message. Nothing tells of those that come into a shadow root.
   * @param {Window} source
   */
  function findFrame(source) {
    /** @param {HTMLIFrameElement} frame */
    const isSource = (frame) => frame.contentWindow === source;
    const known = [...frames, ...shadowed].find(isSource);
    if (known || unreachable.has(source)) return known;
    const found = findAll("iframe").find(isSource);
    if (found) setUpNew([found]);
    else if (source.parent === window && source !== window && !source.closed) {
      unreachable.add(source);
      if (!hasWarned) console.warn(`embed.js does nothing for a frame of ${origin} that isn't an iframe or is in a closed shadow root.`);
      hasWarned = true;
    }
    return found;
  }

  /** @param {HTMLIFrameElement} frame */
  const isOurs = (frame) => starts.some((one) => frame.src.startsWith(one));

  /**
   * Return what an element is drawn in, also where shadow roots are in between.
   * @param {Element} one
   * @returns {Element | undefined}
   */
  const findAround = (one) =>
    one.assignedSlot ?? one.parentElement ?? /** @type {Partial<ShadowRoot>} */ (one.getRootNode()).host;

  /** @param {HTMLIFrameElement} frame */
  function readGround(frame) {
    for (let one = findAround(frame); one; one = findAround(one)) {
      const color = getComputedStyle(one).backgroundColor;
      if (color.startsWith("rgb(")) return color;
    }
    return "";
  }

  /** @param {HTMLIFrameElement} frame */
  function readTheme(frame) {
    const asked = new URL(frame.src).searchParams.get("theme");
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
    const named = [script, frame];
    return !script?.integrity && !named.some((one) => one?.dataset.lendWallets === "off");
  }

  /**
   * @param {HTMLIFrameElement} frame
   * @param {{ kind: string, theme?: string, ground?: string, lends?: boolean }} message nothing secret, since it's
   *   sent to any origin: browsers log an error if a frame isn't loaded, was refused or is in a sandbox
   */
  const send = (frame, message) => frame.contentWindow?.postMessage(message, "*");

  /**
   * Style a frame by an animation, not by attributes: React compares those when it takes over a page, some
   * frameworks put them back, and `style-src` can forbid them.
   * @param {HTMLIFrameElement} frame
   * @param {PropertyIndexedKeyframes} change
   */
  function dress(frame, change) {
    const before = dressed.get(frame);
    const look = { ...before?.look, ...change };
    dressed.set(frame, { look, animation: frame.animate(look, { fill: "forwards" }) });
    before?.animation.cancel();
  }

  /**
   * Remove the border and the width that browsers give a frame, but none that the site gave it.
   * @param {HTMLIFrameElement} frame
   */
  function dressPlain(frame) {
    const style = getComputedStyle(frame);
    // Firefox doesn't tell apart 300px and the width of a frame that has none.
    const width = frame.computedStyleMap?.().get("width") ?? (frame.width ? "" : style.width);
    const isPlain = typeof width === "string" ? width === "300px" : String(width) === "auto";
    dress(frame, { ...(style.borderTopStyle === "inset" && { border: "0" }), ...(isPlain && { width: "100%" }) });
  }

  /** @param {HTMLIFrameElement} frame */
  function passTheme(frame) {
    const theme = readTheme(frame);
    // A frame whose color scheme differs from its document's gets an opaque background.
    const colorScheme = theme === "auto" ? "light dark" : theme;
    dress(frame, { colorScheme });
    if (getComputedStyle(frame).colorScheme !== colorScheme) frame.style.colorScheme = colorScheme; // not animated here
    send(frame, { kind: "embed:theme", theme, ground: readGround(frame) });
  }

  /** @param {HTMLIFrameElement} frame */
  function greet(frame) {
    passTheme(frame); // first, since the theme also decides how high the frame is
    send(frame, { kind: "embed:hello", lends: isLending(frame) });
  }

  /** @param {Event} event */
  function greetLoaded({ target }) {
    if (!(target instanceof HTMLIFrameElement)) return;
    setUpNew([target]);
    if (isOurs(target)) greet(target);
  }

  /** @param {HTMLIFrameElement} frame */
  function setUp(frame) {
    addresses.set(frame, frame.src);
    dressPlain(frame);
    greet(frame);
    checkSites(frame);
  }

  /** @param {Iterable<HTMLIFrameElement>} all */
  function setUpNew(all) {
    for (const frame of all) {
      if (frame.getRootNode() !== document) {
        shadowed.add(frame);
        frame.addEventListener("load", greetLoaded); // it doesn't leave the shadow root
      }
      if (addresses.get(frame) === frame.src) continue;
      if (isOurs(frame)) setUp(frame);
      else leave(frame);
    }
  }

  /** @param {HTMLIFrameElement} frame that isn't ours, or not any more */
  function leave(frame) {
    dressed.get(frame)?.animation.cancel();
    dressed.delete(frame);
    addresses.delete(frame);
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
    const { source, data } = /** @type {MessageEvent & { source: Window | null }} */ (event);
    if (event.origin !== origin || !source || !String(data?.kind).startsWith("embed:")) return;
    const frame = findFrame(source);
    if (!frame || !isOurs(frame)) return;
    if (data.kind === "embed:height" && data.height > 0) dress(frame, { height: `${data.height}px` });
    if (data.kind === "embed:prepare" && isLending(frame)) prepare(data.modules);
    const detail = EVENTS.get(data.kind)?.(data, frame);
    if (detail) frame.dispatchEvent(new CustomEvent(`tracking-${data.kind}`, { bubbles: true, composed: true, detail }));
    if (LENDING.includes(data.kind) && isLending(frame)) lend(event);
  });
  // `load` doesn't bubble, but it can be captured on its way to the frame.
  document.addEventListener("load", greetLoaded, true);
  new MutationObserver(() => setUpNew(frames)).observe(document, {
    attributeFilter: ["src"], childList: true, subtree: true,
  });
  new MutationObserver(() => {
    for (const frame of shadowed) if (!frame.isConnected) shadowed.delete(frame);
    [...frames, ...shadowed].filter(isOurs).forEach(passTheme);
  }).observe(root, { attributeFilter: ["class", "data-theme", "style"] });
  setUpNew(findAll("iframe"));
})();
