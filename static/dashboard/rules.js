// Settings, Rules: what the policy and the deny list would do follows what is entered, before it is saved.

import { getElement, parsePage } from "../elements.js";

const FOLLOW_AFTER_MS = 300;
const said = getElement(document, "#copied", HTMLElement); // which screen readers hear

/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll("form[data-shows]");
for (const form of forms) {
  const shown = getElement(document, `#${form.dataset.shows}`, HTMLElement);
  getElement(form, "[name=preview]", HTMLElement).hidden = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;

  const refresh = async () => {
    const mine = ++asked;
    const body = new FormData(form);
    body.set("preview", "");
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    const text = await answer?.text();
    if (!text || mine !== asked) return; // offline, or there is a later question
    const next = parsePage(text).getElementById(shown.id);
    if (!next) return; // the session has ended, say
    shown.replaceChildren(...next.childNodes);
    said.textContent = shown.querySelector(".said, .wrong")?.textContent ?? "";
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, FOLLOW_AFTER_MS);
  });
}
