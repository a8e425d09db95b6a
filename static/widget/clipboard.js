// Copying text to the clipboard.

import { say } from "./words.js";

/**
 * Copy text, and confirm it on the button.
 * @param {string} text
 * @param {HTMLElement} button
 */
export async function copyText(text, button) {
  if (!copyBySelection(text)) await navigator.clipboard.writeText(text);
  button.focus();
  const words = button.querySelector("span") ?? button; // beside an icon, if there is one
  const label = (button.dataset.label ??= words.textContent ?? "");
  words.textContent = say("copied");
  setTimeout(() => (words.textContent = label), 2000);
}

/**
 * Copy with the deprecated execCommand, the only way that is allowed in a cross-site frame.
 * @param {string} text
 */
function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.className = "hidden-visually";
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  return isDone;
}
