// What is shown of a proof under its wallet: when it was signed, the text and the receipt.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { explainReceipt } from "./receipt-problems.js";
import { formatInstant, isolate, say } from "./words.js";

/** @import { Api, Receipt, TrackedWallet } from "./api.js" */

/** @typedef {{ api: Api, wallet: TrackedWallet, submissionId: string }} Proved */

/**
 * Open the proof in the row of `button`, or close it.
 * @param {HTMLElement} button
 * @param {Proved} proved
 */
export async function toggleProof(button, proved) {
  const row = button.closest(".wallet");
  const open = row?.querySelector(".proof");
  button.setAttribute("aria-expanded", String(!open));
  if (open) return open.remove();
  const panel = document.createElement("div");
  panel.className = "proof";
  panel.id = `proof-${proved.wallet.id}`;
  panel.setAttribute("role", "status"); // read out once the receipt is there
  panel.append(makeParagraph(say("loading")));
  button.setAttribute("aria-controls", panel.id);
  row?.append(panel);
  panel.replaceChildren(...await readContents(proved));
}

/**
 * Return the receipt's contents, or the sentence that says why there are none.
 * @param {Proved} proved
 */
async function readContents({ api, wallet, submissionId }) {
  try {
    const receipt = await api.readReceipt(submissionId);
    return makeContents(receipt, wallet, api.locateReceipt(submissionId));
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem("server");
    return [makeParagraph(explainReceipt(problem))];
  }
}

/**
 * @param {Receipt} receipt
 * @param {TrackedWallet} wallet
 * @param {string} address of the receipt
 */
function makeContents({ message, nickname, createdAtIso }, wallet, address) {
  const contents = [makeParagraph(say("proved_at", { date: formatInstant(createdAtIso) }))];
  if (nickname !== wallet.publicAlias) {
    contents.push(makeParagraph(say("proved_as", { name: isolate(nickname) })));
  }
  const copy = document.importNode(getElement(document, "#proof", HTMLTemplateElement).content, true);
  getElement(copy, "pre", HTMLElement).textContent = message;
  getElement(copy, "[download]", HTMLAnchorElement).href = address;
  return [...contents, copy];
}

/** @param {string} text */
function makeParagraph(text) {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  return paragraph;
}
