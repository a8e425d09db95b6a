// The ways in which a wallet of the Wallet Standard signs a text.

/**
 * @import { StandardAccount } from "./standard-account.js"
 * @typedef {{ name: string, canUse: (feature: any) => boolean,
 *   sign: (feature: any, account: StandardAccount, text: string) => Promise<unknown> }} Way
 */

const OFFCHAIN_VERSION = 1;

/** In the order in which they are tried. @type {Way[]} */
export const WAYS = [
  {
    name: "solana:signOffchainMessage",
    canUse: ({ signOffchainMessage, supportedMessageVersions: versions }) =>
      typeof signOffchainMessage === "function" && (versions?.includes(OFFCHAIN_VERSION) ?? true),
    sign: (feature, account, message) =>
      feature.signOffchainMessage({
        messageVersion: OFFCHAIN_VERSION,
        account,
        message,
        requiredSigners: [account.publicKey],
      }),
  },
  {
    name: "solana:signMessage",
    canUse: ({ signMessage }) => typeof signMessage === "function",
    sign: (feature, account, text) =>
      feature.signMessage({ account, message: new TextEncoder().encode(text) }),
  },
];

/**
 * @param {Way} way
 * @param {Record<string, any>} features a wallet's features
 * @returns {boolean}
 */
export const isOffered = ({ name, canUse }, features) =>
  Boolean(features[name]) && canUse(features[name]);
