// @ts-check
/** Symbols above the slider, at the pictures with events and faults. */

import { svg } from "../../board/drawing/drawing.js";
import { isFault } from "./reel.js";

/** @typedef {import("./reel.js").Happening} Happening */

const APART = 9;
const HEIGHT = 14;
const EDGE = 8;
const SHAPES = [
  "M0 -5L5 0L0 5L-5 0z",
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
  "M-4 -4h8v8h-8z",
  "M0 -5L5 4H-5z",
  "M0 5L5 -4H-5z",
  "M0 -5L4.5 -2.5V2.5L0 5L-4.5 2.5V-2.5z",
];
const SIGNS = { fault: "M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5", silent: "M-5 0H5M0 -5V5", note: "M0 -5V5" };

/** Returns a sort key: faults first, then notes of the referee, then events of the game. @param {Happening} one */
const rank = ({ kind }) => (isFault(kind) ? 0 : kind in SIGNS ? 1 : 2);

/**
 * Groups events whose symbols would overlap.
 * @param {Happening[]} happenings
 * @param {(at: number) => number} place function that returns the x coordinate of a picture
 * @returns {[number, Happening[]][]} x coordinate of each group, and its events; the first event's symbol is shown
 */
export function heaps(happenings, place) {
  /** @type {[number, Happening[]][]} */
  const made = [];
  for (const one of [...happenings].sort((a, b) => a.at - b.at)) {
    const x = Math.round(place(one.at));
    const heap = made.at(-1);
    if (heap && x - heap[0] < APART) heap[1].push(one);
    else made.push([x, [one]]);
  }
  for (const [, those] of made) those.sort((a, b) => rank(a) - rank(b));
  return made;
}

export class Timeline {
  /**
   * @param {SVGElement} strip element for the symbols
   * @param {(at: number) => void} go function that shows a picture
   */
  constructor(strip, go) {
    this.strip = strip;
    this.go = go;
    /** @type {Happening[]} */
    this.happenings = [];
    this.last = 1;
    /** @type {string[]} the game's own kinds of events, each with a symbol of its own */
    this.kinds = [];
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(strip);
  }

  /**
   * Shows the events of a film.
   * @param {Happening[]} happenings
   * @param {number} last number of the film's last picture
   */
  show(happenings, last) {
    this.happenings = happenings;
    this.last = Math.max(1, last);
    this.kinds = [...new Set(happenings.map(({ kind }) => kind))].filter((kind) => !(kind in SIGNS));
    this.draw();
  }

  draw() {
    const width = this.strip.getBoundingClientRect().width;
    if (!width) return;
    this.strip.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const found = heaps(this.happenings, (at) => EDGE + ((width - 2 * EDGE) * at) / this.last);
    this.strip.replaceChildren(...found.map(([x, those]) => this.sign(x, those)));
  }

  /**
   * Returns the symbol of a group of events.
   * @param {number} x
   * @param {Happening[]} those
   */
  sign(x, those) {
    const { kind, at } = those[0];
    const path =
      kind in SIGNS
        ? SIGNS[/** @type {keyof typeof SIGNS} */ (kind)]
        : SHAPES[this.kinds.indexOf(kind) % SHAPES.length];
    const classes = kind in SIGNS ? `stroked ${isFault(kind) ? "bad" : ""} ${kind}` : "filled";
    const title = svg("title");
    title.textContent =
      those
        .slice(0, 6)
        .map((one) => one.title)
        .join("\n") + (those.length > 6 ? `\nand ${those.length - 6} more` : "");
    const made = svg(
      "g",
      { class: `sign ${classes}`, transform: `translate(${x} ${HEIGHT / 2})` },
      title,
      svg("path", { d: path }),
    );
    if (those.length > 1)
      made.append(
        svg("path", { d: `M${-Math.min(4, those.length)} 6.5h${2 * Math.min(4, those.length)}`, class: "heap" }),
      );
    made.addEventListener("click", () => this.go(at));
    return made;
  }
}
