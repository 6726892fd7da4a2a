// @ts-check
// A bot's input, output and standard error in the turn that the board shows.

import { element, foreign } from "../../../../../viewer/static/player/elements.js";
import { linked } from "../lines.js";

/** @typedef {import("../../../../../viewer/static/player/film/reel.js").Turn} Turn */

/**
 * A section with a title and a preformatted text.
 * @param {string} title
 * @param {(Node | string)[]} content
 * @param {string} [more] small text beside the title
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

const MS = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/**
 * The time of a reply, and its time limit, in words.
 * @param {import("../../../../../viewer/static/player/film/reel.js").Entry} entry
 * @param {number} limit in milliseconds
 */
export function timeTaken({ ms, usage }, limit) {
  if (ms === undefined || ms === null) return "";
  return `${MS.format(ms)} of ${MS.format(limit)} ms${usage ? ` (${usage})` : ""}`;
}

/**
 * Elements that show a bot's part in a turn: fault, notes, standard error, output and input.
 * @param {Turn} turn
 * @param {number} seat
 * @param {{file: string, limit: number}} bot its file, and the time limit of its reply in milliseconds
 * @param {(line: number, column?: number) => void} go
 * @returns {HTMLElement[]}
 */
export function toldOfTurn(turn, seat, { file, limit }, go) {
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
  const time = timeTaken(entry, limit);
  if (entry.fault) {
    parts.push(element("p", { className: "fault" }, `Your bot is out: ${entry.fault}`));
    if (time) parts.push(element("p", {}, `Time taken: ${time}.`));
  }
  for (const note of entry.notes ?? []) parts.push(element("p", { className: "muted" }, note));
  if (entry.stderr) parts.push(block("Standard error", linked(entry.stderr, file, go)));
  parts.push(block("Output", [entry.action ?? "(nothing)"], entry.fault ? "" : time));
  parts.push(block("Input", [turn.inputs[String(seat)] ?? ""]));
  return parts;
}

/**
 * What another bot of the same author said in a turn.
 * @param {Turn} turn
 * @param {number} player its number
 * @param {string} name
 * @returns {HTMLElement[]}
 */
export function toldOfOther(turn, player, name) {
  const entry = turn.entries.find((one) => one.player === player);
  if (!entry) return [];
  /** @type {HTMLElement[]} */
  const parts = [];
  if (entry.fault) parts.push(element("p", { className: "fault" }, foreign(name), ` is out: ${entry.fault}`));
  if (entry.stderr) parts.push(block(`Standard error of ${name}`, [foreign(entry.stderr)]));
  return [...parts, block(`Output of ${name}`, [entry.action ?? "(nothing)"])];
}
