// @ts-check
// The copy of a piece that a hand carries, over everything.

import { svg } from "./drawing.js";
import { EASING } from "./layers.js";

export class Ghost {
  /**
   * @param {SVGSVGElement} sky where it is drawn
   * @param {SVGGraphicsElement} piece which is paler meanwhile
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
    /** How long it is, in pixels. */
    this.long = copy.getBBox().width * Math.hypot(a, b);
  }

  /** Its origin is where the pointer is. @param {number} x on the screen @param {number} y */
  follow(x, y) {
    const { left, top } = this.sky.getBoundingClientRect();
    this.node.style.transform = `translate(${x - left}px, ${y - top}px)`;
  }

  /**
   * It lies over two places, from the one to the other.
   * @param {DOMRect} from
   * @param {DOMRect} to
   */
  lie(from, to) {
    const { left, top } = this.sky.getBoundingClientRect();
    const [x, y] = [from.left + from.width / 2, from.top + from.height / 2];
    const [right, down] = [to.left + to.width / 2 - x, to.top + to.height / 2 - y];
    const [turn, scale] = [Math.atan2(down, right), (2 * Math.hypot(right, down)) / this.long];
    // The game may turn its drawings back.
    for (const quarter of [90, 180, 270])
      this.node.classList.toggle(
        `lapilli-turned-${quarter}`,
        Math.round(turn / (Math.PI / 2) + 4) % 4 === quarter / 90,
      );
    this.node.style.transform = `translate(${x - left}px, ${y - top}px) rotate(${turn}rad) scale(${scale})`;
  }

  /** @param {number} [ms] how long it glides back first */
  remove(ms = 0) {
    this.piece.style.removeProperty("opacity");
    if (!ms) return this.node.remove();
    this.node.animate([{}, { transform: this.home }], { duration: ms, easing: EASING, fill: "forwards" }).onfinish =
      () => this.node.remove();
  }
}
