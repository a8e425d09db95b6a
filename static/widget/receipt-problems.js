// Why a receipt cannot be read, in words.

import { explain, formatInstant, say } from "./words.js";

/** @import { Problem } from "./api.js" */

/** @param {Problem} problem */
export function explainReceipt(problem) {
  if (problem.code === "not_found") return say("receipt_gone");
  if (problem.code !== "receipt_withdrawn") return explain(problem);
  return say("receipt_withdrawn", { date: formatInstant(String(problem.details.withdrawnAtIso)) });
}
