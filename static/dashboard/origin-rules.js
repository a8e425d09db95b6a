// The rules for a key's sites, the same as on the server (embed/domain/origins.py), which decides.
// tests/support/origin_cases.json checks that both agree.
//
// The browser's URL parser is used only for hosts, since it accepts origins that the server refuses.

/**
 * `meant` is what the entry must mean, if that's certain: a site without its scheme, or an IP address in a
 * form that browsers don't send.
 * @typedef {"wildcard" | "null" | "no_scheme" | "no_site" | "ipv4" | "not_an_origin"} Refusal
 * @typedef {{ origin: string, hasPath: boolean, refused?: undefined, meant?: undefined }} Accepted
 * @typedef {{ refused: Refusal, meant?: string, origin?: undefined }} Refused
 */

// White space as Python defines it; trim() and \s differ at both ends of the table.
const WHITE_SPACE = "\\p{White_Space}\\x1c-\\x1f";
const AROUND = new RegExp(`^[${WHITE_SPACE}]+|[${WHITE_SPACE}]+$`, "gu");
const FORBIDDEN = new RegExp(`[${WHITE_SPACE}\\\\\\x00-\\x1f\\x7f]`, "u");

const PARTS =
  /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^@%*:[\]/?#]+)(?::([0-9]*))?(?:[/?#](.*))?$/is;
// A name with a dot, or this machine; nothing that begins with slashes or a port.
const SITE_WITHOUT_SCHEME = /^[^/:.*]+\.[^*]+$/s;
const OWN_MACHINE = /^(?:localhost|127\.0\.0\.1)(?![^:/?#])/i;
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const ENDS_IN_NUMBER = /^(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?$/; // such hosts are IPv4 addresses
const UNASSIGNED = /\p{Cn}/u;
const MAX_NAME_LENGTH = 253;
/** @type {Record<string, number>} */
const DEFAULT_PORTS = { http: 80, https: 443 };
const SCHEMES_WITHOUT_SITES = ["about", "blob", "data", "file", "ftp", "javascript", "ws", "wss"];

/**
 * Return how an allowlist entry is stored, or why it's refused.
 * @param {string} raw
 * @returns {Accepted | Refused}
 */
export function describeOrigin(raw) {
  const entry = raw.replace(AROUND, "");
  if (entry.includes("*")) return { refused: "wildcard" };
  if (entry.toLowerCase() === "null") return { refused: "null" };
  if (!entry.includes("://")) return { refused: "no_scheme", meant: findMeant(entry) };
  if (SCHEMES_WITHOUT_SITES.includes(entry.split(":")[0].toLowerCase())) return { refused: "no_site" };
  const parts = FORBIDDEN.test(entry) ? null : PARTS.exec(entry);
  if (!parts) return { refused: "not_an_origin" };
  const scheme = parts[1].toLowerCase();
  const { host, isTyped } = describeHost(parts[2]);
  const port = parts[3] ? Number(parts[3]) : null;
  if (!host || port === 0 || (port && port > 65535)) return { refused: "not_an_origin" };
  const shown = port === null || port === DEFAULT_PORTS[scheme] ? "" : `:${port}`;
  const origin = `${scheme}://${host}${shown}`;
  return isTyped ? { origin, hasPath: Boolean(parts[4]) } : { refused: "ipv4", meant: origin };
}

/**
 * Return the origin that an entry without a scheme must mean.
 * @param {string} entry
 */
function findMeant(entry) {
  if (OWN_MACHINE.test(entry)) return describeOrigin(`http://${entry}`).origin;
  return SITE_WITHOUT_SCHEME.test(entry) ? describeOrigin(`https://${entry}`).origin : undefined;
}

/**
 * Return a host in the form that browsers send, or null; `isTyped` is false if it was another form of IPv4.
 * @param {string} typed
 */
function describeHost(typed) {
  if (typed.startsWith("[")) return { host: typed.includes(":") ? spell(typed) : null, isTyped: true };
  const name = encodeName(typed);
  if (ENDS_IN_NUMBER.test(name)) {
    const host = spell(name);
    return { host, isTyped: host === name };
  }
  return { host: name.length <= MAX_NAME_LENGTH && NAME.test(name) ? name : null, isTyped: true };
}

/**
 * Return a name in lower case and punycode, or an empty text if it's invalid.
 * @param {string} typed
 */
function encodeName(typed) {
  if (/^[\0-\x7f]*$/.test(typed)) return typed.toLowerCase();
  // The URL parser would decode text after a full-width or other percent sign.
  if (UNASSIGNED.test(typed) || typed.normalize("NFKC").includes("%")) return "";
  // The ending keeps the parser from reading the name as an IPv4 address.
  const ending = ".example";
  return (spell(typed + ending) ?? "").slice(0, -ending.length);
}

/**
 * Return a host as the browser's URL parser writes it, or null.
 * @param {string} host
 */
function spell(host) {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}
