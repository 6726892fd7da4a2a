// @ts-check
// Texts that can be copied: a button beside the field that contains a link, or beside a command for a shell.

import { copied } from "../../../../viewer/static/player/copying.js";

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-copies]"))) {
  const shown = /** @type {HTMLElement} */ (button.parentElement?.querySelector("input, pre"));
  button.addEventListener("click", async () => {
    const text = shown instanceof HTMLInputElement ? shown.value : (shown.textContent ?? "");
    button.textContent = (await copied(text, shown)) ? "Copied" : "Copy the marked text";
  });
}
