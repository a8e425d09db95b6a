// Deciding without a reload: rows leave immediately, and return with an explanation if it failed.

import { getElement, parsePage } from "../elements.js";
import { isolate, say } from "../widget/words.js";
import { addRows, findRow, listRows, loadPage, loadRows, nameOf, refill, removeRows, showClear, showCounts, unselect } from "./queue-rows.js";

/**
 * @typedef {{ decision: string, ids: string[], name: string, rows?: HTMLElement[],
 *   answered?: Promise<void> }} Decision `rows` if it was made here
 * @typedef {{ id: string, sentence: string, isWaiting: boolean }} Unchanged
 * @typedef {{ unchanged: Unchanged[], counts: Record<string, number>, clear: string }} Answer
 */

/** A failure of the service, with a sentence for the owner. */
class Failure extends Error {}

/** @type {Record<string, string>} */ // the keys of their sentences
const DONE = { approve: "approved", reject: "rejected", block: "blocked" };
const MAX_UNDOABLE = 10;
const SHOWN_FOR_MS = 10_000;

const toast = getElement(document, "#undo", HTMLFormElement);
const said = getElement(toast, "[role=status]", HTMLElement);
const undoPart = getElement(toast, "[data-undo]", HTMLElement);
/** @type {Decision[]} */ // newest first
const decisions = JSON.parse(toast.dataset.decisions ?? "[]");
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Send a queue form, which decides on the submissions in it.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 * @param {boolean} isPressed with a mouse or a finger
 */
export async function decide(form, button, isPressed) {
  const data = new FormData(form, button);
  const ids = data.getAll("ids").map(String);
  const rows = ids.map(findRow).filter((row) => row !== null);
  if (rows.length === 0) return tell(say("nothing_chosen"));
  /** @type {Decision & { rows: HTMLElement[] }} */
  const decision = { decision: String(data.get("decision")), ids, name: nameOf(rows[0]), rows };
  const next = findNext(rows);
  for (const row of rows) row.querySelector(".problem")?.remove();
  removeRows(rows, isPressed);
  next?.focus({ preventScroll: isPressed });
  decision.answered = settle(decision, send(form.action, data));
  decisions.unshift(decision);
  decisions.splice(MAX_UNDOABLE);
  offerUndo();
}

/**
 * Return the next focus, if it was in one of the leaving rows or on the button for all selected ones.
 * @param {HTMLElement[]} rows
 */
function findNext(rows) {
  const focused = document.activeElement;
  const current = rows.find((row) => row.contains(focused)) ?? (focused?.closest("#many") && rows[0]);
  if (!current) return null;
  const all = listRows();
  const left = all.filter((row) => !rows.includes(row));
  return left.find((row) => all.indexOf(row) > all.indexOf(current)) ?? left.at(-1) ??
    getElement(document, "main", HTMLElement);
}

/**
 * Put back the rows that couldn't be decided, with the reason.
 * @param {Decision & { rows: HTMLElement[] }} decision
 * @param {Promise<Answer>} answer
 */
async function settle(decision, answer) {
  try {
    const { unchanged, counts, clear } = await answer;
    showCounts(counts);
    for (const row of decision.rows) unselect(row);
    putBack(decision, unchanged);
    showClear(parsePage(clear));
    refill();
  } catch (error) {
    putBack(decision, decision.ids.map((id) => ({ id, sentence: explainFailure(error), isWaiting: true })));
  }
}

/**
 * @param {Decision & { rows: HTMLElement[] }} decision
 * @param {Unchanged[]} unchanged
 */
function putBack(decision, unchanged) {
  const { ids, rows } = decision;
  const back = [];
  for (const { id, sentence, isWaiting } of unchanged) {
    ids.splice(ids.indexOf(id), 1);
    const row = rows.find((one) => one.id === `submission-${id}`);
    if (!row) continue;
    explain(row, sentence, isWaiting);
    back.push(row);
  }
  if (ids.length === 0 && decisions.includes(decision)) decisions.splice(decisions.indexOf(decision), 1);
  if (back.length === 0) return;
  addRows(back);
  tellOf("back", { count: back.length, name: nameOf(back[0]), sentence: unchanged[0].sentence });
  undoPart.hidden = ids.length === 0 || decisions[0] !== decision;
}

/**
 * Explain under a row why it's back. A submission that's no longer pending can't be decided.
 * @param {HTMLElement} row
 * @param {string} sentence
 * @param {boolean} isWaiting
 */
function explain(row, sentence, isWaiting) {
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.textContent = sentence;
  row.append(problem);
  if (isWaiting) return;
  for (const part of row.querySelectorAll(".decide button, .pick input, .why")) part.remove();
}

/** @param {unknown} error */
const explainFailure = (error) => error instanceof Failure ? error.message : say("server");

/** Undo the newest decision. */
export async function undo() {
  const decision = decisions.shift();
  if (!decision) return tell(say("nothing_to_undo"));
  await decision.answered;
  if (decision.ids.length === 0) return; // nothing was decided, as already reported
  const data = new FormData(toast);
  data.delete("ids");
  for (const id of decision.ids) data.append("ids", id);
  try {
    const { unchanged, counts, clear } = await send(toast.action, data);
    showCounts(counts);
    // Already pending: an earlier request undid it, but its answer was lost.
    const kept = new Set(unchanged.filter(({ isWaiting }) => !isWaiting).map(({ id }) => id));
    const undone = decision.ids.filter((id) => !kept.has(id));
    await show(undone, decision);
    showClear(parsePage(clear));
    const row = findRow(undone[0] ?? unchanged[0].id);
    const name = row ? nameOf(row) : decision.name;
    if (undone.length > 0) tellOf("waits", { count: undone.length, name });
    else tellOf("back", { count: unchanged.length, name, sentence: unchanged[0].sentence });
  } catch (error) {
    decisions.unshift(decision);
    tell(explainFailure(error));
    undoPart.hidden = false; // to try again
  }
}

/**
 * Show submissions that are pending again, if this is the tab for them.
 * @param {string[]} ids
 * @param {Decision} decision
 */
async function show(ids, { rows }) {
  if (!document.querySelector("#many")) return location.reload();
  if (rows) addRows(rows.filter((row) => ids.includes(row.id.replace("submission-", ""))));
  else await loadRows(location.href).catch(() => null); // it's undone; the next reload shows it
  findRow(ids[0])?.focus();
}

function offerUndo() {
  const [{ decision, ids, name }] = decisions;
  tellOf(DONE[decision], { count: ids.length, name });
  undoPart.hidden = false;
}

/**
 * Report the result for one submission, with its name, or for many.
 * @param {string} what
 * @param {{ count: number, name: string, sentence?: string }} values
 */
function tellOf(what, values) {
  const name = isolate(values.name); // it may be right-to-left
  tell(say(values.count === 1 ? what : `${what}_many`, { ...values, name }));
}

/**
 * Show a message at the bottom of the page for a while.
 * @param {string} sentence
 */
function tell(sentence) {
  undoPart.hidden = true;
  said.textContent = sentence;
  hideLater();
}

function hideLater() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) return hideLater(); // someone may be about to press it
    undoPart.hidden = true;
    said.textContent = "";
  }, SHOWN_FOR_MS);
}

/**
 * Send a form and return what the service changed. Throws a Failure.
 * @param {string} address
 * @param {FormData} data
 * @returns {Promise<Answer>}
 */
async function send(address, data) {
  let answer = await post(address, data);
  if (answer.status === 400 && await renewToken(data)) answer = await post(address, data);
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const told = isJson ? await answer.json() : readMistake(await answer.text());
  if (answer.ok) return told;
  throw new Failure(told.mistake ?? say("server"));
}

/**
 * @param {string} address
 * @param {FormData} data
 */
async function post(address, data) {
  const body = new URLSearchParams(/** @type {[string, string][]} */ ([...data]));
  const headers = { Accept: "application/json" };
  try {
    // The request arrives even if the page is left.
    return await fetch(address, { method: "POST", body, headers, redirect: "manual", keepalive: true });
  } catch {
    throw new Failure(say("no_answer"));
  }
}

/**
 * Put the new session's token into all forms, because the owner signed in again in another tab.
 * @param {FormData} data this form's data, which also gets the token
 */
async function renewToken(data) {
  const found = await loadPage(location.href).catch(() => null);
  const token = found?.querySelector("#undo [name=csrf_token]")?.getAttribute("value");
  if (!token) return false;
  data.set("csrf_token", token);
  /** @type {NodeListOf<HTMLInputElement>} */
  const fields = document.querySelectorAll("[name=csrf_token]");
  for (const field of fields) field.value = token;
  return true;
}

/**
 * Find the sentence in an error page.
 * @param {string} page
 */
function readMistake(page) {
  const found = parsePage(page);
  return { mistake: found.querySelector("main h1 + p")?.textContent };
}

if (said.textContent) hideLater();
