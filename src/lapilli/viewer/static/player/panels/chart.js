// @ts-check
/** A line chart of a value over a match, with a line for each player. A click on the chart shows that picture. */

import { svg } from "../../board/drawing/drawing.js";
import { element } from "../elements.js";

const WIDTH = 400;
const HEIGHT = 110;

export class Chart {
  /**
   * @param {HTMLElement} figure element for the chart
   * @param {{label: string, words: (value: number) => string, go: (at: number) => void}} about `label`: description of
   *   the chart. `words`: function that formats a value. `go`: function that shows a picture.
   */
  constructor(figure, { label, words, go }) {
    this.words = words;
    this.worth = element("span", { className: "worth" });
    this.levels = element("div", { className: "levels", ariaHidden: "true" });
    this.svg = svg("svg", {
      role: "img",
      "aria-label": label,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
    });
    this.dots = element("div", { className: "dots" });
    this.lines = element("div", { className: "lines" }, this.svg, this.dots);
    this.clip = `seen-${label.replace(/\W/g, "-")}`;
    this.seen = svg("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT });
    this.last = 1;
    this.high = 1;
    this.low = 0;
    figure.append(
      element("figcaption", {}, this.worth),
      element("div", { className: "plot" }, this.levels, this.lines),
    );
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * this.last));
    });
  }

  /** Returns the x coordinate of a picture. @param {number} at number of the picture */
  x(at) {
    return (WIDTH * at) / this.last;
  }

  /** Returns the y coordinate of a value. @param {number} value */
  y(value) {
    return 106 - (102 * (value - this.low)) / (this.high - this.low);
  }

  /**
   * Draws the lines.
   * @param {[at: number, values: (number | null)[]][]} rows number of a picture, and each player's value at it; null for
   *   an unknown value, which the line skips
   * @param {{last: number, low: number, high: number, levels: number[]}} range number of the last picture; smallest and
   *   largest value; values with a horizontal line
   */
  plot(rows, { last, low, high, levels }) {
    this.last = Math.max(1, last);
    this.low = low;
    this.high = high;
    const grid = levels.map((value) =>
      svg("line", { x1: 0, x2: WIDTH, y1: this.y(value), y2: this.y(value), class: "level" }),
    );
    const lines = (rows[0]?.[1] ?? []).map((_, player) => {
      const points = rows.flatMap(([at, values]) => {
        const value = values[player];
        return value === null ? [] : [`${this.x(at).toFixed(1)},${this.y(value).toFixed(1)}`];
      });
      return svg("polyline", { points: points.join(" "), class: `p${player}` });
    });
    this.needle = svg("line", { y1: 0, y2: HEIGHT, class: "now" });
    this.svg.replaceChildren(
      svg("clipPath", { id: this.clip }, this.seen),
      ...grid,
      svg("g", { "clip-path": `url(#${this.clip})` }, ...lines),
      this.needle,
    );
    this.levels.replaceChildren(
      ...[...levels].reverse().map((value) => element("span", { textContent: this.words(value) })),
    );
  }

  /**
   * Moves the vertical line to the present picture.
   * @param {number} at number of the picture
   * @param {string} worth the values at this picture, in words
   * @param {boolean} isWhole whether the lines continue beyond this picture
   */
  point(at, worth, isWhole) {
    this.needle?.setAttribute("x1", String(this.x(at)));
    this.needle?.setAttribute("x2", String(this.x(at)));
    this.worth.textContent = worth;
    this.seen.setAttribute("width", String(isWhole ? WIDTH : this.x(at)));
  }

  /**
   * Puts an element on a line of the chart.
   * @param {number} at number of the picture
   * @param {number} value
   * @param {HTMLElement} dot the element
   */
  put(at, value, dot) {
    dot.style.left = `${(100 * this.x(at)) / WIDTH}%`;
    dot.style.top = `${(100 * this.y(value)) / HEIGHT}%`;
    this.dots.append(dot);
  }
}
