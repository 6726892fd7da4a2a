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
 * What the players are called: by their names or, if two names are equal, by their sides, such as colours.
 * @param {{name: string, side: string}[]} players
 */
export function calledBy(players) {
  const names = players.map(({ name }) => name);
  return new Set(names).size === names.length ? names : players.map(({ side }) => side);
}

/**
 * Returns a text with a capital first letter.
 * @param {string} text
 */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
