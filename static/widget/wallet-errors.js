// What wallets throw, as Problems. A visitor who declined must not be asked a second time.

import { Problem } from "./api.js";

const USER_REJECTED = 4001; // EIP-1193, which wallets of Solana follow, too
const REQUEST_REJECTED = 4001000; // @wallet-standard/errors
const REQUEST_OPEN = -32002; // an earlier question is still open in the wallet
const CAUSES = 4; // wallets wrap errors; an error that is its own cause must end, too

const DECLINED = /reject|den(?:y|ied)|declin|cancel|dismiss|abort|closed by|window ?closed|closed the/i;
const BY_VISITOR = /\buser (?:has )?(?:reject|den|declin|cancel|dismiss|clos|abort)/i;
// "Rejected: the message must be ASCII" is said by the wallet, not by the visitor.
const ABOUT_TEXT = /ascii|utf-?8|charact|encoding|unsupported|not supported/i;

/**
 * Return the Problem for what a wallet threw: anything, also a string or nothing.
 * @param {unknown} thrown
 */
export function explainThrown(thrown) {
  if (thrown instanceof Problem) return thrown;
  try {
    const chain = [...unwrap(thrown)];
    if (chain.some(isDeclined)) return new Problem("wallet_rejected");
    if (chain.some(({ code }) => code === REQUEST_OPEN)) return new Problem("wallet_busy");
  } catch {
    // an error whose properties cannot be read
  }
  return new Problem("wallet_failed");
}

/**
 * Call a wallet; turn what it throws into a Problem.
 * @template T
 * @param {() => T | Promise<T>} question
 * @returns {Promise<T>}
 */
export async function ask(question) {
  try {
    return await question();
  } catch (thrown) {
    throw explainThrown(thrown);
  }
}

/**
 * Yield the error and what caused it.
 * @param {any} error
 * @returns {Generator<{ code: unknown, name: string, text: string }>}
 */
function* unwrap(error) {
  for (let count = 0; error && count < CAUSES; count++) {
    if (typeof error === "string") {
      yield { code: null, name: "", text: error };
      return;
    }
    const code = Number(error.context?.__code ?? error.code);
    yield { code, name: String(error.name ?? ""), text: String(error.message ?? "") };
    error = error.cause ?? error.error;
  }
}

/** @param {{ code: unknown, name: string, text: string }} error */
function isDeclined({ code, name, text }) {
  if (code === USER_REJECTED || code === REQUEST_REJECTED) return true;
  // The code of a production build, where the error came through a message and kept only its text.
  if (text.includes(`Wallet Standard error #${REQUEST_REJECTED};`)) return true;
  if (name === "AbortError") return true;
  if (BY_VISITOR.test(text)) return true;
  return DECLINED.test(`${name} ${text}`) && !ABOUT_TEXT.test(text);
}
