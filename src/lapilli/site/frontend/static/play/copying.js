// @ts-check
// Links that can be copied: a button beside the field that contains the link.

/**
 * Copies a link to the clipboard. This works also in pages that were loaded without encryption.
 * @param {string} url
 * @param {HTMLInputElement} field the field that contains the link
 * @returns {Promise<boolean>} whether the link was copied
 */
export async function copied(url, field) {
  try {
    await navigator.clipboard.writeText(url);
    return true;
  } catch {
    field.select();
    return document.execCommand("copy");
  }
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-copies]"))) {
  const field = /** @type {HTMLInputElement} */ (button.parentElement?.querySelector("input"));
  button.addEventListener("click", async () => {
    button.textContent = (await copied(field.value, field)) ? "Copied" : "Copy the marked link";
  });
}
