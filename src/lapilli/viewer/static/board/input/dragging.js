// @ts-check
// Dragging of pieces. One drag stands for several clicks. The board's choices determine which pieces can be dragged,
// and where.

import { Ghost } from "../drawing/ghost.js";
import { LAYERS } from "../drawing/layers.js";
import { STRAY } from "../layout/zoom.js";

/** Time in which a piece moves back if it is dropped where it cannot go, in milliseconds. */
const BACK = 180;

/**
 * A pressed pointer that may begin a drag: its id, where it was pressed (in pixels of the window), the key of the shape
 * there, the key of the piece to drag, and the element that captures the pointer.
 * @typedef {{pointer: number, x: number, y: number, key: string, piece: string, holder: HTMLElement}} Press
 */

/**
 * A piece that is being dragged.
 * @typedef {object} Lift
 * @property {string[]} path the steps that were chosen before the drag
 * @property {Ghost} ghost the copy of the piece that follows the pointer
 * @property {string | undefined} at key of the place under the pointer
 * @property {string | undefined} from key of the place that the pointer crossed before `at`
 */

export class Drag {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Press | undefined} */
    this.press = undefined;
    /** @type {Lift | undefined} */
    this.lift = undefined;
    /**
     * Copy of a piece that was put down; it stays until the next picture shows the piece there.
     * @type {Ghost | undefined}
     */
    this.put = undefined;
    /** Whether the first finger has pressed a piece. Then the movements of this finger do not scroll the page. */
    this.isHeld = false;
    this.hold = (/** @type {TouchEvent} */ event) => this.isHeld && event.cancelable && event.preventDefault();
    this.escape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.cancel(this.board.calmed(BACK));
    };
    this.listen();
  }

  listen() {
    const { frame } = this.board.parts;
    // These listeners run before those of the zoom, so that a drag of a piece does not move the board.
    const first = { capture: true };
    frame.addEventListener("pointerdown", (event) => this.down(event), first);
    frame.addEventListener("pointermove", (event) => this.move(event), first);
    frame.addEventListener("pointerup", (event) => this.up(event), first);
    frame.addEventListener("pointercancel", (event) => event.pointerId === this.press?.pointer && this.cancel(), first);
    frame.addEventListener(
      "lostpointercapture",
      (event) => event.target === this.press?.holder && this.cancel(),
      first,
    );
    // The CSS property `touch-action` has no effect on SVG elements.
    frame.addEventListener("touchmove", this.hold, { passive: false });
    // The end of a drag is not a click. A click by the keyboard, whose `detail` is 0, remains a click.
    frame.addEventListener(
      "click",
      (event) => this.board.zoom.rests && event.detail && event.stopImmediatePropagation(),
      first,
    );
  }

  // -- what can be lifted

  /** Returns the keys of the shapes at which a piece can be lifted now. @returns {string[]} */
  loose() {
    const { walk, sight } = this.board;
    return walk && !sight.globe ? [...walk.loose()].filter((key) => this.pieceOf(key) !== undefined) : [];
  }

  /**
   * Returns the key of the piece that is lifted at a shape: the shape itself if it is a piece, else the topmost piece on it.
   * @param {string} key
   * @returns {string | undefined}
   */
  pieceOf(key) {
    const { sight, picture } = this.board;
    const [shape, node] = [sight.shapeOf(key), sight.nodeOf(key)];
    if (shape?.[1] === "g") return key;
    if (!(node instanceof SVGGeometryElement)) return undefined;
    return picture.order.findLast((other) => {
      const piece = sight.shapeOf(other);
      const box = piece?.[1] === "g" && LAYERS.includes(piece[6]) ? sight.boxOf(other) : undefined;
      return box && node.isPointInFill(new DOMPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2));
    });
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { parts, hands, sight, walk, zoom } = this.board;
    zoom.rests = false;
    if (this.press && this.press.pointer !== event.pointerId) return this.cancel(); // a second finger: zoom
    if (event.isPrimary) this.isHeld = false;
    this.press = undefined;
    if (event.button || !event.isPrimary || !walk || sight.globe) return;
    if (!(event.target instanceof Element) || event.target.closest("button")) return;
    const key = hands.keysAt(event)[0];
    const piece = key !== undefined && walk.lifted(key) ? this.pieceOf(key) : undefined;
    const holder = parts.stage.contains(event.target) ? parts.stage : parts.frame;
    if (piece === undefined) return;
    this.press = { pointer: event.pointerId, x: event.clientX, y: event.clientY, key, piece, holder };
    this.isHeld = true;
    // The pressed element is soon replaced, but the finger's further events are still sent to it.
    event.target.addEventListener("touchmove", /** @type {EventListener} */ (this.hold), { passive: false });
  }

  // -- during a drag

  /** @param {PointerEvent} event */
  move(event) {
    const { press } = this;
    if (event.pointerId !== press?.pointer) return;
    if (!event.buttons && !this.lift)
      this.press = undefined; // released outside of the window
    else if (this.lift || Math.hypot(event.clientX - press.x, event.clientY - press.y) >= STRAY)
      this.carry(press, event);
  }

  /**
   * Moves the dragged piece to the pointer. Begins the drag if it has not begun.
   * @param {Press} press
   * @param {PointerEvent} event
   */
  carry(press, event) {
    this.lift ??= this.raise(press);
    if (!this.lift) return;
    const { overlay, sight } = this.board;
    const aimed = this.aim(this.lift, event);
    if (aimed.join() !== overlay.marked.aimed.join()) overlay.mark({ aimed });
    const [from, to] = aimed.map((key) => sight.rectOf(key));
    if (from && to) this.lift.ghost.lie(from, to);
    else this.lift.ghost.follow(event.clientX, event.clientY);
  }

  /** Begins a drag. @param {Press} press @returns {Lift | undefined} undefined if the piece cannot be dragged now */
  raise({ pointer, key, piece, holder }) {
    const { walk, sight, layers, parts, hands, zoom } = this.board;
    const [path, node] = [walk?.lifted(key), layers.nodeOf(piece)];
    if (!walk || !path || !node || sight.globe) return void (this.press = undefined);
    this.settle();
    holder.setPointerCapture(pointer);
    addEventListener("keydown", this.escape, { capture: true });
    zoom.rests = true;
    const lift = { path: walk.path, ghost: new Ghost(parts.sky, node), from: undefined, at: undefined };
    walk.path = path;
    parts.frame.classList.add("carries");
    hands.point([]);
    this.board.picking.mark();
    return lift;
  }

  /**
   * Returns the steps that are taken if the piece is dropped at the pointer.
   * @param {Lift} lift
   * @param {PointerEvent} event
   * @returns {string[]}
   */
  aim(lift, event) {
    for (const key of this.board.hands.allAt(event)) {
      const from = key === lift.at ? lift.from : lift.at;
      const steps = this.board.walk?.reaching(key, from) ?? [];
      if (!steps.length) continue;
      [lift.from, lift.at] = [from, key];
      return steps;
    }
    return [];
  }

  // -- at the end of a drag

  /** @param {PointerEvent} event */
  up(event) {
    const { lift } = this;
    if (event.pointerId !== this.press?.pointer) return;
    const { walk, layers } = this.board;
    const steps = lift ? this.aim(lift, event) : [];
    if (!lift || !walk || !steps.length) return this.cancel(this.board.calmed(BACK));
    const { piece } = this.press;
    walk.path = [...walk.path, ...steps];
    this.end();
    if (walk.chosen()) [this.put, layers.landed] = [lift.ghost, piece];
    else lift.ghost.remove();
    this.board.picking.walked();
  }

  /** Ends a drag without effect. @param {number} [ms] time in which the piece moves back, in milliseconds */
  cancel(ms = 0) {
    const { lift } = this;
    const { walk } = this.board;
    this.end();
    if (!lift || !walk) return;
    walk.path = lift.path;
    lift.ghost.remove(ms);
    this.board.picking.mark();
  }

  end() {
    const { parts, overlay } = this.board;
    removeEventListener("keydown", this.escape, { capture: true });
    parts.frame.classList.remove("carries");
    overlay.marked.aimed = [];
    this.press = this.lift = undefined;
  }

  /** Removes the copy of a dropped piece, because the picture now shows the piece itself there. */
  settle() {
    this.put?.remove();
    this.put = undefined;
  }
}
