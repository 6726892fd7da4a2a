// @ts-check
// The panel with an engine's evaluation of a position. The site searches for some seconds, and stops
// when the page shows another position.

import { drawn, percent, proof, together } from "../../../../../viewer/static/analysis/marks.js";
import { element, signOf } from "../../../../../viewer/static/player/elements.js";
import { inBrief, listen } from "../study.js";
import { fitLine, tellWhole, unfolding } from "./whole_line.js";

/** @typedef {import("../study.js").Place} Place */
/**
 * A turn that the engine examined. `value` is null if it has hardly examined the turn. `ways`: the clicks that play the
 * turn. `moves`, `words`: the turn and the turns that the engine expects after it, as text and in words.
 * @typedef {{value: number | null, reply: string, ways: string[][], moves: string[], words: import("../study.js").Words}} Line
 */
/**
 * The result of a search so far, for a player.
 * @typedef {{player: number, value: number, nodes: number, ms: number, proven: boolean, ended: boolean, lines: Line[],
 *   problem?: string}} Thought
 */

/** The list of lines is not reordered while a pointer moves over it, and for this time afterwards, in milliseconds. */
const HOLD_MS = 800;
/** Turns whose expected scores differ by at most this are about equal. */
const ABOUT = 0.015;
const SAID = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export class Thinking {
  /**
   * @param {HTMLElement} panel
   * @param {import("../study.js").Board} board
   * @param {(moves: string[]) => void} follow is called with the turns of the line that was clicked
   */
  constructor(panel, board, follow) {
    this.panel = panel;
    this.board = board;
    this.follow = follow;
    /** @type {AbortController | undefined} */
    this.going = undefined;
    /** @type {{name: string, side: string}[]} */
    this.players = [];
    /** @type {(Place & {player: number}) | undefined} */
    this.asked = undefined;
    /** The rows of the list, by the line's first turn. @type {Map<string, HTMLElement>} */
    this.rows = new Map();
    /** Time when a pointer last moved over the lines, by `performance.now`. */
    this.pointedAt = -Infinity;
    this.holding = 0;
    /** Marks and arrows for the engine's best line. */
    this.marks = together([]);
    this.isPointing = false;
    /** The row that is pointed at. @type {Element | null} */
    this.pointed = null;
    /** Whether the lines are drawn on the board. */
    this.isDrawn = true;
    for (const type of ["pointermove", "pointerdown"])
      this.part("lines").addEventListener(type, () => (this.pointedAt = performance.now()));
    this.switch = /** @type {HTMLInputElement} */ (panel.querySelector("input"));
    this.switch.addEventListener("change", () =>
      this.switch.checked && this.asked ? void this.start(this.asked, this.players) : this.stop(),
    );
    addEventListener("pagehide", () => this.stop());
  }

  /** An element of the panel. @param {string} name @returns {any} */
  part(name) {
    return this.panel.querySelector(`[data-part=${name}]`);
  }

  /**
   * Starts the engine's search of a position, and ends the search of the position before.
   * @param {Place & {player: number}} place
   * @param {{name: string, side: string}[]} players
   */
  async start(place, players) {
    this.stop();
    [this.asked, this.players] = [place, players];
    if (!this.switch.checked) return;
    const going = (this.going = new AbortController());
    this.panel.dataset.state = "thinking";
    this.part("state").textContent = "thinking …";
    for (const name of ["lines", "bar", "legend"]) this.part(name).hidden = false;
    this.list([]);
    try {
      await listen("/analyse/think", place, (one) => this.going === going && this.hear(one), going.signal);
    } catch (problem) {
      if (this.going === going) this.hear({ problem: "the engine cannot be reached" });
      else if (/** @type {Error} */ (problem).name !== "AbortError") throw problem;
    }
  }

  stop() {
    this.going?.abort();
    this.going = undefined;
    this.panel.dataset.state = "stopped";
    this.part("state").textContent = "";
    this.unmark();
  }

  /** Ends the search and clears the panel, because the position has no turn to search for. */
  idle() {
    this.stop();
    this.asked = undefined;
    for (const name of ["lines", "bar", "legend"]) this.part(name).hidden = true;
    this.part("value").textContent = "";
  }

  unmark() {
    this.mark(together([]));
    this.point();
  }

  /**
   * Draws the engine's best line on the board.
   * @param {import("../../../../../viewer/static/analysis/marks.js").Markings} marks
   */
  mark(marks) {
    this.marks = marks;
    if (!this.isPointing && this.isDrawn) Object.assign(this.board, marks);
  }

  /**
   * Draws only one turn on the board, while somebody points at it in a list.
   * @param {string[][]} [ways] the clicks that play the turn; undefined to draw the engine's best line again
   * @param {Element | null} [row] the row of the turn in the list of the engine's lines
   */
  point(ways, row = null) {
    this.isPointing = ways !== undefined;
    this.pointed = row;
    this.tint();
    Object.assign(this.board, ways ? drawn(ways, "best", true) : this.isDrawn ? this.marks : together([]));
  }

  /** Gives the row of the turn that is drawn on the board the colour of the turn's arrows. */
  tint() {
    const drawnRow = this.isPointing ? this.pointed : this.part("lines").firstElementChild;
    for (const row of this.part("lines").children) row.classList.toggle("drawn", row === drawnRow);
  }

  /** Sets whether the lines are drawn on the board. @param {boolean} isDrawn */
  draws(isDrawn) {
    this.isDrawn = isDrawn;
    this.point();
  }

  /** Receives a result of the search, and shows it. @param {any} one */
  hear(one) {
    if (one.problem) {
      this.panel.dataset.state = "stopped";
      this.part("state").textContent = one.problem;
      return;
    }
    const thought = /** @type {Thought} */ (one);
    const side = this.players[thought.player].side;
    this.panel.dataset.state = thought.ended ? "done" : "thinking";
    this.part("value").replaceChildren(signOf(thought.player, side), percent(thought.value));
    this.part("bar").value = thought.value;
    this.part("bar").setAttribute("aria-label", `Winning chance of ${side}`);
    this.part("state").textContent =
      `${thought.proven ? `${proof(thought.value)}, ` : ""}${(thought.ms / 1000).toFixed(1)} s, ${SAID.format(thought.nodes)} nodes${thought.ended ? "" : " …"}`;
    this.list(thought.lines);
    this.mark(drawn(thought.lines[0]?.ways ?? [], "best", true));
    const known = thought.lines.flatMap(({ value }) => (value === null ? [] : [value]));
    this.part("equal").hidden = known.length < 3 || known[0] - known[known.length - 1] > ABOUT;
    this.part("numbers").hidden =
      !this.marks.dots.some((dot) => dot[2]) && !this.marks.arrows.some((arrow) => arrow[3]);
  }

  /**
   * Shows the lines, the best first. The row of a turn stays the same element, so it keeps the focus. While a pointer
   * moves over the list, the list does not change; it is updated soon afterwards.
   * @param {Line[]} lines
   */
  list(lines) {
    const list = this.part("lines");
    clearTimeout(this.holding);
    const left = this.pointedAt + HOLD_MS - performance.now();
    if (lines.length && this.rows.size && left > 0) {
      this.holding = window.setTimeout(() => this.list(lines), left);
      return;
    }
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    const best = rated(lines);
    const rows = best.map((line) => this.row(line, this.rows.get(line.reply) ?? element("li")));
    this.rows = new Map(best.map(({ reply }, number) => [reply, rows[number]]));
    const isSame = rows.length === list.children.length && rows.every((row, number) => row === list.children[number]);
    if (!isSame) list.replaceChildren(...rows);
    rows.forEach(fitLine);
    this.tint();
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true }); // it was moved with its row
  }

  /**
   * Fills the row of a line. A button that the row has already is used again, so that it keeps the focus.
   * @param {Line} line
   * @param {HTMLElement} row
   */
  row(line, row) {
    const [first, ...next] = inBrief(line.words, this.players);
    const parts = [
      element("b", {}, line.value === null ? "…" : percent(line.value)),
      element("span", { className: "words" }, first, ...(next.length ? [element("small", {}, ...next)] : [])),
    ];
    const isNew = !row.firstElementChild;
    if (isNew) {
      row.append(element(line.moves.length ? "button" : "span", { className: "line" }));
      unfolding(row, (isWhole) => this.point(isWhole ? line.ways : undefined, row));
    }
    tellWhole(row, line.words, this.players);
    const held = /** @type {HTMLElement} */ (row.firstElementChild);
    held.replaceChildren(...parts);
    held.onpointerenter = held.onfocus = () => this.point(line.ways, row);
    held.onpointerleave = held.onblur = () => this.point();
    if (!line.moves.length) return row;
    held.title = "Add this line to the variations";
    held.onclick = () => this.follow(line.moves);
    return row;
  }
}

/** The lines that the engine has examined well; the first one in any case. @param {Line[]} lines */
const rated = (lines) => lines.filter(({ value }, number) => !number || value !== null);
