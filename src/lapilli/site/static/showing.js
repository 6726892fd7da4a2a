// @ts-check
// Shows incoming pictures one after the other, at a pace that people can follow.

import { Pictures } from "../../viewer/static/board/pictures.js";

/** @typedef {import("../../viewer/static/board/pictures.js").Frame & {weight?: number}} Frame */
/** @typedef {import("../../viewer/static/board/board.js").LapilliBoard} Board */

const GLIDE_MS = 180;
const PHASE_MS = 340;
const SHORTEST_MS = 150;
/** How long all that waits may take together; what comes later is hurried. */
const PATIENCE_MS = 3000;

export class Showing {
  /**
   * @param {Board} board
   * @param {() => void} settle is told when nothing is left to show
   */
  constructor(board, settle) {
    this.board = board;
    this.settle = settle;
    this.pictures = new Pictures();
    this.at = -1;
    this.timer = 0;
  }

  /** Whether there is more to show than is seen. */
  get isBusy() {
    return this.at < this.pictures.length - 1;
  }

  /** @param {Frame} frame a whole picture, shown at once */
  start(frame) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.pictures = new Pictures([frame]);
    this.at = 0;
    this.board.show(this.pictures.seek(0));
  }

  /** @param {Frame[]} frames that follow */
  add(frames) {
    for (const frame of frames) this.pictures.add(frame);
    if (!this.timer) this.next();
  }

  next() {
    this.timer = 0;
    if (!this.isBusy) return this.settle();
    if (document.hidden) this.at = this.pictures.length - 2;
    const pace = this.pace(++this.at);
    this.board.show(this.pictures.seek(this.at), { glide: Math.min(this.isBusy ? PHASE_MS : GLIDE_MS, pace) });
    this.timer = window.setTimeout(() => this.next(), this.isBusy ? pace : GLIDE_MS);
    return undefined;
  }

  /** For how long a picture is looked at. @param {number} at */
  pace(at) {
    const usual = (/** @type {Frame} */ frame) => Math.max(SHORTEST_MS, PHASE_MS * (frame.weight ?? 1));
    const frames = /** @type {Frame[]} */ (this.pictures.frames);
    const whole = frames.slice(at).reduce((sum, frame) => sum + usual(frame), 0);
    return usual(frames[at]) * Math.min(1, PATIENCE_MS / whole);
  }

  /** Shows the last picture again, where something else was shown for a while. */
  again() {
    this.board.show(this.pictures.seek(this.at), { glide: GLIDE_MS });
  }
}
