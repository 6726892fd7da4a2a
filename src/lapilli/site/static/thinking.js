// @ts-check
// The panel with an engine's evaluation of a position. The site searches for some seconds, and stops
// when the page shows another position.

import { element, foreign, signOf } from "../../viewer/static/player/elements.js";
import { listen } from "./study.js";

/** @typedef {import("./study.js").Place} Place */
/** @typedef {{value: number, reply: string, ways: string[], moves: string[], words: [number, string][]}} Line */
/** @typedef {{player: number, value: number, nodes: number, ms: number, proven: boolean, ended: boolean, lines: Line[], problem?: string}} Thought */

const SAID = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export class Thinking {
  /**
   * @param {HTMLElement} panel
   * @param {import("./study.js").Board} board
   * @param {(moves: string[]) => void} follow is told which line is to be played
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
    this.switch = /** @type {HTMLInputElement} */ (panel.querySelector("input"));
    this.switch.addEventListener("change", () =>
      this.switch.checked && this.asked ? void this.start(this.asked, this.players) : this.stop(),
    );
    addEventListener("pagehide", () => this.stop());
  }

  /** @param {string} name @returns {any} */
  part(name) {
    return this.panel.querySelector(`[data-part=${name}]`);
  }

  /**
   * Thinks about a position, and no longer about the one before.
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
    this.part("lines").hidden = this.part("bar").hidden = false;
    this.part("lines").replaceChildren();
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
    this.part("state").textContent = this.switch.checked ? "" : "off";
    this.unmark();
  }

  /** There is nothing to think about. */
  idle() {
    this.stop();
    this.asked = undefined;
    this.part("lines").hidden = this.part("bar").hidden = true;
    this.part("value").textContent = "";
  }

  unmark() {
    this.board.dots = [];
  }

  /** @param {any} one */
  hear(one) {
    if (one.problem) {
      this.panel.dataset.state = "stopped";
      this.part("state").textContent = one.problem;
      return;
    }
    const thought = /** @type {Thought} */ (one);
    const side = this.players[thought.player].side;
    this.panel.dataset.state = thought.ended ? "done" : "thinking";
    this.part("value").textContent = `${side} ${this.percent(thought.value)}`;
    this.part("bar").value = thought.value;
    this.part("bar").setAttribute("aria-label", `Expected score of ${side}`);
    this.part("state").textContent =
      `${thought.proven ? "certain, " : ""}${(thought.ms / 1000).toFixed(1)} s, ${SAID.format(thought.nodes)} nodes${thought.ended ? "" : " …"}`;
    this.part("lines").replaceChildren(...thought.lines.map((line) => this.line(line)));
    this.board.dots = (thought.lines[0]?.ways ?? []).map((key) => /** @type {[string, string]} */ ([key, "best"]));
  }

  /** @param {number} value */
  percent(value) {
    return `${Math.round(100 * value)} %`;
  }

  /** @param {Line} line */
  line(line) {
    const words = line.words.map(([player, text]) =>
      element("span", { className: "told" }, signOf(player, this.players[player].side), foreign(text)),
    );
    const parts = [element("b", {}, this.percent(line.value)), element("span", {}, ...words)];
    if (!line.moves.length) return element("li", {}, element("span", { className: "line" }, ...parts));
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", className: "line", title: "Add this line", onclick: () => this.follow(line.moves) },
        ...parts,
      ),
    );
  }
}
