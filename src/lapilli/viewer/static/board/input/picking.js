// @ts-check
// Picks an action on a board, one step (click or word) after the other: marks the places for the next step, offers the
// words, and sends the action to the page once all its steps have been taken.

import { Walk } from "./choosing.js";

const tapped = matchMedia("(hover: none)");

export class Picking {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
  }

  /** Marks the shapes that can be chosen now, and the shapes already chosen for this action. */
  mark() {
    const { walk, overlay, drag, laying, bar, hands } = this.board;
    overlay.mark({ targets: walk?.keys() ?? [], loose: drag.loose(), walked: walk?.path ?? [] });
    laying.draw();
    const appears = walk !== undefined && bar.offer(walk.words(), this.hint(), this.acts());
    hands.renew();
    if (appears) this.board.arrange();
  }

  /** Returns a hint for the person: what to do next. */
  hint() {
    const { walk, laying, magnifier, sight } = this.board;
    if (laying.pinned) return "Choose where its other half goes";
    if (walk?.path.length) return `Go on, or ${tapped.matches ? "tap elsewhere" : "Escape"} to step back`;
    if (!walk?.keys().length) return "";
    if (this.board.hasAttribute("ahead")) return "You can choose your next place now";
    if (tapped.matches && magnifier.isDense) return "Tap, or hold to enlarge";
    // The page itself says what to choose, or its own controls do.
    const isSaid = this.board.hasAttribute("said") || this.board.querySelector("[slot=controls]") !== null;
    if (isSaid) return "";
    const strips = new Set(walk.keys().map((key) => sight.stripOf(key)));
    const [strip] = strips;
    return strips.size === 1 && strip ? `${strip.title.textContent}: choose one` : "Choose a place";
  }

  /** Returns the buttons for a piece that is not put down yet. @returns {[word: string, act: () => void][]} */
  acts() {
    const { laying } = this.board;
    if (!laying.pinned) return [];
    /** @type {[word: string, act: () => void][]} */
    const acts = [
      ["Turn it", () => laying.turn()],
      ["Put it here", () => laying.put()],
    ];
    return laying.options(laying.pinned).length > 1 ? acts : acts.slice(1);
  }

  /** Chooses a shape as the next step of an action. @param {string} key @returns {boolean} whether it can be chosen */
  choose(key) {
    if (!this.board.walk?.point(key)) return false;
    this.walked();
    return true;
  }

  /** Chooses a word as the next step of an action. @param {string} word */
  say(word) {
    this.board.walk?.say(word);
    this.walked();
    this.board.parts.stage.focus({ preventScroll: true }); // the button with the word is removed
  }

  /** Carries out the action if all its steps have been taken; otherwise marks the possible next steps. */
  walked() {
    const { board } = this;
    board.walk?.sayOnly();
    const chosen = board.walk?.chosen();
    if (chosen) board.walk = new Walk([]);
    // The copy of the piece stays where it was put until the next picture shows the piece there.
    if (chosen && chosen === board.laying.shown)
      [board.drag.put, board.layers.landed] = [board.laying.release(), chosen[3]];
    board.hands.point([]);
    this.mark();
    if (chosen) board.tell("pick", { action: chosen[0], label: chosen[2] });
    const count = board.walk?.open().length ?? 0;
    board.parts.live.textContent = chosen ? chosen[2] : `${count} ${count === 1 ? "choice" : "choices"}`;
  }

  /** Undoes the last step (click or word) of an unfinished action. @returns {boolean} whether there was one */
  stepBack() {
    if (!this.board.walk?.back()) return false;
    this.mark();
    return true;
  }
}
