// Names of wallets and accounts as they are shown: wallets choose them, so they may be long, empty
// or alike.

const MAX_LENGTH = 40; // code points

// Controls, and characters that show nothing, so that they cannot make names look alike.
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Return the name in one line, short and without hidden characters; perhaps empty.
 * @param {unknown} raw
 */
export function cleanName(raw) {
  if (typeof raw !== "string") return "";
  const characters = [...raw.slice(0, 1000).replace(/\s+/gu, " ").replace(HIDDEN, "").trim()];
  if (characters.length <= MAX_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_LENGTH - 1).join("").trim()}…`;
}

/**
 * Return a label for each name; of those alike, the later ones have a number.
 * @param {string[]} raw
 * @param {string} unnamed for a wallet without a name
 */
export function labelWallets(raw, unnamed) {
  const taken = new Set();
  return raw.map((one) => {
    const name = cleanName(one) || unnamed;
    let label = name;
    for (let number = 2; taken.has(fold(label)); number++) label = `${name} (${number})`;
    taken.add(fold(label));
    return label;
  });
}

/** @param {string} label */
const fold = (label) => label.normalize("NFKC").toLowerCase();
