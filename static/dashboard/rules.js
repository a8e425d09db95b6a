// Settings, Rules: shows what the entered rules and deny list would do, before they're saved.

import { getElement, parsePage } from "../elements.js";

const FOLLOW_AFTER_MS = 300;
const said = getElement(document, "#copied", HTMLElement); // screen readers read it out

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
    if (!text || mine !== asked) return; // offline, or there's a newer request
    const next = parsePage(text).getElementById(shown.id);
    if (!next) return; // for example, the session has ended
    shown.replaceChildren(...next.childNodes);
    said.textContent = shown.querySelector(".said, .wrong")?.textContent ?? "";
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, FOLLOW_AFTER_MS);
  });
}
