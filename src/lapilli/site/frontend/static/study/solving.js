// @ts-check
// Exercises on a board, in which a player has to find a turn. Puzzles, mistakes and tutorials share this module.

import { percent, together } from "../../../../viewer/static/analysis/marks.js";
import { element } from "../../../../viewer/static/player/elements.js";
import { $ } from "../dom.js";
import { spelled, Study } from "./study.js";

/** @typedef {import("./study.js").Place} Place */
/** @typedef {import("./study.js").Told} Told */
/** @typedef {import("../../../../viewer/static/analysis/marks.js").Markings} Markings */

export class Solving {
  /**
   * @param {(turn: string) => void} played is called with the turn when the person has chosen it completely
   * @param {string[]} [names] what the players are called; by default "You" and "Opponent"
   */
  constructor(played, names) {
    /** @type {import("./study.js").Board} */
    this.board = $("board");
    this.study = new Study(
      this.board,
      {
        played: (turn) => this.chosen(turn),
        drafted: (told) => this.drafted(told),
        refused: (text) => this.say(text, "bad"),
      },
      0,
    );
    this.played = played;
    this.names = names;
    /** @type {Place} */
    this.place = { game: "", setup: {}, moves: [] };
    /** @type {string[]} the line of turns that the board shows */
    this.line = [];
    this.at = 0;
    /** Marks and arrows that are drawn on the board in the exercise's position. */
    this.signs = together([]);
    /** @type {{side: string}[]} */
    this.players = [];
    $("commit").addEventListener("click", () => this.study.commit());
    $("line-back").addEventListener("click", () => void this.step(this.at - 1));
    $("line-on").addEventListener("click", () => void this.step(this.at + 1));
    addEventListener("keydown", (event) => this.press(event));
    // On a phone held upright, the board leaves space for the sentences and buttons below it.
    const actions = /** @type {HTMLElement} */ (document.querySelector(".actions"));
    new ResizeObserver(() =>
      actions.parentElement?.style.setProperty("--actions", `${actions.offsetHeight}px`),
    ).observe(actions);
  }

  /** Steps back or forward in the line with an arrow key, unless the board or a field has the focus. @param {KeyboardEvent} event */
  press(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = /** @type {HTMLElement} */ (event.target);
    if (!by || !this.line.length || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("lapilli-board, input, textarea, select")) return;
    event.preventDefault();
    void this.step(this.at + by);
  }

  /**
   * Shows a position, and lets the person choose a turn for a player.
   * @param {Place} place
   * @param {number} player
   * @param {Markings} [signs] marks and arrows to draw on the board
   * @param {{step?: boolean}} [how] whether the last turn that led there is shown step by step
   * @returns {Promise<Told | undefined>}
   */
  async ask(place, player, signs = together([]), { step = false } = {}) {
    this.stop();
    this.place = place;
    this.signs = signs;
    this.study.only = player;
    this.study.called = (number, side) =>
      this.names?.[number] ?? (number === player ? "You" : this.players.length > 2 ? side : "Opponent");
    this.study.plays = true;
    $("commit").hidden = true;
    const told = await this.study.go(place, { whole: true, step });
    if (!told) return undefined;
    this.board.flipped = told.look?.players.length === 2 && player === 1;
    this.board.own = player;
    this.players = told.look?.players ?? this.players;
    Object.assign(this.board, this.signs);
    return told;
  }

  /** Shows the actions that are chosen so far. @param {Told} told */
  drafted(told) {
    $("commit").hidden = !this.study.ready;
    this.say(`${(told.draft?.labels ?? []).join(", then ")}${this.study.ready ? "?" : " …"}`);
  }

  /** Ends choosing, because the turn is complete. @param {string} turn */
  chosen(turn) {
    $("commit").hidden = true;
    this.study.plays = false;
    this.study.offer();
    this.played(turn);
  }

  /** Lets the person choose a turn again. */
  async again() {
    await this.ask(this.place, this.study.only ?? 0, this.signs);
  }

  /**
   * Shows a line of turns, in words and on the board. The person can step back and forward in the line.
   * @param {string[]} line
   * @param {{from?: number, signs?: Markings}} [how] number of turns that are played at first; marks and arrows to draw
   *   before the first turn
   */
  async show(line, { from = 1, signs = this.signs } = {}) {
    this.stop();
    this.study.plays = false;
    this.signs = signs;
    this.line = line;
    this.at = 0;
    $("line").hidden = line.length < 1;
    $("line-told").hidden = line.length < 2;
    if (await this.spell()) await this.step(from);
  }

  /** Lists the turns of the line in words. @returns {Promise<boolean>} false if the page shows something else by now */
  async spell() {
    const moves = [...this.place.moves, ...this.line];
    const told = await this.study.fetch({ ...this.place, moves, whole: true });
    if (!told) return false;
    const words = (told.words ?? []).slice(this.place.moves.length);
    const rows = words.map((turn, number) => {
      const step = () => void this.step(number + 1);
      return element("li", {}, element("button", { type: "button", onclick: step }, ...spelled(turn, this.players)));
    });
    $("line-told").replaceChildren(...rows);
    return true;
  }

  /** Shows the position after some turns of the line. @param {number} at number of turns */
  async step(at) {
    const forth = at === this.at + 1;
    this.at = Math.max(0, Math.min(this.line.length, at));
    $("line-at").textContent = `${this.at} of ${this.line.length}`;
    $("line-back", HTMLButtonElement).disabled = this.at === 0;
    $("line-on", HTMLButtonElement).disabled = this.at === this.line.length;
    [...$("line-told").children].forEach((/** @type {Element} */ row, number) => {
      if (number === this.at - 1) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
    await this.study.go(
      { ...this.place, moves: [...this.place.moves, ...this.line.slice(0, this.at)] },
      { step: forth },
    );
    if (this.at === 0) Object.assign(this.board, this.signs);
  }

  stop() {
    this.line = [];
    $("line").hidden = $("line-told").hidden = true;
  }

  /**
   * Shows a sentence about the exercise.
   * @param {string} text
   * @param {"" | "good" | "bad"} [kind]
   */
  say(text, kind = "") {
    $("status").textContent = text;
    $("status").className = kind;
  }
}

/**
 * Fills the row of buttons with which the person goes to another exercise, and scrolls it to the present one.
 * @param {{title: string, label: string, done: boolean, sign?: Element}[]} steps `label`: description for screen
 *   readers; `sign`: a symbol beside the number
 * @param {number} at index of the present exercise
 * @param {(at: number) => void} go is called with the index of the exercise that was chosen
 */
export function listSteps(steps, at, go) {
  const items = steps.map(({ title, label, done, sign }, number) => {
    const button = element(
      "button",
      { type: "button", title, "aria-label": `${label}${done ? ", done" : ""}`, onclick: () => go(number) },
      ...(sign ? [sign] : []),
      done ? "✓" : String(number + 1),
    );
    if (number === at) button.setAttribute("aria-current", "step");
    return element("li", { className: done ? "done" : "" }, button);
  });
  $("steps").replaceChildren(...items);
  const present = items[Math.min(at, items.length - 1)];
  if (!present) return;
  const { offsetLeft, offsetWidth } = present;
  $("steps").scrollLeft = offsetLeft - ($("steps").clientWidth - offsetWidth) / 2;
}

/**
 * The verdict on an answer, in a sentence.
 * @param {{good: boolean, value: number, best: number}} told
 */
export function verdictOf({ good, value, best }) {
  if (good) return `Good: your winning chance is ${percent(value)}.`;
  return `Not the best: your winning chance drops to ${percent(value)}; the best move keeps ${percent(best)}.`;
}
