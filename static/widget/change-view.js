// A row's change over a day, and its line of 30 days.

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
const shortly = new Intl.NumberFormat(language, {
  maximumFractionDigits: 2,
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
  for (const earlier of row.querySelectorAll(".change, .line")) earlier.remove();
  if (!change) return;
  const place = document.createElement("span");
  place.className = "change";
  if (change.changeDay !== null) place.append(makeDelta(change.changeDay));
  getElement(row, ".balance", HTMLElement).before(place, makeLine(change));
}

/** @param {string} amount */
function makeDelta(amount) {
  const number = document.createElement("bdi");
  number.className = amount.startsWith("-") ? "down" : amount === "0" ? "" : "up";
  number.title = describe(DAY_SECONDS, amount);
  number.textContent = shortly.format(asNumber(amount));
  return number;
}

/** @param {WalletChange} change */
function makeLine({ lineSeconds, changeLine, linePath }) {
  const svg = document.createElementNS(SVG, "svg");
  const title = document.createElementNS(SVG, "title");
  svg.setAttribute("class", "line");
  svg.setAttribute("role", "img");
  svg.setAttribute("viewBox", VIEW_BOX);
  title.textContent = describe(lineSeconds, changeLine);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.append(title, makePath(`${linePath}V32H${linePath.slice(1).split(" ", 1)}z`), makePath(linePath));
  return svg;
}

/** @param {string} data */
function makePath(data) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", data);
  return path;
}

/**
 * @param {number} seconds
 * @param {string} amount
 */
const describe = (seconds, amount) => `${formatDuration(seconds)}: ${exactly.format(asNumber(amount))}`;
