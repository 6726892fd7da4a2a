// @ts-check
// Handles what people do on a board: pointing, clicking, tapping and pressing keys.

import { Tip } from "../saying.js";
import { ARROWS, nearest } from "./steering.js";

/** Duration of a zoom, in milliseconds. */
const ZOOM = 180;
/** If a tap hits no target, it counts for the nearest target whose centre is closer than this, in pixels. */
const FINGER = 24;
/** Time for which the mouse must rest before a tip appears, in milliseconds. */
const REST = 200;

export class Hands {
  /** @param {import("../board.js").LapilliBoard} board */
  constructor(board) {
    this.board = board;
    this.parts = board.parts;
    this.tip = new Tip(board.parts.frame);
    this.resting = 0;
    /** @type {string[]} keys of the shapes under the pointer when the tip was shown; [] for a tip about a panel */
    this.said = [];
    /**
     * Place and shapes of the last click, until the mouse leaves.
     * @type {{x: number, y: number, keys: string[]} | undefined}
     */
    this.clicked = undefined;
    /** Whether the last click turned a piece that covers two places, or put it down. */
    this.hasLaid = false;
    /** @type {string | undefined} key of the shape at which the keyboard's cursor was last */
    this.last = undefined;
    this.listen();
  }

  listen() {
    const { frame, stage, fit } = this.parts;
    fit.addEventListener("click", () => this.board.zoom.fit(this.board.calmed(ZOOM)));
    frame.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch" || event.buttons) return;
      this.board.laying.point(this.keysAt(event)[0]);
      if (this.isStill(event)) return;
      this.clicked = undefined;
      if (!this.hint(event)) this.point(this.keysAt(event), this.tip.node.hidden ? REST : 0);
    });
    frame.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "touch") return;
      this.board.laying.point(undefined);
      this.clicked = undefined;
      this.point([]);
    });
    frame.addEventListener("focusin", (event) => this.hint(event));
    frame.addEventListener("focusout", () => this.tip.show(""));
    frame.addEventListener("click", (event) => this.click(event));
    // On a board without choices, a click does not take the focus away from other elements.
    stage.addEventListener("mousedown", (event) => !this.board.walk && event.preventDefault());
    stage.addEventListener("dblclick", (event) => this.doubleClick(event));
    stage.addEventListener("blur", () => {
      this.board.overlay.mark({ cursor: undefined });
      this.point([]);
    });
    frame.addEventListener("keydown", (event) => this.press(event));
  }

  // -- pointing

  /**
   * Returns the text of the tip for a shape: the action that a click chooses, or the shape's title.
   * @param {string} key
   */
  saidOf(key) {
    return this.board.walk?.meant(key)?.[2] ?? this.board.sight.shapeOf(key)?.[5] ?? "";
  }

  /** Shows the tip for the first shape that has one. @param {string[]} keys keys of the shapes at the pointer */
  tell(keys) {
    const key = keys.find((one) => this.saidOf(one)) ?? keys[0];
    this.said = keys;
    this.tip.show(this.saidOf(key), this.board.sight.rectOf(key));
  }

  /** Updates the text of the visible tip, because the picture or the choices may have changed. */
  renew() {
    if (!this.tip.node.hidden && this.said.length) this.tell(this.said);
  }

  /**
   * Returns whether the mouse is still at the place of the last click, where no tip is needed.
   * @param {MouseEvent} event
   */
  isStill(event) {
    if (!this.clicked) return false;
    const { x, y, keys } = this.clicked;
    return (event.clientX === x && event.clientY === y) || this.allAt(event).some((key) => keys.includes(key));
  }

  /**
   * Lights up a shape at the pointer, and the shapes that are linked to it.
   * @param {string[]} keys keys of the shapes at the pointer, the topmost first. A shape with links is preferred.
   * @param {number} [rest] time until the tip appears, in milliseconds
   */
  point(keys, rest = 0) {
    const { overlay, given } = this.board;
    const known = keys.filter((one) => this.saidOf(one) || given.links[one]);
    const key = known.find((one) => given.links[one]) ?? known[0];
    clearTimeout(this.resting);
    if (key === undefined) this.tip.show("");
    else this.resting = setTimeout(() => this.tell(known), rest);
    if (key === overlay.marked.pointed) return;
    overlay.mark({ pointed: key, linked: key === undefined ? [] : (given.links[key] ?? []) });
    this.board.tell("point", { key: key ?? null });
  }

  /** Returns the keys of all shapes at the pointer, the topmost first. @param {MouseEvent} event @returns {string[]} */
  allAt(event) {
    const nodes = this.board.shadowRoot?.elementsFromPoint(event.clientX, event.clientY) ?? [];
    return nodes
      .map((node) => /** @type {HTMLElement | null} */ (node.closest("[data-key]"))?.dataset.key)
      .filter((key) => key !== undefined);
  }

  /**
   * Returns the topmost shape at the pointer that can be chosen, else all shapes there.
   * @param {MouseEvent} event
   * @returns {string[]}
   */
  keysAt(event) {
    const targets = new Set(this.board.walk?.keys());
    const keys = this.allAt(event);
    const target = keys.find((key) => targets.has(key)) ?? this.nearTo(event, targets);
    return target === undefined ? keys : [target];
  }

  /**
   * Returns the target nearest to a tap that has hit no target.
   * @param {MouseEvent} event
   * @param {Set<string>} targets keys of the shapes that can be chosen
   * @returns {string | undefined}
   */
  nearTo(event, targets) {
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch") return undefined;
    let [found, least] = [/** @type {string | undefined} */ (undefined), FINGER];
    for (const key of targets) {
      const box = this.board.sight.rectOf(key);
      if (!box) continue;
      const far = Math.hypot(event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
      if (far < least) [found, least] = [key, far];
    }
    return found;
  }

  /**
   * Shows the tip of the element at an event, if the element is beside the board, such as a panel.
   * @param {Event} event
   * @returns {boolean} whether there is such an element, with a tip
   */
  hint(event) {
    const aboutOf = (/** @type {EventTarget | null | undefined} */ one) =>
      one instanceof Element ? /** @type {HTMLElement | null} */ (one.closest("[data-tip]")) : null;
    let about = aboutOf(event.target);
    if (about?.matches(".name, .facts") && !isCut(about.querySelector("bdi") ?? about))
      about = aboutOf(about.parentElement);
    if (!about) return false;
    if (about.matches(".strip, .plate") && this.isKeyed(event)) return false;
    this.point([]);
    this.said = [];
    this.tip.show(about.dataset.tip ?? "", about.getBoundingClientRect());
    return true;
  }

  /** Returns whether a shape at the pointer has a tip or can be chosen. @param {Event} event */
  isKeyed(event) {
    const targets = this.board.walk?.keys() ?? [];
    return event instanceof MouseEvent && this.allAt(event).some((key) => this.saidOf(key) || targets.includes(key));
  }

  // -- clicking and tapping

  /** Hides the tip after a click, because it would cover the clicked shape. @param {MouseEvent} event */
  quiet(event) {
    const keys = this.allAt(event).filter((key) => this.saidOf(key));
    this.clicked = { x: event.clientX, y: event.clientY, keys };
    clearTimeout(this.resting);
    this.tip.show("");
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (this.hint(event) || !(event.target instanceof Element) || event.target.closest("button")) return;
    const keys = this.keysAt(event);
    const isTouch = /** @type {PointerEvent} */ (event).pointerType === "touch";
    if (!isTouch) this.quiet(event);
    if (this.takes(event, isTouch) || this.board.picking.stepBack()) return;
    const isAgain = keys.some((key) => key === this.board.overlay.marked.pointed);
    if (isTouch) this.point(isAgain ? [] : keys);
  }

  /**
   * Turns or puts down the piece at a point of the screen, or chooses the place there.
   * @param {MouseEvent} event
   * @param {boolean} isTouch
   * @returns {boolean} whether there is something to choose
   */
  takes(event, isTouch) {
    this.hasLaid = this.lies(this.allAt(event), isTouch);
    return this.hasLaid || this.keysAt(event).some((key) => this.board.picking.choose(key));
  }

  /**
   * Handles a second click on a piece that covers two places: a tap turns the piece, a mouse click puts it down.
   * @param {string[]} keys keys of the clicked shapes
   * @param {boolean} isTouch
   * @returns {boolean} whether such a piece lies there
   */
  lies(keys, isTouch) {
    const { laying } = this.board;
    const { pinned } = laying;
    if (pinned === undefined || !keys.includes(pinned)) return false;
    return isTouch && laying.options(pinned).length > 1 ? laying.turn() : laying.put();
  }

  /** @param {MouseEvent} event */
  doubleClick(event) {
    const { zoom } = this.board;
    if (
      this.hasLaid ||
      this.board.sight.globe ||
      (event.target instanceof Element && event.target.closest("button, .target"))
    )
      return;
    if (zoom.isClose) zoom.fit(this.board.calmed(ZOOM));
    else zoom.closer(2.2, event.clientX, event.clientY, this.board.calmed(ZOOM));
  }

  // -- keys

  /**
   * Handles a key press.
   * @param {KeyboardEvent} event
   * @param {boolean} [isOurs] whether the key is meant for the board; by default, if the board has the focus
   */
  press(event, isOurs = event.target === this.parts.stage) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.does(event, isOurs)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Carries out the command of a key.
   * @param {KeyboardEvent} event
   * @param {boolean} isOurs whether the key is meant for the board; otherwise only Escape and Backspace have an effect
   * @returns {boolean} whether the key had an effect
   */
  does({ key, shiftKey }, isOurs) {
    const { board } = this;
    if (key === "Escape") return board.picking.stepBack();
    if (key === "Backspace") return board.undo();
    if (!isOurs) return false;
    const { cursor } = board.overlay.marked;
    if ((key === "Enter" || key === " ") && cursor !== undefined)
      return board.laying.put(cursor) || board.picking.choose(cursor);
    if (key === "Enter" && board.isComplete) return board.finish();
    if (board.walk && board.bar.press(key)) return true;
    if (!(key in ARROWS)) return !board.sight.globe && this.look(key);
    const [right, down] = ARROWS[key];
    if (!board.sight.globe || (board.walk?.keys().length && !shiftKey)) return this.rove([right, down]);
    board.sight.globe.turn(-0.2 * right, -0.2 * down);
    return true;
  }

  /**
   * Zooms if the key is +, = or - (0 shows the whole board).
   * @param {string} key
   * @returns {boolean} whether it is such a key
   */
  look(key) {
    const factor = { "+": 1.4, "=": 1.4, "-": 1 / 1.4, 0: 0 }[key];
    if (factor === undefined) return false;
    this.board.zoom.closer(factor, undefined, undefined, this.board.calmed(ZOOM));
    return true;
  }

  /**
   * Moves the keyboard's cursor to the next shape in a direction: a shape that can be chosen, else one with a title.
   * @param {[right: number, down: number]} direction
   * @returns {boolean} whether there is such a shape
   */
  rove(direction) {
    const { walk, sight, overlay, picture } = this.board;
    const targets = walk?.keys() ?? [];
    const keys = targets.length ? targets : [...picture.shapes.keys()].filter((key) => picture.shapes.get(key)?.[5]);
    /** @type {Map<string, DOMRect>} */
    const rects = new Map();
    for (const key of keys) {
      const rect = sight.rectOf(key);
      if (rect) rects.set(key, rect);
    }
    const start = overlay.marked.cursor ?? this.last;
    const from = start === undefined ? undefined : sight.rectOf(start);
    const cursor = nearest(rects, from && start !== undefined ? [start, from] : undefined, direction);
    if (cursor === undefined) return false;
    this.last = cursor;
    overlay.mark({ cursor });
    this.reveal(cursor);
    this.board.laying.point(cursor);
    this.point([cursor]);
    this.parts.live.textContent = this.saidOf(cursor);
    return true;
  }

  /** Turns the globe, or moves the zoomed board, until a shape is visible. @param {string} key */
  reveal(key) {
    const { sight, zoom } = this.board;
    if (sight.globe) return sight.globe.faceKey(key, 0);
    const [room, rect] = [this.parts.stage.getBoundingClientRect(), sight.rectOf(key)];
    if (!zoom.isClose || !rect || sight.stripOf(key)) return;
    const right = Math.max(0, room.left - rect.left) + Math.min(0, room.right - rect.right);
    const down = Math.max(0, room.top - rect.top) + Math.min(0, room.bottom - rect.bottom);
    if (right || down) zoom.pan(right, down);
  }
}

/** Returns whether an element is too small to show its whole text. @param {HTMLElement} node */
function isCut(node) {
  return node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight;
}
