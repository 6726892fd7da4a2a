// @ts-check
// Links that can be copied: a button beside the field that contains the link.

import { copied } from "../../../../viewer/static/player/copying.js";

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-copies]"))) {
  const field = /** @type {HTMLInputElement} */ (button.parentElement?.querySelector("input"));
  button.addEventListener("click", async () => {
    button.textContent = (await copied(field.value, field)) ? "Copied" : "Copy the marked link";
  });
}
