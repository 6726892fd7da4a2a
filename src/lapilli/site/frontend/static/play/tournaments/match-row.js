// @ts-check
// A match in a list: the same markup as the template layouts/match.html writes.

import { element, foreign } from "../../../../../viewer/static/player/elements.js";

/**
 * Row: `players`: the players to be named, and whether each has won. `href`: where the row leads, "" for nowhere. `about`: the second
 * line. `standing`: "won", "drawn" or "lost" for the reader, else "". `isOwn`: whether the
 * row is marked.
 * @typedef {{players: {name: string, won: boolean}[], href?: string, about?: string, score?: string | Node, standing?: string,
 *   isOwn?: boolean}} MatchRow
 */

/** @param {MatchRow} row */
export function matchRow({ players, href = "", about = "", score = "", standing = "", isOwn = false }) {
  const called = standing && standing[0].toUpperCase() + standing.slice(1);
  const label = `${called ? `${called}: ` : ""}${players.map(({ name }) => name).join(" – ")}`;
  const names = players.map(({ name, won }) => {
    const made = foreign(name);
    if (won) made.className = "won";
    return made;
  });
  const line = names.flatMap((name, place) => (place ? [" – ", name] : [name]));
  const letter = { className: `letter ${standing}`, title: called, "aria-hidden": "true" };
  return element(
    "li",
    { className: isOwn ? "matchrow own" : "matchrow" },
    ...(href ? [element("a", { className: "whole", href, "aria-label": label })] : []),
    element("span", { className: "names" }, ...line),
    ...(about ? [element("small", { className: "about" }, about)] : []),
    ...(score ? [element("span", { className: "score" }, score)] : []),
    ...(standing ? [element("b", letter, called[0])] : []),
  );
}
