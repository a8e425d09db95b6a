// Text in the reader's language: the page's sentences, numbers and times. Also copies text.

import { AMOUNTS, now } from "./api.js";

/** @import { Problem } from "./api.js" */

/** @type {Record<string, string>} */
const words = JSON.parse(document.getElementById("words")?.textContent ?? "");
export const language = document.documentElement.lang;

const numbers = new Intl.NumberFormat(language, {
  maximumFractionDigits: 6,
  roundingMode: "halfEven",
  useGrouping: "always",
});

/**
 * Add the sentences of a document that was loaded later.
 * @param {Document} part
 * @param {string} [id] the id of the element that has them
 */
export function addWords(part, id = "words") {
  Object.assign(words, JSON.parse(part.getElementById(id)?.textContent ?? "{}"));
}

/**
 * Return the sentence with the key `name`, with each {placeholder} filled in from `values`.
 * @param {string} name
 * @param {Record<string, unknown>} [values]
 */
export function say(name, values = {}) {
  const sentence = words[name] ?? words.server;
  return sentence.replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

/**
 * Return a number or an exact amount (api.js) in the reader's language.
 * @param {number | string} amount
 */
export const formatAmount = (amount) => numbers.format(/** @type {Intl.StringNumericLiteral} */ (amount));

/** @type {[unit: string, seconds: number][]} */
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/**
 * Return a duration in words, in its largest one or two units: "1 hour, 5 minutes".
 * @param {number} seconds
 */
export function formatDuration(seconds) {
  if (seconds <= 0) return say("now");
  const parts = [];
  let left = Math.ceil(seconds);
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    if (count > 0) {
      parts.push(new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count));
      left -= count * size;
    }
    if (parts.length === 2 || (parts.length && count === 0)) break;
  }
  return new Intl.ListFormat(language, { style: "narrow", type: "unit" }).format(parts);
}

const instants = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });

/**
 * Return a time in the reader's language and time zone.
 * @param {string} iso
 */
export function formatInstant(iso) {
  const instant = new Date(iso);
  return Number.isNaN(instant.getTime()) ? iso : instants.format(instant);
}

const ages = new Intl.RelativeTimeFormat(language);

/**
 * Return how long ago a time was, in its largest unit: "5 minutes ago".
 * @param {string} iso
 */
export function formatAge(iso) {
  const seconds = Math.max(0, (now() - Date.parse(iso)) / 1000);
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["second", 1];
  return ages.format(-Math.round(seconds / size), /** @type {Intl.RelativeTimeFormatUnit} */ (unit));
}

/**
 * Isolate a text, so it keeps its direction inside a sentence, like <bdi> (Unicode UAX 9: FSI, PDI).
 * @param {string} text
 */
export const isolate = (text) => `\u2068${text}\u2069`;

/**
 * Return the sentence for a refusal, with the remaining time.
 * @param {Problem} problem
 */
export function explain(problem) {
  const details = Object.fromEntries(
    Object.entries(problem.details).map(([key, value]) =>
      [key, AMOUNTS.has(key) ? formatAmount(String(value)) : isolate(String(value))]),
  );
  const left = problem.retryAt ? (problem.retryAt - Date.now()) / 1000 : 0;
  return say(problem.code, { ...details, time: formatDuration(left) });
}

// Copying text to the clipboard.

/**
 * Copy text, and confirm it on the button.
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copyText(text, button) {
  if (!copyBySelection(text)) await navigator.clipboard.writeText(text);
  button.focus();
  const words = button.querySelector("span") ?? button; // next to the icon, if there is one
  const label = (button.dataset.label ??= words.textContent ?? "");
  words.textContent = say("copied");
  setTimeout(() => (words.textContent = label), 2000);
}

/**
 * Copy with the deprecated execCommand, the only way allowed in a cross-site frame.
 * @param {string} text
 */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.className = "hidden-visually";
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}
