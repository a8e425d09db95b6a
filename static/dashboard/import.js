// A file to import: shows the effect of each choice immediately.

import { getElement, parsePage } from "../elements.js";

const form = getElement(document, "#import", HTMLFormElement);
let running = new AbortController();

async function check() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  try {
    const body = new FormData(form);
    const answer = await fetch(form.dataset.check ?? "", { method: "POST", body, signal, redirect: "error" });
    if (answer.status === 429) {
      setTimeout(check, 2000); // another file, or this one, is being read
      return;
    }
    const fresh = parsePage(await answer.text());
    const focused = document.activeElement?.id;
    for (const part of ["#rows", "#said", "#ends"]) {
      const { childNodes } = getElement(fresh, part, HTMLElement);
      getElement(document, part, HTMLElement).replaceChildren(...childNodes);
    }
    if (focused) document.getElementById(focused)?.focus();
  } catch {
    // The server shows the choice before it imports the file.
  }
}

form.addEventListener("change", check);
