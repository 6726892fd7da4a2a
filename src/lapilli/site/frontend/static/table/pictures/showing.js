// @ts-check
// Shows incoming pictures one after the other, at a pace that people can follow.

import { GLIDE_MS, PHASE_MS } from "../../../../../viewer/static/board/drawing/layers.js";
import { Pictures } from "../../../../../viewer/static/board/pictures.js";

/** @typedef {import("../../../../../viewer/static/board/pictures.js").Frame & {weight?: number, caption?: string, turn?: number}} Frame */
/** @typedef {import("../../../../../viewer/static/board/board.js").LapilliBoard} Board */

const SHORTEST_MS = 150;
/** Longest time to show all waiting pictures, in milliseconds. If it would take longer, each is shown for less time. */
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
    /** Whether new pictures only wait in the queue, because the board shows something else. */
    this.isHeld = false;
    /** Functions to call after pictures were shown, by the picture's index. @type {[at: number, seen: () => void][]} */
    this.seen = [];
  }

  /** Whether there are pictures that have not been shown. */
  get hasMore() {
    return this.at < this.pictures.length - 1;
  }

  /** Whether pictures wait to be shown, or the time for the last picture is not over. */
  get isBusy() {
    return this.hasMore || this.timer !== 0;
  }

  /**
   * Replaces all pictures, and shows the last one at once.
   * @param {Frame[]} frames the pictures; the first must be complete
   * @param {number} [glide] time in which pieces glide to their new places, in milliseconds
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
   * Adds pictures to the queue.
   * @param {Frame[]} frames the pictures
   * @param {() => void} [seen] is called after the last of them was shown
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

  /** Skips to the last picture. @returns {boolean} whether there were pictures to skip */
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

  /** From now on, new pictures only wait in the queue, because the board will show something else. */
  hold() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.isHeld = true;
    this.tellSeen();
  }

  /** Ends `hold`: shows the last picture. */
  release() {
    this.isHeld = false;
    this.at = this.pictures.length - 1;
    this.again();
    this.settle();
  }

  /** Calls the functions that wait for pictures which were shown, or which will not be shown. */
  tellSeen() {
    const upTo = this.isHeld ? this.pictures.length - 1 : this.at;
    const due = this.seen.filter(([at]) => at <= upTo);
    this.seen = this.seen.filter(([at]) => at > upTo);
    for (const [, seen] of due) seen();
  }

  /** Time for which a picture is shown, in milliseconds. @param {number} at index of the picture */
  pace(at) {
    const usual = (/** @type {Frame} */ frame) => Math.max(SHORTEST_MS, PHASE_MS * (frame.weight ?? 1));
    const frames = /** @type {Frame[]} */ (this.pictures.frames);
    const whole = frames.slice(at).reduce((sum, frame) => sum + usual(frame), 0);
    return usual(frames[at]) * Math.min(1, PATIENCE_MS / whole);
  }

  /**
   * Shows the picture of a draft, which is not one of the pictures here.
   * @param {Frame} frame the draft's difference from a picture
   * @param {number} from index of that picture
   */
  draft(frame, from) {
    this.board.show(this.pictures.seek(from).after(frame), { glide: GLIDE_MS, holds: true });
  }

  /** Shows the current picture again, after the board has shown something else. */
  again() {
    this.board.show(this.pictures.seek(this.at), { glide: GLIDE_MS });
  }
}
