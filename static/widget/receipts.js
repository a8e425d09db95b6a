// Receipts: shown under the wallet that one proves, and saved as a file. Loaded once a visitor wants one.

import { getElement } from "../elements.js";
import { Problem } from "./api.js";
import { explain, formatInstant, isolate, say } from "./words.js";

/** @import { Api, Receipt, TrackedWallet } from "./api.js" */

/** @typedef {{ api: Api, wallet: TrackedWallet, submissionId: string }} Proved */

// Under its wallet: when it was signed, the text, and the receipt itself

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
    return [makeParagraph(explainFailure(error))];
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

// As a file: only the visitor's own session may read a receipt before its wallet is on the list

/**
 * Save the receipt to which `link` leads; return why that was impossible, or null.
 * @param {HTMLAnchorElement} link
 * @param {Api} api
 * @returns {Promise<string | null>}
 */
export async function saveReceipt(link, api) {
  const { receipt: submissionId = "" } = link.dataset;
  try {
    const receipt = await api.readReceipt(submissionId);
    const file = new Blob([JSON.stringify(receipt, null, 2), "\n"], { type: "application/json" });
    saveFile(file, `receipt-${submissionId}.json`);
    return null;
  } catch (error) {
    return explainFailure(error);
  }
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function saveFile(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it
}

/**
 * Return why a receipt cannot be read.
 * @param {unknown} error
 */
function explainFailure(error) {
  const problem = error instanceof Problem ? error : new Problem("server");
  if (problem.code === "not_found") return say("receipt_gone");
  if (problem.code !== "receipt_withdrawn") return explain(problem);
  return say("receipt_withdrawn", { date: formatInstant(String(problem.details.withdrawnAtIso)) });
}
