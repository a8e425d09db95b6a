// The page that asks "Is it you?" goes on when the person has answered with a wallet in another tab.

import { getElement } from "../elements.js";

const form = getElement(document, "#after-wallet", HTMLFormElement);

window.addEventListener("message", ({ data, origin }) => {
  if (origin === location.origin && data === "embed:confirmed") form.requestSubmit();
});
