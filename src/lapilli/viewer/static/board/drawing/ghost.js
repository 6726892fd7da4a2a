// @ts-check
// A copy of a piece, drawn above everything else: it follows the pointer during a drag, or shows where a piece would
// lie.

import { svg } from "./drawing.js";
import { EASING } from "./layers.js";

export class Ghost {
  /**
   * @param {SVGSVGElement} sky the drawing above the board, into which the copy is put
   * @param {SVGGraphicsElement} piece the original, which is paler until the copy is removed
   */
  constructor(sky, piece) {
    const { a, b, c, d, e, f } = piece.getScreenCTM() ?? new DOMMatrix();
    const { left, top } = sky.getBoundingClientRect();
    const copy = /** @type {SVGGraphicsElement} */ (piece.cloneNode(true));
    delete copy.dataset.key;
    copy.setAttribute("transform", `matrix(${[a, b, c, d, 0, 0].join(" ")})`);
    this.sky = sky;
    this.piece = piece;
    this.home = `translate(${e - left}px, ${f - top}px)`;
    this.node = svg("g", { class: "carried" }, copy);
    this.node.style.transform = this.home;
    sky.append(this.node);
    piece.style.opacity = "0.3";
    /** Width of the piece on the screen before it is turned, in pixels. */
    this.long = copy.getBBox().width * Math.hypot(a, b);
  }

  /** Moves the copy's origin to the pointer. @param {number} x in pixels of the window @param {number} y */
  follow(x, y) {
    const { left, top } = this.sky.getBoundingClientRect();
    this.node.style.transform = `translate(${x - left}px, ${y - top}px)`;
  }

  /**
   * Lays the copy over two places, turned from the first to the second.
   * @param {DOMRect} from the first place, in pixels of the window
   * @param {DOMRect} to the second place
   */
  lie(from, to) {
    const { left, top } = this.sky.getBoundingClientRect();
    const [x, y] = [from.left + from.width / 2, from.top + from.height / 2];
    const [right, down] = [to.left + to.width / 2 - x, to.top + to.height / 2 - y];
    const [turn, scale] = [Math.atan2(down, right), (2 * Math.hypot(right, down)) / this.long];
    // With these classes, a game's style sheet can turn drawings on the piece back, so that they stay upright.
    for (const quarter of [90, 180, 270])
      this.node.classList.toggle(
        `lapilli-turned-${quarter}`,
        Math.round(turn / (Math.PI / 2) + 4) % 4 === quarter / 90,
      );
    this.node.style.transform = `translate(${x - left}px, ${y - top}px) rotate(${turn}rad) scale(${scale})`;
  }

  /** Removes the copy. @param {number} [ms] time in which it first moves back to the piece, in milliseconds */
  remove(ms = 0) {
    this.piece.style.removeProperty("opacity");
    if (!ms) return this.node.remove();
    this.node.animate([{}, { transform: this.home }], { duration: ms, easing: EASING, fill: "forwards" }).onfinish =
      () => this.node.remove();
  }
}
