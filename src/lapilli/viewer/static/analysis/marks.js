// @ts-check
/**
 * The marks of bad turns in an analysis, with their symbols and words. Also draws turns on a board as arrows and dots.
 */

import { svg } from "../board/drawing/drawing.js";

/** @typedef {import("../board/drawing/overlay.js").Arrow} Arrow */
/** @typedef {import("../board/drawing/overlay.js").Dot} Dot */
/** @typedef {{dots: Dot[], arrows: Arrow[]}} Markings */

/** The marks of bad turns, the worst first, with their plurals. @type {Record<string, string>} */
const PLURALS = { blunder: "blunders", mistake: "mistakes", inaccuracy: "inaccuracies" };
/** SVG path of each mark's symbol. @type {Record<string, string>} */
const SIGNS = {
  blunder: "M1 1h10v10h-10z",
  mistake: "M6 0.5l6 11h-12z",
  inaccuracy: "M1 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
};

export const MARKS = Object.keys(PLURALS);

/** Formats a number of marks, as in "1 mistake" or "2 mistakes". @param {number} count @param {string} mark */
export const counted = (count, mark) => `${count} ${count === 1 ? mark : PLURALS[mark]}`;

/** Formats a percentage, without a line break in it. @param {number} value from 0 to 100 */
export const rounded = (value) => `${Math.round(value)}\u00a0%`;

/** Formats a share as a percentage. @param {number} value from 0 to 1 */
export const percent = (value) => rounded(100 * value);

/** Describes a proven expected score in words. @param {number} value from 0 to 1 */
export const proof = (value) => (value === 1 ? "a proven win" : value === 0 ? "a proven loss" : "certain");

/**
 * Returns the symbol of a mark. Symbols differ in shape, not only in colour.
 * @param {string} mark
 */
export function signOfMark(mark) {
  return svg(
    "svg",
    { class: `mark ${mark}`, viewBox: "0 0 12 12", "aria-hidden": "true" },
    svg("path", { d: SIGNS[mark] }),
  );
}

/** Prefix of a piece's key after the two places on which the piece is laid. */
const LAID = "+";

/** Whether a step lays a piece on two places. @param {string[]} way */
const isLaid = (way) => way.at(-1)?.startsWith(LAID) ?? false;

/**
 * Returns the arrows and dots that show how a turn is played: for each action an arrow from each clicked shape to the
 * next, or a dot if there is only one click. Instead of an arrow, a piece that is laid on two places is drawn there.
 * @param {string[][]} ways for each action of the turn, the keys of the shapes to click
 * @param {string} kind kind of the arrows and dots
 * @param {boolean} [isNumbered] whether to number the steps of a turn of several steps; never if a piece is laid
 * @returns {Markings}
 */
export function drawn(ways, kind, isNumbered = false) {
  const [laid, moved] = [ways.filter(isLaid), ways.filter((way) => !isLaid(way))];
  const labels = new Map(
    (isNumbered && !laid.length ? numbered(ways) : []).map(({ ends, label }) => [ends.join(" "), label]),
  );
  const withLabel = (/** @type {string[]} */ ends) => {
    const name = ends.join(" ");
    const label = labels.get(name);
    labels.delete(name); // an equal arrow of another step needs no label: this one has the numbers of both
    return label ? [...ends, kind, label] : [...ends, kind];
  };
  return {
    dots: moved.filter((way) => way.length === 1).map((way) => /** @type {Dot} */ (withLabel(way))),
    arrows: [
      ...moved.flatMap((way) => way.slice(1).map((key, i) => /** @type {Arrow} */ (withLabel([way[i], key])))),
      ...laid.map(([from, to, piece]) => /** @type {Arrow} */ ([from, to, kind, "", piece.slice(LAID.length)])),
    ],
  };
}

/**
 * Numbers the steps of a turn, each at its last arrow or, if a step is one click, at its dot. Steps with the same arrow
 * or dot share it, with all their numbers. If the turn has only one step, its label is empty.
 * @param {string[][]} ways for each step, the keys of the shapes to click; a step without keys counts, but has no label
 * @param {number} [done] number of steps of the turn before these
 * @returns {{ends: string[], label: string}[]} `ends`: keys of an arrow's two shapes, or of a dot's shape
 */
export function numbered(ways, done = 0) {
  /** @type {Map<string, {ends: string[], numbers: number[]}>} */
  const found = new Map();
  ways.forEach((way, step) => {
    const ends = way.slice(-2);
    const name = ends.join(" ");
    if (ends.length) found.set(name, { ends, numbers: [...(found.get(name)?.numbers ?? []), done + step + 1] });
  });
  const isLong = done + ways.length > 1;
  return [...found.values()].map(({ ends, numbers }) => ({ ends, label: isLong ? numbers.join(", ") : "" }));
}

/**
 * Joins the arrows and dots of several turns. If two turns have the same arrow or dot, the first turn's is used.
 * @param {Markings[]} all arrows and dots of each turn, the most important turn first
 * @returns {Markings}
 */
export function together(all) {
  /** @type {Map<string, Dot>} */
  const dots = new Map();
  /** @type {Map<string, Arrow>} */
  const arrows = new Map();
  for (const markings of all) {
    for (const dot of markings.dots) if (!dots.has(dot[0])) dots.set(dot[0], dot);
    for (const arrow of markings.arrows) {
      const ends = `${arrow[0]} ${arrow[1]}`;
      if (!arrows.has(ends)) arrows.set(ends, arrow);
    }
  }
  return { dots: [...dots.values()].reverse(), arrows: [...arrows.values()].reverse() };
}
