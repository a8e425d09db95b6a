// The visitor's own receipts, saved as files. Loaded once a visitor wants one: only the visitor's own
// session may read a receipt before its wallet is on the list.

import { Problem } from "./api.js";
import { explain, formatInstant, say } from "./words.js";

/** @import { Api } from "./api.js" */

/**
 * Save the receipt to which `link` leads; return why that was impossible, or null.
 * @param {HTMLAnchorElement} link
 * @param {Api} api
 * @returns {Promise<string | null>}
 */
export async function saveReceipt(link, api) {
  const { receipt: submissionId = "" } = link.dataset;
  try {
    const receipt = await api.readReceipt(submissionId);
    const file = new Blob([JSON.stringify(receipt, null, 2), "\n"], { type: "application/json" });
    saveFile(file, `receipt-${submissionId}.json`);
    return null;
  } catch (error) {
    return explainFailure(error);
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function saveFile(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it
}

/**
 * Return why a receipt cannot be read.
 * @param {unknown} error
 */
function explainFailure(error) {
  const problem = error instanceof Problem ? error : new Problem("server");
  if (problem.code === "not_found") return say("receipt_gone");
  if (problem.code !== "receipt_withdrawn") return explain(problem);
  return say("receipt_withdrawn", { date: formatInstant(String(problem.details.withdrawnAtIso)) });
}
