// Sentences whose values stand out from them, such as names that somebody chose.

import { say } from "./words.js";

/**
 * Show the sentence with the key `name` in an element, each value in bold and in its own direction.
 * @param {string} name
 * @param {Record<string, string>} values
 * @param {Element} element
 */
export function showSentence(name, values, element) {
  const marks = Object.keys(values).map((key) => [key, `\n${key}\n`]);
  const pieces = say(name, Object.fromEntries(marks)).split("\n");
  element.replaceChildren(...pieces.map((piece, index) => {
    if (index % 2 === 0) return piece;
    const value = document.createElement("bdi");
    value.textContent = values[piece];
    return value;
  }));
}
