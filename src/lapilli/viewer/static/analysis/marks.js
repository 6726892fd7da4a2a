// @ts-check
/** The marks of an analysis: their signs and words, and how turns are drawn on a board. */

import { svg } from "../board/drawing.js";

/** @typedef {{dots: [key: string, kind: string][], arrows: [from: string, to: string, kind: string][]}} Markings */

/** The marks of bad turns, the worst first: one, and several of them. @type {Record<string, string>} */
const PLURALS = { blunder: "blunders", mistake: "mistakes", inaccuracy: "inaccuracies" };
/** @type {Record<string, string>} */
const SIGNS = {
  blunder: "M1 1h10v10h-10z",
  mistake: "M6 0.5l6 11h-12z",
  inaccuracy: "M1 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
};

export const MARKS = Object.keys(PLURALS);

/** "1 mistake", "2 mistakes". @param {number} count @param {string} mark */
export const counted = (count, mark) => `${count} ${count === 1 ? mark : PLURALS[mark]}`;

/** A share in per cent, which no line end divides. @param {number} value from 0 to 1 */
export const percent = (value) => `${Math.round(100 * value)}\u00a0%`;

/** What a value means that a search has proven, in words. @param {number} value from 0 to 1 */
export const proof = (value) => (value === 1 ? "a proven win" : value === 0 ? "a proven loss" : "certain");

/**
 * A mark's sign, told by shape as well as by colour.
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
 * Where one would point to play a turn: arrows from key to key, or a dot where one key is all.
 * @param {string[][]} ways for each action of the turn, the keys to click
 * @param {string} kind of the arrows and dots
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
 * Several turns on one board: where two of them point at the same, the earlier one of the list is seen.
 * @param {Markings[]} all the most important one first
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
