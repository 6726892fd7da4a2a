// @ts-check
/** The playback of a film: which picture is shown, and how to get to other pictures. */

import { GLIDE_MS, PHASE_MS } from "../../board/drawing/layers.js";
import { Reel } from "./reel.js";

export class Playback {
  /**
   * @param {(at: number, glide: number) => void} show function that shows picture number `at`; `glide` is the time in
   *   which pieces move, in milliseconds
   * @param {(playing: boolean) => void} tell function that is called when the film starts or stops playing
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

  /** Sets the film. @param {Reel} reel */
  load(reel) {
    this.pause();
    this.reel = reel;
    this.at = -1;
  }

  /**
   * Stops playing, and shows a picture.
   * @param {number} at number of the picture
   * @param {boolean} [glide] whether pieces move smoothly
   */
  go(at, glide = true) {
    this.pause();
    this.seek(at, glide);
  }

  /** Shows the position after a turn. @param {number} index index of the turn in the film */
  toTurn(index) {
    this.go(this.reel.settled(index));
  }

  /**
   * Shows the next picture with an event of the game, or a fault. With `which`, continues at the beginning after the end.
   * @param {number} by -1 for backwards, 1 for forwards
   * @param {(kind: string) => boolean} [which] function that selects kinds of events; by default all
   */
  toHappening(by, which) {
    const next =
      this.reel.nextHappening(this.at, by, which) ?? (which ? this.reel.nextHappening(-1, by, which) : undefined);
    if (next !== undefined) this.go(next);
  }

  /**
   * Goes one turn back at once, or one turn forward by quickly showing all its pictures.
   * @param {number} by -1 for backwards, 1 for forwards
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
   * Shows one picture after the other.
   * @param {number} goal number of the last picture to show
   * @param {number} [each] time for each picture, in milliseconds; by default, it depends on the picture (`Reel.pace`)
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
   * Shows a picture.
   * @param {number} number number of the picture, limited to the film
   * @param {boolean} [glide] whether pieces move smoothly
   * @param {number} [pace] time until the next picture, in milliseconds; movements must end before
   */
  seek(number, glide = true, pace = Infinity) {
    const at = Math.max(0, Math.min(this.reel.last, number));
    if (at === this.at) return;
    this.at = at;
    this.show(at, glide ? Math.min(this.reel.isSettled(at) ? GLIDE_MS : PHASE_MS, 0.8 * pace) : 0);
  }
}
