// Saving the receipt of one of the visitor's own submissions, which only their session may read
// until the wallet is on the list.

import { Problem } from "./api.js";
import { explainReceipt } from "./receipt-problems.js";

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
    return explainReceipt(error instanceof Problem ? error : new Problem("server"));
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
