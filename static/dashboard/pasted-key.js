// What a text is that an owner pasted as a public key.

const PUBLIC = /^svc_pub_[0-9A-Za-z]{32}$/;
const SHOWN_LENGTH = 12; // the first characters, which the server keeps

/**
 * Return the key if it may go into a snippet, and a sentence for the owner.
 *
 * `names` are those of the page's live public keys, by their first characters.
 * @param {string} pasted
 * @param {Record<string, string>} names
 * @returns {{ key: string | null, sentence: string }}
 */
export function judgeKey(pasted, names) {
  const text = pasted.trim();
  if (!text) return { key: null, sentence: "" };
  if (text.includes("svc_sec_")) {
    return {
      key: null,
      sentence: "This is a secret key. It does not belong in a page, where everybody could read it,"
        + " so it was not filled in. Use a public key.",
    };
  }
  if (!PUBLIC.test(text)) {
    return {
      key: null,
      sentence: "This is no public key: one is svc_pub_ and 32 letters and digits.",
    };
  }
  const start = text.slice(0, SHOWN_LENGTH);
  const name = Object.hasOwn(names, start) ? names[start] : null;
  return name
    ? { key: text, sentence: `Filled in: ${name}` }
    : {
        key: null,
        sentence: `No public key of this page begins with ${start}, so it was not filled in: it is`
          + " revoked, or of another page.",
      };
}
