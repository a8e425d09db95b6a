// A row's change over a day and a week, and its line.

import { getElement } from "../elements.js";
import { formatDuration, language } from "./words.js";

/** @import { WalletChange } from "./api.js" */

const SVG = "http://www.w3.org/2000/svg";
const VIEW_BOX = "0 0 120 32"; // as in embed/web/sparkline.py
const DAY_SECONDS = 86_400;

const exactly = new Intl.NumberFormat(language, {
  maximumFractionDigits: 20,
  signDisplay: "exceptZero",
  useGrouping: "always",
});
// At most four digits, and six decimals as a balance has.
const shortly = new Intl.NumberFormat(language, {
  maximumFractionDigits: 6,
  maximumSignificantDigits: 4,
  notation: "compact",
  roundingPriority: "lessPrecision",
  signDisplay: "exceptZero",
});

/** @param {string} amount */
const asNumber = (amount) => /** @type {Intl.StringNumericLiteral} */ (amount);

/**
 * Show a change in a row of the list, in place of an earlier one.
 * @param {HTMLElement} row
 * @param {WalletChange | undefined} change
 */
export function showChange(row, change) {
  row.querySelector(".change")?.remove();
  if (!change) return;
  const place = document.createElement("span");
  place.className = "change";
  place.append(makeLine(change));
  if (change.changeDay !== null) place.append(makeDelta("hour", 24, DAY_SECONDS, change.changeDay));
  if (change.changeWeek !== null) place.append(makeDelta("day", 7, 7 * DAY_SECONDS, change.changeWeek));
  getElement(row, ".address", HTMLElement).after(place);
}

/**
 * @param {string} unit
 * @param {number} count of the unit
 * @param {number} seconds the same
 * @param {string} amount
 */
function makeDelta(unit, count, seconds, amount) {
  const delta = document.createElement("span");
  const number = document.createElement("bdi");
  const span = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "narrow" });
  delta.className = amount.startsWith("-") ? "delta down" : amount === "0" ? "delta" : "delta up";
  delta.title = describe(seconds, amount);
  number.textContent = shortly.format(asNumber(amount));
  delta.append(span.format(count), " ", number);
  return delta;
}

/** @param {WalletChange} change */
function makeLine({ lineSeconds, changeLine, linePath }) {
  const svg = document.createElementNS(SVG, "svg");
  const title = document.createElementNS(SVG, "title");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("class", "line");
  svg.setAttribute("role", "img");
  svg.setAttribute("viewBox", VIEW_BOX);
  title.textContent = describe(lineSeconds, changeLine);
  path.setAttribute("d", linePath);
  svg.append(title, path);
  return svg;
}

/**
 * @param {number} seconds
 * @param {string} amount
 */
const describe = (seconds, amount) => `${formatDuration(seconds)}: ${exactly.format(asNumber(amount))}`;
