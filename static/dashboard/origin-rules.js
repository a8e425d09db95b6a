// The rules for the sites of a key, as on the server (embed/domain/origins.py), which decides.
// tests/origin_cases.json checks that both give the same answers.
//
// The browser's URL parser is used for IDN and IPv6 only: it accepts origins that the server refuses.

/**
 * @typedef {"wildcard" | "null" | "no_scheme" | "not_an_origin"} Refusal
 * @typedef {{ origin: string, hasPath: boolean, refused?: undefined }} Accepted
 * @typedef {{ refused: Refusal, origin?: undefined }} Refused
 */

// White space as Python defines it; trim() and \s differ at both ends of the table.
const WHITE_SPACE = "[\\p{White_Space}\\x1c-\\x1f]";
const AROUND = new RegExp(`^${WHITE_SPACE}+|${WHITE_SPACE}+$`, "gv");
const FORBIDDEN = new RegExp(`[${WHITE_SPACE}\\\\\\x00-\\x1f\\x7f]`, "v");

const PARTS =
  /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[^@%*:[\]/?#]+)(?::([0-9]*))?(?:[/?#](.*))?$/is;
const HOST = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const MAX_HOST_LENGTH = 253;
/** @type {Record<string, number>} */
const DEFAULT_PORTS = { http: 80, https: 443 };

/**
 * Return how an entry of an allowlist is stored, or why it is refused.
 * @param {string} raw
 * @returns {Accepted | Refused}
 */
export function describeOrigin(raw) {
  const entry = raw.replace(AROUND, "");
  if (entry.includes("*")) return { refused: "wildcard" };
  if (entry.toLowerCase() === "null") return { refused: "null" };
  if (!entry.includes("://")) return { refused: "no_scheme" };
  const parts = FORBIDDEN.test(entry) ? null : PARTS.exec(entry);
  if (!parts) return { refused: "not_an_origin" };
  const scheme = parts[1].toLowerCase();
  const host = normalizeHost(parts[2].toLowerCase());
  const port = parts[3] ? Number(parts[3]) : null;
  if (!host || port === 0 || (port && port > 65535)) return { refused: "not_an_origin" };
  const shown = port === null || port === DEFAULT_PORTS[scheme] ? "" : `:${port}`;
  return { origin: `${scheme}://${host}${shown}`, hasPath: Boolean(parts[4]) };
}

/**
 * Return a host in the form that browsers send, or null.
 * @param {string} host
 */
function normalizeHost(host) {
  if (host.startsWith("[")) return host.includes(":") ? spell(host) : null;
  const name = /^[\0-\x7f]*$/.test(host) ? host : encodeName(host);
  return name && name.length <= MAX_HOST_LENGTH && HOST.test(name) ? name : null;
}

/**
 * Return an international name as punycode, or null if IDNA 2008 does not allow it.
 * @param {string} name
 */
function encodeName(name) {
  // One label at a time: the URL parser could take a whole name for an IPv4 address.
  const labels = name.split(/[.\u3002\uff0e\uff61]/).map((label) =>
    isLabel(label) ? spell(`${label}.example`)?.replace(/\.example$/, "") : null);
  return labels.every(Boolean) ? labels.join(".") : null;
}

const IGNORED = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d]]/gv;
// Two dots are allowed in context: between two l in Catalan, and beside Japanese letters.
const JAPANESE = "[\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]";
// Joiners are left to the URL parser, which checks their context.
const LABEL = new RegExp(
  `^(?!-|\\p{M})(?=[^\\u30fb]*$|.*${JAPANESE})` +
    "(?:[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}\\p{Nd}\\-\\u200c\\u200d\\u30fb]|(?<=l)\\u00b7(?=l))+(?<!-)$", "v");

/**
 * Whether a label has only the letters and digits of IDNA 2008; browsers also allow symbols.
 * @param {string} label
 */
function isLabel(label) {
  const mapped = label.replace(IGNORED, "").normalize("NFKC").toLowerCase().normalize("NFKC");
  return LABEL.test(mapped) && (mapped.slice(2, 4) !== "--" || mapped.startsWith("xn--"));
}

/**
 * Return a host as the browser's URL parser writes it, or null.
 * @param {string} host
 */
function spell(host) {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : null;
}
