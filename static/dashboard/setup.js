// Setup: shows a token's data from the chain as soon as its address is entered. Without this script, the
// button's first press shows it.

import { getElement, parsePage } from "../elements.js";
import { listenForSite } from "./site.js";

const WAIT_MS = 300; // after the last key
const ADDRESS = /[0-9A-Za-z]{32}/; // also in a link, or mistyped
const PARTS = ["#token", "#first-wallets", "#preview"];

const form = getElement(document, "#setup", HTMLFormElement);
const mint = getElement(form, "#token_mint", HTMLInputElement);
const holders = form.querySelector("#holders"); // stays, with what was chosen in the meantime
// Look up an address that was typed before this script ran, unless the server did.
let shown = form.querySelector(".token, .wrong") ? mint.value : "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

async function lookUp() {
  const asked = mint.value, body = new FormData(form);
  for (const name of ["draft", "token_name", "token_symbol"]) body.delete(name);
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
  if (!answer || mint.value !== asked) return;
  const found = parsePage(await answer.text());
  const focused = document.activeElement;
  if (holders) found.querySelector("#holders")?.replaceWith(holders);
  for (const part of PARTS) document.querySelector(part)?.replaceWith(getElement(found, part, HTMLElement));
  if (focused === holders && focused instanceof HTMLInputElement) focused.focus();
  mint.setAttribute("aria-invalid", String(Boolean(document.querySelector("#token_mint-wrong"))));
}

function follow() {
  clearTimeout(timer);
  if (mint.value === shown || !ADDRESS.test(mint.value)) return;
  shown = mint.value;
  timer = setTimeout(lookUp, WAIT_MS);
}

if ("looksUp" in form.dataset) {
  mint.addEventListener("input", follow);
  follow();
}
listenForSite();
