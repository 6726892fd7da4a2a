// @ts-check
// Buttons that need two clicks.

const SURE_MS = 4000;

/**
 * Whether a button was clicked for the second time within some seconds. After the first click, it asks for the second.
 * @param {HTMLButtonElement} button
 */
export function isSure(button) {
  if (button.dataset.sure) return true;
  const words = button.textContent;
  button.dataset.sure = "yes";
  button.textContent = `Really ${(words ?? "").toLowerCase()}?`;
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = words;
  }, SURE_MS);
  return false;
}
