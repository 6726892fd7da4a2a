// @ts-check
// Shows incoming pictures one after the other, at a pace that people can follow.

import { GLIDE_MS, PHASE_MS } from "../../../viewer/static/board/layers.js";
import { Pictures } from "../../../viewer/static/board/pictures.js";

/** @typedef {import("../../../viewer/static/board/pictures.js").Frame & {weight?: number, caption?: string, turn?: number}} Frame */
/** @typedef {import("../../../viewer/static/board/board.js").LapilliBoard} Board */

const SHORTEST_MS = 150;
/** Longest time for all waiting pictures together, in milliseconds. If there are more, each is shown for less time. */
const PATIENCE_MS = 3000;

export class Showing {
  /**
   * @param {Board} board
   * @param {() => void} settle is called when no picture is left to show
   * @param {(frame: Frame) => void} [shown] is called with each picture that is shown
   */
  constructor(board, settle, shown = () => {}) {
    this.board = board;
    this.settle = settle;
    this.shown = shown;
    this.pictures = new Pictures();
    this.at = -1;
    this.timer = 0;
    /** Whether pictures only queue, because the board shows something else. */
    this.isHeld = false;
    /** What is to be called once a picture has been looked at. @type {[at: number, seen: () => void][]} */
    this.seen = [];
  }

  /** Whether there are pictures that have not been shown. */
  get hasMore() {
    return this.at < this.pictures.length - 1;
  }

  /** Whether pictures have not been shown, or the last one is still looked at. */
  get isBusy() {
    return this.hasMore || this.timer !== 0;
  }

  /**
   * Begins with other pictures, and shows the last of them at once.
   * @param {Frame[]} frames the first is a whole picture
   * @param {number} [glide] for how many milliseconds pieces glide
   */
  start(frames, glide = 0) {
    clearTimeout(this.timer);
    this.timer = 0;
    this.isHeld = false;
    this.seen = [];
    this.pictures = new Pictures(frames);
    this.at = frames.length - 1;
    this.board.show(this.pictures.seek(this.at), { glide });
  }

  /**
   * @param {Frame[]} frames the next pictures
   * @param {() => void} [seen] is called once the last of them has been looked at
   */
  add(frames, seen) {
    for (const frame of frames) this.pictures.add(frame);
    if (seen) this.seen.push([this.pictures.length - 1, seen]);
    if (this.isHeld) this.tellSeen();
    else if (!this.timer) this.next();
  }

  next() {
    this.timer = 0;
    this.tellSeen();
    if (!this.hasMore) return this.settle();
    if (document.hidden) this.at = this.pictures.length - 2;
    const pace = this.pace(++this.at);
    const frame = /** @type {Frame} */ (this.pictures.frames[this.at]);
    this.shown(frame);
    this.board.show(this.pictures.seek(this.at), { glide: Math.min(this.hasMore ? PHASE_MS : GLIDE_MS, pace) });
    this.timer = window.setTimeout(() => this.next(), this.hasMore ? pace : GLIDE_MS);
    return undefined;
  }

  /** Shows the last picture at once. @returns {boolean} whether there was anything to skip */
  skip() {
    if (!this.timer || this.isHeld) return false;
    clearTimeout(this.timer);
    this.timer = 0;
    this.at = this.pictures.length - 1;
    this.board.show(this.pictures.seek(this.at));
    this.tellSeen();
    this.settle();
    return true;
  }

  /** Lets pictures only queue from now on, because the board is to show something else. */
  hold() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.isHeld = true;
    this.tellSeen();
  }

  /** Shows the last picture again after `hold`. */
  release() {
    this.isHeld = false;
    this.at = this.pictures.length - 1;
    this.again();
    this.settle();
  }

  /** Calls what waits for pictures that have been looked at, or that nobody will look at. */
  tellSeen() {
    const upTo = this.isHeld ? this.pictures.length - 1 : this.at;
    const due = this.seen.filter(([at]) => at <= upTo);
    this.seen = this.seen.filter(([at]) => at > upTo);
    for (const [, seen] of due) seen();
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
