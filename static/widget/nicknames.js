// The rules for nicknames, as on the server (embed/domain/nicknames.py), which decides.
// tests/support/nickname_cases.json checks that both give the same answers.

const MAX_LENGTH = 32; // code points, after normalisation

// White space as Python defines it; trim() differs at both ends of the table.
const WHITE_SPACE = "[\\p{White_Space}\\x1c-\\x1f]+";
const AROUND = new RegExp(`^${WHITE_SPACE}|${WHITE_SPACE}$`, "gu");

const HIDDEN = "\\p{Default_Ignorable_Code_Point}\\u{13441}\\u{13442}\\u{16FE4}";
const ALLOWED = new RegExp(
  `^(?:(?![${HIDDEN}])\\p{L}` +
    `(?:(?![\\p{Me}\\p{Script=Common}\\p{Script=Inherited}${HIDDEN}])\\p{M}){0,4}` +
    "|[\\p{N} ._\\-])+$", "u");

/** @param {string} text */
const trim = (text) => text.replace(AROUND, "");

/**
 * Return the nickname as the server stores it: trimmed, NFKC.
 * @param {string} raw
 */
export function normalizeNickname(raw) {
  // NFKC can produce white space at the ends, so trim before and after it.
  return trim(trim(raw).normalize("NFKC"));
}

/**
 * Return the error code for an invalid nickname, or null.
 * @param {string} raw
 * @returns {"invalid_nickname_length" | "invalid_nickname_chars" | null}
 */
export function checkNickname(raw) {
  const nickname = normalizeNickname(raw);
  const length = [...nickname].length;
  if (length < 1 || length > MAX_LENGTH) return "invalid_nickname_length";
  return ALLOWED.test(nickname) ? null : "invalid_nickname_chars";
}
