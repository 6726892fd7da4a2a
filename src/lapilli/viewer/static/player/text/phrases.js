// @ts-check
/** Formats parts of sentences. */

/**
 * Formats a list, as in "Ada, Grace and Blue".
 * @param {string[]} words
 */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * Returns a text with a capital first letter.
 * @param {string} text
 */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
