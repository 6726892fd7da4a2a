// @ts-check
// For fingers on places that are smaller than a finger: a press that stays opens a lens above it, and lifting chooses.

import { html } from "../drawing/drawing.js";
import { STRAY } from "../layout/zoom.js";

/** How long a finger stays until the lens opens, in milliseconds. */
const STAYS = 300;
/** What is smaller than this cannot be hit for certain, in pixels. */
const FINGER = 44;
/** How far a place may be from a finger that means one near it, in pixels. */
const NEAR = 72;
/** How large the lens is, and how far it is from the finger, in pixels. */
const [ACROSS, APART] = [144, 44];
/** How much larger the lens shows things. */
const [LEAST, MOST] = [1.75, 3.5];

/** A round glass with a copy of what is drawn around a point. */
class Lens {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    this.node = html("div", { class: "lens", "aria-hidden": "true", hidden: true });
    board.parts.stage.append(this.node);
    this.factor = 1;
  }

  /**
   * Shows what lies under a finger.
   * @param {MouseEvent} event
   * @param {string} said what is to be said of it
   * @param {boolean} isNew whether the board is drawn otherwise than before
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

  /** Puts the lens above a finger, or beside it where the window ends. @param {number} x @param {number} y */
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

/** A copy of a drawing, without what it defines for both. @param {SVGSVGElement} drawing */
function copied(drawing) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(false));
  copy.append(...[...drawing.children].filter((one) => one.localName !== "defs").map((one) => one.cloneNode(true)));
  return copy;
}

export class Magnifier {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    this.lens = new Lens(board);
    /** @type {PointerEvent | undefined} of the finger that stays, until it has moved or the lens is open */
    this.press = undefined;
    /** @type {number | undefined} the finger whose place the lens shows, and which chooses it */
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
   * The size of the smallest place on the board that can be chosen, in pixels.
   * @param {MouseEvent} [event] where a finger is: only places near it count, if there are any
   */
  smallest(event) {
    const { walk, sight } = this.board;
    const rects = (walk?.keys() ?? []).flatMap((key) => (sight.stripOf(key) ? [] : (sight.rectOf(key) ?? [])));
    const near = event ? rects.filter((rect) => far(rect, event) < NEAR) : [];
    const sizes = (near.length ? near : rects).map(({ width, height }) => Math.min(width, height));
    return Math.max(1, Math.min(FINGER, ...sizes));
  }

  /** Whether the flat board has places that are smaller than a finger. (The globe is turned to see a place larger.) */
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
    // Neither the page nor the board moves under this finger, and what ends here is no click.
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
   * Shows what lifting the finger here would choose.
   * @param {PointerEvent} event
   * @param {boolean} [isNew] whether the lens is closed yet
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

  /** Closes the lens; nothing is chosen. */
  cancel() {
    clearTimeout(this.staying);
    this.press = undefined;
    if (this.pointer === undefined) return;
    this.pointer = undefined;
    this.board.overlay.mark({ aimed: [] });
    this.lens.hide();
  }
}

/** How far the middle of a place is from a finger. @param {DOMRect} rect @param {MouseEvent} event */
function far(rect, { clientX, clientY }) {
  return Math.hypot(clientX - rect.left - rect.width / 2, clientY - rect.top - rect.height / 2);
}
