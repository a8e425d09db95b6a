// Where in the flow the visitor can solve a problem.

import { Problem } from "./api.js";

/**
 * @import { Retry } from "./flow.js"
 * @typedef {{ replaceText: (problem: unknown) => Promise<void>, askNickname: () => void,
 *   chooseAgain: (problem: unknown) => void, start: () => void, sign: (() => unknown) | null, address: string,
 *   fail: (problem: unknown, retry?: Retry | null) => void }} Places what leads to each place, and
 *   explains the problem there
 */

const FRESH_TEXT_CODES = new Set(["invalid_nonce", "nonce_binding_mismatch"]);
const NICKNAME_CODES = new Set(["invalid_nickname_length", "invalid_nickname_chars"]);
const LOST_CODES = new Set(["wallet_account_changed", "wallet_disconnected"]);
// The sentences of these speak of a submission and its name; those beside them do not.
/** @type {Map<string, () => Problem>} */
const NAMELESS = new Map([
  ["invalid_nonce", () => new Problem("invalid_nonce_nameless")],
  ["nonce_binding_mismatch", () => new Problem("nonce_binding_mismatch_nameless")],
  ["wallet_account_changed", () => new Problem("wallet_account_changed_nameless")],
  ["wallet_disconnected", () => new Problem("wallet_disconnected_nameless")],
  ["window_closed", () => new Problem("window_closed_nameless")],
]);

/**
 * Return to the step where the visitor can solve the problem, and explain it there.
 * @param {unknown} problem
 * @param {Retry} retry
 * @param {Places} places
 */
export async function recover(problem, retry, places) {
  const code = problem instanceof Problem ? problem.code : "server";
  if (FRESH_TEXT_CODES.has(code)) {
    await places.replaceText(problem);
  } else if (NICKNAME_CODES.has(code)) {
    places.askNickname();
    places.fail(problem);
  } else if (LOST_CODES.has(code)) {
    places.chooseAgain(problem);
  } else if (code === "invalid_wallet_address") {
    places.start();
    places.fail(problem);
  } else if (code === "invalid_signature") {
    const { address, sign } = places;
    if (sign) places.fail(problem, sign);
    else places.fail(new Problem("invalid_signature_by_hand", { details: { address } }));
  } else {
    places.fail(problem, retry);
  }
}

/**
 * The problem with a sentence that promises no name to be kept, for purposes that ask for none.
 * @param {Problem} problem
 */
export function leaveNameOut(problem) {
  return NAMELESS.get(problem.code)?.() ?? problem;
}

/**
 * Some wallets sign only ASCII and say no more than that they failed: tell what may help.
 * @param {unknown} error
 * @param {string} text
 */
export function explainSigning(error, text) {
  const isFailure = error instanceof Problem && error.code === "wallet_failed";
  return isFailure && /[^\x00-\x7f]/.test(text) ? new Problem("wallet_needs_latin") : error;
}
