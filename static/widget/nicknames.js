// The rules for nicknames, as the server has them (embed/domain/nicknames.py); it decides.
// tests/nickname_cases.json holds both to the same answers.

const MAX_LENGTH = 32; // code points, after normalisation

// What Python calls white space; trim() differs at both ends of the table.
const WHITE_SPACE = "[\\p{White_Space}\\x1c-\\x1f]+";
const AROUND = new RegExp(`^${WHITE_SPACE}|${WHITE_SPACE}$`, "gv");

const HIDDEN = "\\p{Default_Ignorable_Code_Point}\\u{13441}\\u{13442}\\u{16FE4}";
const ALLOWED = new RegExp(
  `^(?:[\\p{L}--[${HIDDEN}]]` +
    `[\\p{M}--[\\p{Me}\\p{Script=Common}\\p{Script=Inherited}${HIDDEN}]]{0,4}` +
    "|[\\p{N} ._\\-])+$", "v");

/** @param {string} text */
const trim = (text) => text.replace(AROUND, "");

/**
 * Return the nickname as the server keeps it: trimmed, NFKC.
 * @param {string} raw
 */
export function normalizeNickname(raw) {
  // NFKC can uncover white space at the ends, so it is trimmed before and after.
  return trim(trim(raw).normalize("NFKC"));
}

/**
 * Return the code of what is wrong with a nickname, or null.
 * @param {string} raw
 * @returns {"invalid_nickname_length" | "invalid_nickname_chars" | null}
 */
export function checkNickname(raw) {
  const nickname = normalizeNickname(raw);
  const length = [...nickname].length;
  if (length < 1 || length > MAX_LENGTH) return "invalid_nickname_length";
  return ALLOWED.test(nickname) ? null : "invalid_nickname_chars";
}
