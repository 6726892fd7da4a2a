// @ts-check
// What a bot wrote to its standard error in a whole match, line by line. Each line leads to the picture of its turn.

import { element, foreign } from "../../../viewer/static/player/elements.js";

/** @typedef {import("../../../viewer/static/player/reel.js").Turn} Turn */

/** So many lines are listed: the last ones, where the cause of an error is. */
const MOST = 2000;

/**
 * @param {Turn[]} turns
 * @param {number} seat the bot's
 * @returns {{index: number, turn: number, text: string}[]} the lines, each with its turn's place in the film and number
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
 * @param {Turn[]} turns
 * @param {number} seat the bot's
 * @param {number} now the place in the film of the turn that is shown
 * @param {(index: number) => void} go
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
