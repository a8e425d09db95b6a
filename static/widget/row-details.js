// The details of an opened row, rendered by the server. Loaded when a row is opened.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { explain, say } from "./words.js";

/** @import { Api } from "./api.js" */

/**
 * Read and show an opened row's details, replacing earlier ones unless they're in use.
 * @param {HTMLElement} row
 * @param {Api} api
 */
export async function showDetails(row, api) {
  const panel = getElement(row, ".detail", HTMLElement);
  const earlier = panel.querySelector(".loaded");
  if (earlier && isInUse(earlier)) return;
  const waiting = earlier ?? makeSentence(say("loading"));
  if (!earlier) panel.append(waiting);
  const details = await readDetails(row, api);
  if (!isInUse(waiting)) waiting.replaceWith(details);
}

/** @param {Element} details */
const isInUse = (details) =>
  details.contains(document.activeElement) || details.querySelector("details[open]") !== null;

/**
 * Return the details, or a sentence that says why there are none.
 * @param {HTMLElement} row
 * @param {Api} api
 */
async function readDetails(row, api) {
  const { id = "" } = row.dataset;
  try {
    const part = await api.readHtml(`/embed/tracking/${api.pageId}/wallets/${id}`);
    const details = part && getElement(part, ".loaded", HTMLElement);
    if (!details) throw new Problem("server");
    return details;
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    return makeSentence(problem.code === "not_found" ? say("not_listed") : explain(problem));
  }
}

/** @param {string} text */
function makeSentence(text) {
  const sentence = document.createElement("p");
  sentence.className = "loaded";
  sentence.setAttribute("role", "status");
  sentence.textContent = text;
  return sentence;
}
