// Token amounts as exact decimal text: a JavaScript number cannot hold all their digits.

const AMOUNT_KEYS = new Set(["amount", "tokenBalance", "balance", "minBalance"]);
const CHANGE_KEYS = new Set(["changeDay", "changeWeek", "changeLine"]); // may be negative
const NUMBER = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/**
 * Whether a field of the API's responses is an amount.
 * @param {string} key
 */
export const isAmountKey = (key) => AMOUNT_KEYS.has(key);

/**
 * Parse a response of the API, with its amounts as exact text. Browsers that do not provide a
 * number's source text (before Chrome 114, Firefox 135, Safari 18.4) round the amount to a number.
 * @param {string} text
 */
export function parseResponse(text) {
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const revive = (key, value, context) => {
    if (typeof value !== "number") return value;
    if (isAmountKey(key)) return normalizeAmount(context?.source ?? String(value));
    return CHANGE_KEYS.has(key) ? normalizeChange(context?.source ?? String(value)) : value;
  };
  return JSON.parse(text, revive);
}

/**
 * Return an amount in normal form: no exponent, no trailing zeros.
 * @param {string} text a number of 0 or more, as JSON or Python writes it
 */
export function normalizeAmount(text) {
  const parts = NUMBER.exec(text);
  if (!parts) throw new TypeError(`${text} is no amount.`);
  const [, whole, fraction = "", exponent = "0"] = parts;
  const shift = Number(exponent);
  const digits = "0".repeat(Math.max(0, -shift)) + whole + fraction.padEnd(shift, "0");
  const point = Math.max(whole.length, whole.length + shift);
  const left = digits.slice(0, point).replace(/^0+/, "") || "0";
  const right = digits.slice(point).replace(/0+$/, "");
  return right ? `${left}.${right}` : left;
}

/**
 * Return the difference of two amounts in normal form, with a minus sign if it is below 0.
 * @param {string} text
 */
const normalizeChange = (text) =>
  text.startsWith("-") ? `-${normalizeAmount(text.slice(1))}` : normalizeAmount(text);

/**
 * Compare two normalised amounts, for sorting from the smallest.
 * @param {string} one
 * @param {string} other
 */
export function compareAmounts(one, other) {
  const [whole, fraction = ""] = one.split(".");
  const [otherWhole, otherFraction = ""] = other.split(".");
  return whole.length - otherWhole.length ||
    compareText(whole, otherWhole) ||
    compareText(fraction, otherFraction);
}

/**
 * @param {string} one
 * @param {string} other
 */
const compareText = (one, other) => (one < other ? -1 : Number(one > other));
