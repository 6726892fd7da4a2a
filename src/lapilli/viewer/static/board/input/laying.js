// @ts-check
// Pieces that cover two places, such as dominoes: a pale copy shows where a click would put the piece, and can be
// turned.

import { Ghost } from "../drawing/ghost.js";

/** @typedef {import("./choosing.js").Choice} Choice */

export class Laying {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Ghost | undefined} */
    this.ghost = undefined;
    /** @type {Choice | undefined} the choice that the copy shows */
    this.shown = undefined;
    /** @type {string | undefined} key of the place at the pointer */
    this.over = undefined;
    /**
     * Direction from the first to the second place that the person last chose, in radians, clockwise from the right.
     */
    this.angle = 0;
    this.key = (/** @type {KeyboardEvent} */ event) => {
      if (event.key.toLowerCase() !== "r" || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.composedPath()[0];
      if (target instanceof Element && target.closest("input, textarea, select")) return;
      if (!this.turn()) return;
      event.preventDefault();
      event.stopPropagation();
    };
  }

  /** The first place of the piece, if it has been chosen. @returns {string | undefined} */
  get pinned() {
    const key = this.board.walk?.path.at(-1);
    return key !== undefined && this.options(key).length ? key : undefined;
  }

  /**
   * Returns the choices that put a piece on two places.
   * @param {string | undefined} key the first place
   * @returns {Choice[]}
   */
  options(key) {
    return key === undefined ? [] : (this.board.walk?.layings(key) ?? []);
  }

  /** Sets the place at the pointer. @param {string | undefined} key */
  point(key) {
    if (this.over === key) return;
    this.over = key;
    this.draw();
  }

  /** Shows the copy where a click would put the piece. Hides it if there is no such place at the pointer. */
  draw() {
    const { parts, sight, layers } = this.board;
    const isIdle = sight.globe !== undefined || parts.frame.classList.contains("carries");
    const options = isIdle ? [] : this.options(this.pinned ?? this.over);
    const aimed = options.find(([, way]) => way.at(-1) === this.over);
    if (aimed) this.angle = this.direction(aimed);
    const choice = aimed ?? this.nearest(options);
    const [from, to] = choice?.[1].slice(-2).map((key) => sight.rectOf(key)) ?? [];
    const piece = layers.nodeOf(choice?.[3] ?? "");
    if (!choice || !from || !to || !piece) return this.hide();
    if (this.ghost?.piece !== piece) this.hide();
    if (!this.ghost) {
      this.ghost = new Ghost(parts.sky, piece);
      this.ghost.node.classList.add("laid");
      addEventListener("keydown", this.key, { capture: true });
    }
    this.shown = choice;
    this.ghost.lie(from, to);
  }

  hide() {
    this.ghost?.remove();
    this.release();
  }

  /** Returns the copy, which stays visible. The caller must remove it. @returns {Ghost | undefined} */
  release() {
    const { ghost } = this;
    this.ghost = this.shown = undefined;
    removeEventListener("keydown", this.key, { capture: true });
    return ghost;
  }

  /**
   * Returns the direction from the first to the second place, in radians, clockwise from the right.
   * @param {Choice} choice
   */
  direction([, way]) {
    const [from, to] = way.slice(-2).map((key) => this.board.sight.rectOf(key));
    return from && to
      ? Math.atan2(to.top + to.bottom - from.top - from.bottom, to.left + to.right - from.left - from.right)
      : 0;
  }

  /**
   * Returns the first choice clockwise from the wanted direction (`angle`).
   * @param {Choice[]} options
   * @param {number} [after] angle at which the search begins, relative to the wanted direction, in radians
   */
  nearest(options, after = -0.1) {
    const round = 2 * Math.PI;
    const turned = (/** @type {Choice} */ one) => (this.direction(one) - this.angle - after + 2 * round) % round;
    return options.reduce(
      (best, one) => (best === undefined || turned(one) < turned(best) ? one : best),
      /** @type {Choice | undefined} */ (undefined),
    );
  }

  /** Turns the piece clockwise to the next possible direction. @returns {boolean} whether there is a piece to turn */
  turn() {
    if (!this.shown) return false;
    const next = this.nearest(this.options(this.shown[1].at(-2)), 0.1);
    if (next) this.angle = this.direction(next);
    this.over = this.shown[1].at(-2);
    this.draw();
    return true;
  }

  /**
   * Puts the piece down as the copy shows it.
   * @param {string} [key] the clicked place. The piece is put down only if this is its first place, which is the default.
   * @returns {boolean} whether the piece was put down
   */
  put(key = this.pinned) {
    const { walk } = this.board;
    if (!walk || !this.shown || key === undefined || key !== this.pinned) return false;
    walk.path = [...this.shown[1]];
    this.board.picking.walked();
    return true;
  }
}
