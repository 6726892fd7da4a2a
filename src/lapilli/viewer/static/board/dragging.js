// @ts-check
// Pieces that are dragged: the clicks that a way consists of, in one go. What may be dragged, and where to, is all in the choices.

import { Ghost } from "./ghost.js";
import { LAYERS } from "./layers.js";
import { STRAY } from "./zoom.js";

/** How long a piece glides back that is let go where it cannot go, in milliseconds. */
const BACK = 180;

/** @typedef {{pointer: number, x: number, y: number, key: string, piece: string, holder: HTMLElement}} Press what may become a drag */

/**
 * A piece in the air.
 * @typedef {object} Lift
 * @property {string[]} path that was walked before
 * @property {Ghost} ghost
 * @property {string | undefined} from the place that it came over last before the one where it is
 * @property {string | undefined} at
 */

export class Drag {
  /** @param {import("./board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    /** @type {Press | undefined} */
    this.press = undefined;
    /** @type {Lift | undefined} */
    this.lift = undefined;
    /** @type {Ghost | undefined} of a piece that was put down, until the picture says so, too */
    this.put = undefined;
    /** Whether the finger that came first is for a piece: the page stays where it is. */
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
    // Before anybody else: a piece that is lifted is no board that is moved.
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
    // `touch-action` means nothing to what is drawn.
    frame.addEventListener("touchmove", this.hold, { passive: false });
    // What ends a drag is no click; one by the keyboard has no count.
    frame.addEventListener(
      "click",
      (event) => this.board.zoom.rests && event.detail && event.stopImmediatePropagation(),
      first,
    );
  }

  // -- what can be lifted

  /** The keys at which a piece can be taken up now. @returns {string[]} */
  loose() {
    const { walk, sight } = this.board;
    return walk && !sight.globe ? [...walk.loose()].filter((key) => this.pieceOf(key) !== undefined) : [];
  }

  /** The piece that is taken up at a key: its own, or the upmost that stands there. @param {string} key @returns {string | undefined} */
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
    if (this.press && this.press.pointer !== event.pointerId) return this.cancel(); // fingers that zoom
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
    // What is pressed is soon drawn anew, and the finger's events stay with the element that is gone.
    event.target.addEventListener("touchmove", /** @type {EventListener} */ (this.hold), { passive: false });
  }

  // -- in the air

  /** @param {PointerEvent} event */
  move(event) {
    const { press } = this;
    if (event.pointerId !== press?.pointer) return;
    if (!event.buttons && !this.lift)
      this.press = undefined; // let go elsewhere
    else if (this.lift || Math.hypot(event.clientX - press.x, event.clientY - press.y) >= STRAY)
      this.carry(press, event);
  }

  /**
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

  /** @param {Press} press @returns {Lift | undefined} */
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
    this.board.mark();
    return lift;
  }

  /**
   * The steps that letting go here would mean.
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

  // -- down again

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
    this.board.walked();
  }

  /** All is as it was before the piece was lifted. @param {number} [ms] how long it takes to be back */
  cancel(ms = 0) {
    const { lift } = this;
    const { walk } = this.board;
    this.end();
    if (!lift || !walk) return;
    walk.path = lift.path;
    lift.ghost.remove(ms);
    this.board.mark();
  }

  end() {
    const { parts, overlay } = this.board;
    removeEventListener("keydown", this.escape, { capture: true });
    parts.frame.classList.remove("carries");
    overlay.marked.aimed = [];
    this.press = this.lift = undefined;
  }

  /** The picture shows where the piece is now. */
  settle() {
    this.put?.remove();
    this.put = undefined;
  }
}
