// @ts-check
// Buttons that act only at the second click, so that nobody deletes something by mistake.

const SURE_MS = 4000;

/**
 * Call this at each click. Returns whether it is the second click within some seconds. After the first click, the
 * button asks for a second one.
 * @param {HTMLButtonElement} button
 * @param {string} [question] the button's text until the second click
 */
export function isSure(button, question = `Really ${(button.textContent ?? "").toLowerCase()}?`) {
  if (button.dataset.sure) return true;
  const words = button.textContent;
  button.dataset.sure = "yes";
  button.textContent = question;
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = words;
  }, SURE_MS);
  return false;
}
