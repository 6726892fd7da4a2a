// @ts-check
// The lines that a bot wrote to its standard error in a whole match. Each line is a button that shows its turn.

import { element, foreign } from "../../../../../viewer/static/player/elements.js";

/** @typedef {import("../../../../../viewer/static/player/film/reel.js").Turn} Turn */

/**
 * Largest number of lines in the list. If there are more, the last ones are listed: they show the cause of an error.
 */
const MOST = 2000;

/**
 * The lines of a bot's standard error.
 * @param {Turn[]} turns
 * @param {number} seat the bot's player number
 * @returns {{index: number, turn: number, text: string}[]} for each line: index of its turn in the film, number of
 * this turn, and the text
 */
export function linesOf(turns, seat) {
  return turns.flatMap(({ entries, turn }, index) =>
    entries
      .filter(({ player, stderr }) => player === seat && stderr)
      .flatMap(({ stderr }) => (stderr ?? "").replace(/\n$/, "").split("\n"))
      .map((text) => ({ index, turn, text })),
  );
}

/**
 * Elements with the list of lines.
 * @param {Turn[]} turns
 * @param {number} seat the bot's player number
 * @param {number} now index, in the film, of the turn that is shown
 * @param {(index: number) => void} go shows the turn with this index
 * @returns {HTMLElement[]}
 */
export function logOf(turns, seat, now, go) {
  const lines = linesOf(turns, seat);
  if (!lines.length)
    return [element("p", { className: "muted" }, "Your bot has written nothing to its standard error.")];
  const rows = lines.slice(-MOST).map(({ index, turn, text }) => {
    const button = element(
      "button",
      { type: "button", title: `Show turn ${turn}`, onclick: () => go(index) },
      element("small", {}, String(turn)),
      element("code", {}, foreign(text)),
    );
    if (index === now) button.setAttribute("aria-current", "true");
    return element("li", {}, button);
  });
  const left = lines.length - rows.length;
  return [
    ...(left ? [element("p", { className: "muted" }, `${left} earlier lines are not listed.`)] : []),
    element("ol", { className: "logged" }, ...rows),
  ];
}
