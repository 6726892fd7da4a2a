// @ts-check
// Shows earlier turns of a match on the board while the match goes on.

import { GLIDE_MS } from "../../../../../viewer/static/board/drawing/layers.js";
import { Pictures } from "../../../../../viewer/static/board/pictures.js";

/** @typedef {import("./showing.js").Frame} Frame */
/** @typedef {import("../messages.js").NewFrames} NewFrames */
/**
 * All pictures of a match so far; for each turn, its number and the index of its last picture.
 * @typedef {{frames: Frame[], turns: [turn: number, last: number][]}} Past
 */

export class Lookback {
  /**
   * @param {import("../../../../../viewer/static/board/board.js").LapilliBoard} board
   * @param {import("./showing.js").Showing} showing shows the current pictures of the match
   * @param {{path: string, changed: () => void, failed: () => void}} how `path`: address of the earlier
   * pictures. `changed` is called when another turn is shown, `failed` when the pictures cannot be loaded
   */
  constructor(board, showing, how) {
    this.board = board;
    this.showing = showing;
    this.how = how;
    /** Index of the earlier turn that is shown; null if the current position is shown. @type {number | null} */
    this.at = null;
    /** @type {Past | undefined} */
    this.past = undefined;
    /** @type {NewFrames[]} */
    this.steps = [];
    this.pictures = new Pictures();
    /** @type {Promise<boolean> | undefined} */
    this.loading = undefined;
  }

  /** Whether the board shows an earlier turn. */
  get isBack() {
    return this.at !== null;
  }

  /** Number of the shown earlier turn, and of the last turn. @returns {[turn: number, last: number]} */
  get place() {
    const turns = this.past?.turns ?? [];
    return [turns[this.at ?? 0]?.[0] ?? 0, turns.at(-1)?.[0] ?? 0];
  }

  /** Drops all earlier turns, because the site has sent the whole table again. */
  forget() {
    this.at = null;
    this.past = this.loading = undefined;
    this.steps = [];
    this.pictures = new Pictures();
  }

  /** Adds a turn that was just played. @param {NewFrames} step */
  add(step) {
    this.steps.push(step);
    if (this.past) this.append(step);
    if (this.isBack) this.how.changed();
  }

  /** Adds the pictures of a turn to the loaded ones, unless they contain the turn already. @param {NewFrames} step */
  append({ turn, frames }) {
    const { past } = this;
    if (!past || !frames.length || (frames[0].turn ?? 0) < past.turns.length) return;
    for (const frame of frames) {
      past.frames.push(frame);
      this.pictures.add(frame);
    }
    past.turns.push([turn, past.frames.length - 1]);
  }

  /** Goes to the previous or next turn. @param {number} by −1 to go back, 1 to go forward */
  async step(by) {
    if (!(await this.load())) return;
    const last = this.last();
    this.go((this.at ?? last) + by);
  }

  /** Shows a turn. @param {number} turn number of the turn */
  async toTurn(turn) {
    if (!(await this.load()) || !this.past) return;
    const found = this.past.turns.findIndex(([number]) => number === turn);
    if (found >= 0) this.go(found);
  }

  last() {
    return (this.past?.turns.length ?? 1) - 1;
  }

  /** Shows a turn. @param {number} index index of the turn; from the last turn on, the current position is shown */
  go(index) {
    if (index >= this.last()) return this.live();
    const at = Math.max(0, index);
    if (!this.isBack) this.showing.hold();
    this.at = at;
    this.board.show(this.pictures.seek(this.past?.turns[at][1] ?? 0), { glide: GLIDE_MS });
    this.how.changed();
    return undefined;
  }

  /** Shows the current position again, and the pictures that follow. */
  live() {
    if (!this.isBack) return;
    this.at = null;
    this.showing.release();
    this.how.changed();
  }

  /** Loads the earlier pictures, unless they are loaded. @returns {Promise<boolean>} whether they are loaded now */
  async load() {
    if (this.past) return true;
    this.loading ??= this.request(); // a key that is held down calls this many times meanwhile
    const isLoaded = await this.loading;
    this.loading = undefined;
    return isLoaded;
  }

  /** Loads the earlier turns from the site. Returns whether this has succeeded. @returns {Promise<boolean>} */
  async request() {
    const asked = this.steps;
    try {
      const answer = await fetch(this.how.path);
      if (!answer.ok) throw new Error(answer.statusText);
      /** @type {Past} */
      const past = await answer.json();
      if (asked !== this.steps) return false; // the site has sent the whole table again meanwhile
      this.past = past;
      this.pictures = new Pictures(past.frames);
      for (const step of this.steps) this.append(step);
      return true;
    } catch {
      this.how.failed();
      return false;
    }
  }
}
