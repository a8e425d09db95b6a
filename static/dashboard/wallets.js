// "All on this page" for the list of wallets.

import { getElement } from "../elements.js";

if (document.getElementById("all")) {
  const form = getElement(document, "#many", HTMLFormElement);
  const all = getElement(document, "#all", HTMLInputElement);
  /** @type {NodeListOf<HTMLInputElement>} */
  const found = form.querySelectorAll("input[name='wallet']");
  const boxes = [...found];
  getElement(form, "label.all", HTMLElement).hidden = false;
  all.addEventListener("change", () => boxes.forEach((box) => (box.checked = all.checked)));
  form.addEventListener("change", ({ target }) => {
    if (target !== all) all.checked = boxes.every((box) => box.checked);
  });
}
