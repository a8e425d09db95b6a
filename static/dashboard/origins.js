// Shows next to the field, while the owner types, how each site will be stored. The server decides.

import { say } from "../widget/words.js";
import { describeOrigin } from "./origin-rules.js";

const field = document.querySelector("textarea[data-origins]");
const list = document.getElementById(field?.getAttribute("data-origins") ?? "");

/**
 * Return a line of advice about an entry, or null if it's stored unchanged.
 * @param {string} entry
 */
function makeAdvice(entry) {
  const described = describeOrigin(entry);
  if (described.origin === entry) return null;
  const item = document.createElement("li");
  item.className = described.refused ? "wrong" : "quiet";
  const word = described.refused ?? (described.hasPath ? "kept_site" : "kept");
  item.textContent = say(word, { entry, ...described });
  if (described.meant) item.append(" ", makeButton(entry, described.meant));
  return item;
}

/**
 * Return a button that replaces an entry with its meaning.
 * @param {string} entry
 * @param {string} meant
 */
function makeButton(entry, meant) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = say("write", { meant });
  button.addEventListener("click", () => {
    if (!(field instanceof HTMLTextAreaElement)) return;
    field.value = field.value.split("\n").map((line) => (line.trim() === entry ? meant : line)).join("\n");
    field.dispatchEvent(new Event("input"));
    field.focus();
  });
  return button;
}

if (field instanceof HTMLTextAreaElement && list) {
  const show = () => {
    const entries = field.value.split("\n").map((line) => line.trim()).filter(Boolean);
    list.replaceChildren(...entries.map(makeAdvice).filter((item) => item !== null));
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  field.addEventListener("input", () => {
    document.getElementById(`${field.id}-wrong`)?.remove(); // the server's messages about the previous lines
    clearTimeout(timer);
    timer = setTimeout(show, 400);
  });
}
