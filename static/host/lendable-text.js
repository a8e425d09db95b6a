// Which texts a lent wallet is asked to sign: those of the service's own form (embed/domain/nonces.py).

const STATEMENT = "This signature does not authorize any transaction.";
const MAX_LENGTH = 2_000;
// Control characters other than a new line, invisible ones, and those that change the direction of writing.
const MISLEADING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * Whether a text begins with the service's host, names the wallet's address, and ends with the statement
 * that it authorizes no transaction. A transaction is no such text: it is not made of lines.
 * @param {string} text
 * @param {{ service: string, address: string }} expected `service` is a host, with its port unless default
 */
export function isLendable(text, { service, address }) {
  const lines = text.split("\n");
  return (
    text.length <= MAX_LENGTH &&
    !lines.some((line) => MISLEADING.test(line)) &&
    lines[0].startsWith(`${service} asks `) &&
    lines.includes(`Wallet: ${address}`) &&
    (lines.at(-1) ?? "").endsWith(STATEMENT)
  );
}
