// @ts-check
// A bot's input, output and standard error in the turn that the board shows.

import { element } from "../../../viewer/static/player/elements.js";
import { linked } from "./lines.js";

/** @typedef {import("../../../viewer/static/player/reel.js").Turn} Turn */

/**
 * @param {string} title
 * @param {(Node | string)[]} content
 * @param {string} [more]
 */
export function block(title, content, more = "") {
  const said = element("pre", { tabIndex: 0, role: "group", "aria-label": title }, ...content);
  return element(
    "section",
    { className: "said" },
    element("h3", {}, title, ...(more ? [" ", element("small", {}, more)] : [])),
    said,
  );
}

/**
 * A bot's part in a turn.
 * @param {Turn} turn
 * @param {number} seat
 * @param {string} file
 * @param {(line: number, column?: number) => void} go
 * @returns {HTMLElement[]}
 */
export function toldOfTurn(turn, seat, file, go) {
  const entry = turn.entries.find(({ player }) => player === seat);
  if (!entry)
    return [
      element(
        "p",
        { className: "muted" },
        turn.turn ? "Your bot was not asked in this turn." : "The start: nobody has been asked yet.",
      ),
    ];
  const parts = [];
  if (entry.fault) parts.push(element("p", { className: "fault" }, `Your bot is out: ${entry.fault}`));
  for (const note of entry.notes ?? []) parts.push(element("p", { className: "muted" }, note));
  if (entry.stderr) parts.push(block("Standard error", linked(entry.stderr, file, go)));
  parts.push(block("Output", [entry.action ?? "(nothing)"], entry.ms === undefined ? "" : `${entry.ms.toFixed(1)} ms`));
  parts.push(block("Input", [turn.inputs[String(seat)] ?? ""]));
  return parts;
}
