// @ts-check
// A lens for touch screens, for places that are smaller than a finger. If a finger presses such a place and stays, the
// lens opens above the finger and shows the place larger. When the finger is lifted, the place under it is chosen.

import { html } from "../drawing/drawing.js";
import { STRAY } from "../layout/zoom.js";

/** Time for which a finger must stay before the lens opens, in milliseconds. */
const STAYS = 300;
/** Size below which people cannot be sure to hit a place with a finger, in pixels. */
const FINGER = 44;
/** Greatest distance from a finger to the centre of a place that the finger may aim at, in pixels. */
const NEAR = 72;
/** Diameter of the lens, and its distance from the finger, in pixels. */
const [ACROSS, APART] = [144, 44];
/** Least and greatest magnification of the lens. */
const [LEAST, MOST] = [1.75, 3.5];

/** The lens: a round element with an enlarged copy of the part of the board around a point. */
class Lens {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    this.node = html("div", { class: "lens", "aria-hidden": "true", hidden: true });
    board.parts.stage.append(this.node);
    this.factor = 1;
  }

  /**
   * Shows the part of the board under a finger.
   * @param {MouseEvent} event event with the place of the finger
   * @param {string} said text of the tip beside the lens; "" for none
   * @param {boolean} isNew whether the drawing of the board has changed, so that it must be copied again
   */
  show({ clientX, clientY }, said, isNew) {
    const { parts, sight, hands } = this.board;
    const drawing = sight.globe?.drawing ?? parts.board;
    const matrix = drawing.getScreenCTM();
    if (!matrix) return;
    if (isNew || this.node.hidden) this.node.replaceChildren(copied(drawing));
    this.node.hidden = false;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const wide = ACROSS / (this.factor * matrix.a);
    this.node.firstElementChild?.setAttribute("viewBox", [x - wide / 2, y - wide / 2, wide, wide].join(" "));
    this.place(clientX, clientY);
    hands.tip.show(said, this.node.getBoundingClientRect());
  }

  /**
   * Moves the lens to its place above a finger, or beside the finger if there is no space above it.
   * @param {number} x place of the finger, in pixels of the window
   * @param {number} y
   */
  place(x, y) {
    const { left, top } = this.board.parts.stage.getBoundingClientRect();
    const isAbove = y - APART - ACROSS >= 4;
    const aside = x < innerWidth / 2 ? x + APART : x - APART - ACROSS;
    const across = Math.max(4, Math.min(innerWidth - ACROSS - 4, isAbove ? x - ACROSS / 2 : aside));
    this.node.style.left = `${across - left}px`;
    this.node.style.top = `${(isAbove ? y - APART - ACROSS : Math.max(4, y - ACROSS / 2)) - top}px`;
  }

  hide() {
    if (this.node.hidden) return;
    this.node.hidden = true;
    this.node.replaceChildren();
    this.board.hands.tip.show("");
  }
}

/**
 * Returns a copy of a drawing without its definitions (`defs`): the copy uses those of the original.
 * @param {SVGSVGElement} drawing
 */
function copied(drawing) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(false));
  copy.append(...[...drawing.children].filter((one) => one.localName !== "defs").map((one) => one.cloneNode(true)));
  return copy;
}

/** Opens and closes the lens, and chooses the place under the finger. */
export class Magnifier {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    this.lens = new Lens(board);
    /** @type {PointerEvent | undefined} the press of a finger that has not moved since, until the lens opens */
    this.press = undefined;
    /** @type {number | undefined} pointer id of the finger for which the lens is open */
    this.pointer = undefined;
    this.staying = 0;
    this.listen();
  }

  listen() {
    const { frame } = this.board.parts;
    const first = { capture: true };
    frame.addEventListener("pointerdown", (event) => this.down(event), first);
    frame.addEventListener("pointermove", (event) => this.move(event), first);
    frame.addEventListener("pointerup", (event) => this.up(event), first);
    frame.addEventListener("pointercancel", () => this.cancel(), first);
    frame.addEventListener("contextmenu", (event) => this.pointer !== undefined && event.preventDefault());
  }

  /**
   * Returns the size of the smallest place on the board that can be chosen, in pixels; FINGER at most.
   * @param {MouseEvent} [event] event with the place of a finger. If places are near it, only these are considered
   */
  smallest(event) {
    const { walk, sight } = this.board;
    const rects = (walk?.keys() ?? []).flatMap((key) => (sight.stripOf(key) ? [] : (sight.rectOf(key) ?? [])));
    const near = event ? rects.filter((rect) => far(rect, event) < NEAR) : [];
    const sizes = (near.length ? near : rects).map(({ width, height }) => Math.min(width, height));
    return Math.max(1, Math.min(FINGER, ...sizes));
  }

  /** Whether the flat board has places smaller than a finger. (On the globe, people turn such a place to the front.) */
  get isDense() {
    return !this.board.sight.globe && this.smallest() < FINGER;
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.cancel();
    const { stage } = this.board.parts;
    if (event.pointerType !== "touch" || !event.isPrimary || !(event.target instanceof Element)) return;
    if (!stage.contains(event.target) || event.target.closest("button, .plate")) return;
    this.press = event;
    this.staying = setTimeout(() => this.open(event), STAYS);
  }

  /** @param {PointerEvent} press */
  open(press) {
    const { drag, parts, zoom } = this.board;
    this.press = undefined;
    const least = this.smallest(press);
    if (drag.lift || least >= FINGER) return;
    drag.cancel();
    this.lens.factor = Math.max(LEAST, Math.min(MOST, FINGER / least));
    this.pointer = press.pointerId;
    parts.stage.setPointerCapture(press.pointerId);
    // Until the finger is lifted, its movements scroll neither the page nor the board, and lifting it is not a click.
    drag.isHeld = zoom.rests = true;
    this.aim(press, true);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { press } = this;
    if (press && Math.hypot(event.clientX - press.clientX, event.clientY - press.clientY) >= STRAY) this.cancel();
    if (event.pointerId !== this.pointer) return;
    event.stopPropagation();
    this.aim(event);
  }

  /**
   * Marks the place that is chosen if the finger is lifted now, and shows this place in the lens.
   * @param {PointerEvent} event
   * @param {boolean} [isNew] whether the lens is being opened
   */
  aim(event, isNew = false) {
    const { hands, overlay, walk } = this.board;
    const key = hands.keysAt(event).find((one) => walk?.leading(one));
    const differs = isNew || key !== overlay.marked.aimed[0];
    if (differs) overlay.mark({ aimed: key === undefined ? [] : [key] });
    this.lens.show(event, key === undefined ? "" : hands.saidOf(key), differs);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const isOurs = event.pointerId === this.pointer;
    this.cancel();
    if (isOurs) this.board.hands.takes(event, true);
  }

  /** Closes the lens without choosing a place. */
  cancel() {
    clearTimeout(this.staying);
    this.press = undefined;
    if (this.pointer === undefined) return;
    this.pointer = undefined;
    this.board.overlay.mark({ aimed: [] });
    this.lens.hide();
  }
}

/**
 * Returns the distance from a finger to the centre of a place, in pixels.
 * @param {DOMRect} rect the place
 * @param {MouseEvent} event event with the place of the finger
 */
function far(rect, { clientX, clientY }) {
  return Math.hypot(clientX - rect.left - rect.width / 2, clientY - rect.top - rect.height / 2);
}
