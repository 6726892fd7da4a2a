// @ts-check
// Earlier turns of a match, looked at while the match goes on.

import { GLIDE_MS } from "../../../viewer/static/board/layers.js";
import { Pictures } from "../../../viewer/static/board/pictures.js";

/** @typedef {import("./showing.js").Frame} Frame */
/** @typedef {import("./messages.js").NewFrames} NewFrames */
/** @typedef {{frames: Frame[], turns: [turn: number, last: number][]}} Past all pictures; for each turn its number and its last picture's */

export class Lookback {
  /**
   * @param {import("../../../viewer/static/board/board.js").LapilliBoard} board
   * @param {import("./showing.js").Showing} showing of the match as it goes on
   * @param {{path: string, changed: () => void, failed: () => void}} how address of the earlier pictures; what is called when
   *   another turn is looked at; what is called where the pictures cannot be loaded
   */
  constructor(board, showing, how) {
    this.board = board;
    this.showing = showing;
    this.how = how;
    /** Index of the turn that is looked at; null for the match as it goes on. @type {number | null} */
    this.at = null;
    /** @type {Past | undefined} */
    this.past = undefined;
    /** @type {NewFrames[]} */
    this.steps = [];
    this.pictures = new Pictures();
    /** @type {Promise<boolean> | undefined} */
    this.loading = undefined;
  }

  /** Whether an earlier turn is looked at. */
  get isBack() {
    return this.at !== null;
  }

  /** Number of the turn that is looked at, and of the last turn. @returns {[turn: number, last: number]} */
  get place() {
    const turns = this.past?.turns ?? [];
    return [turns[this.at ?? 0]?.[0] ?? 0, turns.at(-1)?.[0] ?? 0];
  }

  /** Drops all earlier turns, because the table was sent anew. */
  forget() {
    this.at = null;
    this.past = this.loading = undefined;
    this.steps = [];
    this.pictures = new Pictures();
  }

  /** @param {NewFrames} step a turn that was just played */
  add(step) {
    this.steps.push(step);
    if (this.past) this.append(step);
    if (this.isBack) this.how.changed();
  }

  /** @param {NewFrames} step */
  append({ turn, frames }) {
    const { past } = this;
    if (!past || !frames.length || (frames[0].turn ?? 0) < past.turns.length) return;
    for (const frame of frames) {
      past.frames.push(frame);
      this.pictures.add(frame);
    }
    past.turns.push([turn, past.frames.length - 1]);
  }

  /** @param {number} by how many turns to go back (−1) or forth (1) */
  async step(by) {
    if (!(await this.load())) return;
    const last = this.last();
    this.go((this.at ?? last) + by);
  }

  /** @param {number} turn number of a turn */
  async toTurn(turn) {
    if (!(await this.load()) || !this.past) return;
    const found = this.past.turns.findIndex(([number]) => number === turn);
    if (found >= 0) this.go(found);
  }

  last() {
    return (this.past?.turns.length ?? 1) - 1;
  }

  /** @param {number} index of a turn; from the last one on, the match as it goes on */
  go(index) {
    if (index >= this.last()) return this.live();
    const at = Math.max(0, index);
    if (!this.isBack) this.showing.hold();
    this.at = at;
    this.board.show(this.pictures.seek(this.past?.turns[at][1] ?? 0), { glide: GLIDE_MS });
    this.how.changed();
    return undefined;
  }

  /** Shows the match again as it goes on. */
  live() {
    if (!this.isBack) return;
    this.at = null;
    this.showing.release();
    this.how.changed();
  }

  /** Loads the earlier pictures, unless they are there. @returns {Promise<boolean>} whether they are */
  async load() {
    if (this.past) return true;
    this.loading ??= this.request(); // who holds a key down asks many times meanwhile
    const isLoaded = await this.loading;
    this.loading = undefined;
    return isLoaded;
  }

  /** @returns {Promise<boolean>} */
  async request() {
    const asked = this.steps;
    try {
      const answer = await fetch(this.how.path);
      if (!answer.ok) throw new Error(answer.statusText);
      /** @type {Past} */
      const past = await answer.json();
      if (asked !== this.steps) return false; // the table was sent anew meanwhile
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
