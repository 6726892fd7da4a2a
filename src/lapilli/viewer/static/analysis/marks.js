// @ts-check
/**
 * The marks of bad turns in an analysis, with their symbols and words. Also draws turns on a board as arrows and dots.
 */

import { svg } from "../board/drawing/drawing.js";

/** @typedef {{dots: [key: string, kind: string][], arrows: [from: string, to: string, kind: string][]}} Markings */

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

/** Formats a share as a percentage, without a line break in it. @param {number} value from 0 to 1 */
export const percent = (value) => `${Math.round(100 * value)}\u00a0%`;

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

/**
 * Returns the arrows and dots that show how a turn is played: for each action an arrow from each clicked shape to the
 * next, or a dot if there is only one click.
 * @param {string[][]} ways for each action of the turn, the keys of the shapes to click
 * @param {string} kind kind of the arrows and dots
 * @returns {Markings}
 */
export function drawn(ways, kind) {
  return {
    dots: ways.filter((way) => way.length === 1).map(([key]) => [key, kind]),
    arrows: ways.flatMap((way) =>
      way.slice(1).map((key, i) => /** @type {[string, string, string]} */ ([way[i], key, kind])),
    ),
  };
}

/**
 * Joins the arrows and dots of several turns. If two turns have the same arrow or dot, the first turn's is used.
 * @param {Markings[]} all arrows and dots of each turn, the most important turn first
 * @returns {Markings}
 */
export function together(all) {
  /** @type {Map<string, [key: string, kind: string]>} */
  const dots = new Map();
  /** @type {Map<string, [from: string, to: string, kind: string]>} */
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
