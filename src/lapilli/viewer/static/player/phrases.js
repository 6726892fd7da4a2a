// @ts-check
/** Pieces of sentences. */

/**
 * A list in words: "Ada, Grace and Blue".
 * @param {string[]} words
 */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * A text whose first letter is a capital.
 * @param {string} text
 */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
