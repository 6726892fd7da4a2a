// @ts-check
/** Describes how a match ended, or whose answers were missing when it was cut short. */

import { element, foreign, signOf } from "../elements.js";
import { listed } from "../text/phrases.js";

/** @typedef {import("../film/reel.js").Film} Film */
/** @typedef {import("../film/reel.js").Waiting} Waiting */

/**
 * Returns the result in words; for a match that was cut short, the reason.
 * @param {Film} film
 */
export function endOf({ outcome, cut }) {
  return outcome ? outcome.words : cut || "The record stops before the end.";
}

/**
 * Returns a list item for each player, with the score, the best player first.
 * @param {Film} film
 */
export function rankingOf({ outcome, players }) {
  if (!outcome) return [];
  const rows = outcome.ranks.map((rank, player) => ({ rank, player })).sort((one, other) => one.rank - other.rank);
  const isAlone = rows.length > 1 && rows[1].rank > 1;
  return rows.map(({ rank, player }) => {
    const { name, side } = players[player];
    const points = element("span", { className: "points", textContent: String(outcome.scores[player] ?? "") });
    const item = element(
      "li",
      { className: rank === 1 ? "first" : "" },
      signOf(player, side),
      foreign(name),
      " ",
      points,
    );
    if (rank === 1 && isAlone) item.append(" ", element("span", { className: "won", textContent: "winner" }));
    return item;
  });
}

/**
 * Returns the last row of the list of turns if a match was cut short: the players who had not answered.
 * @param {Film} film
 * @param {Waiting} waiting
 * @param {() => void} go function that shows the unanswered turn
 * @returns {[HTMLButtonElement, string]} the row, and the text in which a search finds it
 */
export function unanswered({ players, cut }, { turn, inputs, entries }, go) {
  const words = `${listed(Object.keys(inputs).map((player) => players[Number(player)].name))} had not answered yet`;
  const number = element("span", { className: "number", textContent: String(turn) });
  const what = element("span", { className: "what bad", textContent: words });
  const said = [turn, words, cut, ...Object.values(inputs), ...entries.map(({ stderr }) => stderr)];
  return [
    element("button", { type: "button", onclick: go }, number, element("span"), what, element("span")),
    said.join(" "),
  ];
}
