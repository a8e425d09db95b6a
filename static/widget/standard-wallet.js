// A wallet of the Wallet Standard (https://github.com/wallet-standard/wallet-standard).

import { Problem } from "./api.js";
import { isOffered, WAYS } from "./signing-ways.js";
import { isOnSolana, listUsable, StandardAccountInUse } from "./standard-account.js";
import { ask } from "./wallet-errors.js";

/**
 * @import { StandardAccount } from "./standard-account.js"
 * @import { Account } from "./wallets.js"
 *
 * What is used of the standard:
 * @typedef {{ name: string, icon: string, chains: string[], accounts: StandardAccount[],
 *   features: Record<string, any> }} StandardWallet
 */

const CONNECT = "standard:connect";

/**
 * Return whether this is a wallet that can connect and sign on Solana now.
 * @param {StandardWallet} wallet
 */
export function isUsable(wallet) {
  try {
    const isShowable = typeof wallet.name === "string" && typeof (wallet.icon ?? "") === "string";
    return isShowable && isOnSolana(wallet) && typeof wallet.features[CONNECT].connect === "function" &&
      WAYS.some((way) => isOffered(way, wallet.features));
  } catch {
    return false; // an object that is no wallet
  }
}

/**
 * Ask the wallet for its accounts; at least one.
 * @param {StandardWallet} wallet
 * @returns {Promise<Account[]>}
 */
export async function connectStandard(wallet) {
  const accounts = await ask(async () => {
    const answer = await wallet.features[CONNECT].connect();
    const given = listUsable(answer?.accounts?.length ? answer.accounts : (wallet.accounts ?? []));
    return given.map((account) => new StandardAccountInUse(wallet, account));
  });
  if (accounts.length === 0) throw new Problem("wallet_no_account");
  return accounts;
}
