// What a text is that an owner pasted as a public key.

const PUBLIC = /^svc_pub_[0-9A-Za-z]{32}$/;
const SHOWN_LENGTH = 12; // the first characters, which the server keeps

/**
 * Return the key if it may go into a snippet, and which of the page's sentences says so, or why not.
 *
 * `names` are those of the page's live public keys, by their first characters.
 * @param {string} pasted
 * @param {Record<string, string>} names
 * @returns {{ key: string | null, word?: string, values?: Record<string, string> }}
 */
export function judgeKey(pasted, names) {
  const text = pasted.trim();
  if (!text) return { key: null };
  if (text.includes("svc_sec_")) return { key: null, word: "secret_key" };
  if (!PUBLIC.test(text)) return { key: null, word: "no_public_key" };
  const start = text.slice(0, SHOWN_LENGTH);
  return Object.hasOwn(names, start)
    ? { key: text, word: "filled_in", values: { name: names[start] } }
    : { key: null, word: "unknown_key", values: { start } };
}
