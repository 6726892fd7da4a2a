// @ts-check
// Zooms the board by mouse wheel, pinch, double click and keys. A zoomed board can be moved by dragging.

import { EASING } from "../drawing/layers.js";

const MOST = 8;
/** A press counts as a drag, not as a click or tap, if the pointer moves at least this far, in pixels. */
export const STRAY = 6;

export class Zoom {
  /**
   * @param {HTMLElement} stage element whose pointer events are handled
   * @param {SVGSVGElement} drawing the drawing of the board
   * @param {SVGGElement} camera group with all contents of the drawing; it is moved and scaled
   * @param {() => void} changed function that is called after each change
   */
  constructor(stage, drawing, camera, changed) {
    this.stage = stage;
    this.drawing = drawing;
    this.camera = camera;
    this.changed = changed;
    /** @type {[width: number, height: number]} size of the board, in scene units */
    this.size = [1, 1];
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** @type {Map<number, {x: number, y: number}>} places of the pressed pointers (fingers or mouse), by pointer id */
    this.held = new Map();
    this.isDragged = false;
    /** Whether the present press drags a piece, and therefore not the board. */
    this.rests = false;
    this.listen();
  }

  get isClose() {
    return this.scale > 1;
  }

  listen() {
    const { stage } = this;
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    stage.addEventListener("pointerdown", (event) => {
      if (!this.held.size) this.isDragged = false;
      if (event.button === 0) this.held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    });
    stage.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      stage.addEventListener(end, (event) => this.held.delete(event.pointerId));
    }
    // The end of a drag is not a click.
    stage.addEventListener("click", (event) => this.isDragged && event.stopImmediatePropagation(), { capture: true });
  }

  /** Zooms by the mouse wheel, unless the wheel should scroll the page. @param {WheelEvent} event */
  wheel(event) {
    const page = document.scrollingElement;
    const scrolls = page !== null && page.scrollHeight > page.clientHeight + 1;
    if (scrolls && !event.ctrlKey && !this.isClose && !this.stage.matches(":focus-within")) return;
    const factor = Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.002));
    if (!this.isClose && factor <= 1) return;
    event.preventDefault();
    this.closer(factor, event.clientX, event.clientY);
  }

  /** Moves the zoomed board with one finger or the mouse; zooms with two fingers. @param {PointerEvent} event */
  drag(event) {
    const was = this.held.get(event.pointerId);
    if (!was) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.rests) return void this.held.set(event.pointerId, now);
    const other = [...this.held].find(([id]) => id !== event.pointerId)?.[1];
    if (!other && !this.isClose) return;
    if (!this.isDragged && Math.hypot(now.x - was.x, now.y - was.y) < STRAY) return;
    this.isDragged = true;
    this.stage.setPointerCapture(event.pointerId);
    this.held.set(event.pointerId, now);
    if (!other) return this.pan(now.x - was.x, now.y - was.y);
    const [before, after] = [was, now].map((one) => ({
      x: (one.x + other.x) / 2,
      y: (one.y + other.y) / 2,
      far: Math.hypot(one.x - other.x, one.y - other.y),
    }));
    this.closer(after.far / Math.max(1, before.far), before.x, before.y);
    this.pan(after.x - before.x, after.y - before.y);
  }

  /**
   * Moves the board.
   * @param {number} right distance to the right, in pixels
   * @param {number} down distance downwards, in pixels
   */
  pan(right, down) {
    const perUnit = this.drawing.getScreenCTM()?.a ?? 1;
    this.x += right / perUnit;
    this.y += down / perUnit;
    this.place();
  }

  /**
   * Zooms.
   * @param {number} factor above 1 to enlarge the board; 0 to show the whole board
   * @param {number} [clientX] the point that stays in place, in pixels of the window; by default the centre
   * @param {number} [clientY]
   * @param {number} [ms] duration, in milliseconds
   */
  closer(factor, clientX, clientY, ms = 0) {
    const box = this.drawing.getBoundingClientRect();
    const at = new DOMPoint(clientX ?? box.left + box.width / 2, clientY ?? box.top + box.height / 2);
    const { x, y } = at.matrixTransform(this.drawing.getScreenCTM()?.inverse());
    const scale = Math.min(MOST, Math.max(1, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.place(ms);
  }

  /** Shows the whole board. @param {number} [ms] duration, in milliseconds */
  fit(ms = 0) {
    this.scale = 1;
    this.place(ms);
  }

  /**
   * Applies place and scale, limited so that the board fills the drawing.
   * @param {number} [ms] duration, in milliseconds
   */
  place(ms = 0) {
    const from = this.transform();
    const [width, height] = this.size;
    this.x = Math.min(0, Math.max(width * (1 - this.scale), this.x));
    this.y = Math.min(0, Math.max(height * (1 - this.scale), this.y));
    this.camera.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.stage.classList.toggle("close", this.isClose);
    if (ms)
      this.camera.animate([{ transform: from }, { transform: this.transform() }], { duration: ms, easing: EASING });
    this.changed();
  }

  transform() {
    return getComputedStyle(this.camera).transform;
  }

  /**
   * Sets the size of the board.
   * @param {[width: number, height: number]} size new size, in scene units
   * @param {number} ms duration of the animation from the old to the new size, in milliseconds; 0 for none
   */
  resize(size, ms) {
    if (size[0] === this.size[0] && size[1] === this.size[1]) return;
    const before = this.camera.getScreenCTM();
    this.size = size;
    this.drawing.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.place();
    const after = this.camera.getScreenCTM();
    if (!ms || !before || !after) return;
    const own = DOMMatrix.fromMatrix(this.drawing.getScreenCTM() ?? undefined).inverse();
    const [from, to] = [before, after].map((matrix) => own.multiply(DOMMatrix.fromMatrix(matrix)).toString());
    this.camera.animate([{ transform: from }, { transform: to }], { duration: ms, easing: EASING });
  }
}
