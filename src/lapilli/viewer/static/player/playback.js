// @ts-check
/** Where in a film one is, and how one gets from there to elsewhere. */

import { GLIDE_MS, PHASE_MS } from "../board/layers.js";
import { Reel } from "./reel.js";

export class Playback {
  /**
   * @param {(at: number, glide: number) => void} show is told the picture to show and for how many milliseconds it glides
   * @param {(playing: boolean) => void} tell whether it plays by itself
   */
  constructor(show, tell) {
    this.show = show;
    this.tell = tell;
    this.reel = Reel.empty();
    this.at = -1;
    this.speed = 1;
    this.timer = 0;
    this.goal = -1;
    this.isPlaying = false;
  }

  /** @param {Reel} reel */
  load(reel) {
    this.pause();
    this.reel = reel;
    this.at = -1;
  }

  /**
   * Shows a picture and stays there.
   * @param {number} at
   * @param {boolean} [glide]
   */
  go(at, glide = true) {
    this.pause();
    this.seek(at, glide);
  }

  /** @param {number} index */
  toTurn(index) {
    this.go(this.reel.settled(index));
  }

  /**
   * To the next picture in that direction at which something happens; if only some kinds of it are wanted, from the
   * last to the first again.
   * @param {number} by -1 or 1
   * @param {(kind: string) => boolean} [which]
   */
  toHappening(by, which) {
    const next =
      this.reel.nextHappening(this.at, by, which) ?? (which ? this.reel.nextHappening(-1, by, which) : undefined);
    if (next !== undefined) this.go(next);
  }

  /**
   * A turn back at once; a turn forward through its pictures, quickly.
   * @param {number} by -1 or 1
   */
  stepTurn(by) {
    const { reel, goal } = this;
    const hurries = Boolean(this.timer) && !this.isPlaying;
    this.pause();
    if (hurries && by > 0) this.seek(goal);
    const index = reel.turnAt(this.at);
    const next = Math.max(
      0,
      Math.min(reel.film.turns.length - 1, by > 0 && !reel.isSettled(this.at) ? index : index + by),
    );
    if (by < 0) this.seek(reel.settled(next));
    else if (this.at < reel.settled(next)) this.run(reel.settled(next), reel.hurried(next));
  }

  toggle() {
    if (this.isPlaying) return this.pause();
    this.pause();
    if (this.at === this.reel.last) this.seek(0, false);
    this.isPlaying = true;
    this.tell(true);
    this.run(this.reel.last);
  }

  /**
   * Shows picture after picture up to that one.
   * @param {number} goal
   * @param {number} [each] for how many milliseconds; else as long as each deserves
   */
  run(goal, each) {
    this.goal = goal;
    const next = () => {
      if (this.at >= this.goal) return this.pause();
      const pace = each ?? this.reel.pace(this.at + 1, this.speed);
      this.timer = window.setTimeout(next, pace);
      this.seek(this.at + 1, true, pace);
      if (this.at >= this.goal) this.pause();
    };
    next();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.tell(false);
  }

  /**
   * @param {number} number
   * @param {boolean} [glide]
   * @param {number} [pace] for how long it will be looked at
   */
  seek(number, glide = true, pace = Infinity) {
    const at = Math.max(0, Math.min(this.reel.last, number));
    if (at === this.at) return;
    this.at = at;
    this.show(at, glide ? Math.min(this.reel.isSettled(at) ? GLIDE_MS : PHASE_MS, 0.8 * pace) : 0);
  }
}
