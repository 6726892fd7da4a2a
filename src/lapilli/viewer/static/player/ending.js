// @ts-check
/** How a match ended, or what it was waiting for when it was cut short. */

import { element, foreign, signOf } from "./elements.js";
import { listed } from "./phrases.js";

/** @typedef {import("./reel.js").Film} Film */
/** @typedef {import("./reel.js").Waiting} Waiting */

/**
 * The end in words.
 * @param {Film} film
 */
export function endOf({ outcome, cut }) {
  return outcome ? outcome.words : cut || "The record stops before the end.";
}

/**
 * The players with their scores, the first first.
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
 * The log's last row of a match that was cut short, and what is found by searching for it.
 * @param {Film} film
 * @param {Waiting} waiting
 * @param {() => void} go
 * @returns {[HTMLButtonElement, string]}
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
