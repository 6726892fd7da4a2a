// @ts-check
// Turns the picture of a wide board by 90 degrees, so that it fills a tall window. Texts and pieces stay upright.

import { LAYERS } from "../drawing/layers.js";
import { Picture } from "../pictures.js";

/** @typedef {import("../pictures.js").Drawn} Drawn */
/** @typedef {import("../pictures.js").Point} Point */

/** One of the two directions in which a picture can be turned. */
class Quarter {
  /** @param {boolean} isClockwise */
  constructor(isClockwise) {
    this.isClockwise = isClockwise;
    /** @type {WeakMap<Drawn, Drawn>} turned shapes by original shape, so that an unchanged shape stays the same object */
    this.shapes = new WeakMap();
    /** @type {WeakMap<Picture, Picture>} turned pictures by original picture */
    this.pictures = new WeakMap();
  }

  /** Returns a turned picture. @param {Picture} picture @returns {Picture} */
  picture(picture) {
    const known = this.pictures.get(picture);
    if (known) return known;
    const { size } = picture;
    const made = Object.assign(new Picture(), picture);
    made.size = [size[1], size[0]];
    made.anchors = Object.fromEntries(
      Object.entries(picture.anchors).map(([key, [x, y]]) => [key, this.point(x, y, size)]),
    );
    made.shapes = new Map([...picture.shapes].map(([key, shape]) => [key, this.shape(shape, size)]));
    this.pictures.set(picture, made);
    return made;
  }

  /**
   * Returns a turned shape. Shapes on strips are returned unchanged.
   * @param {Drawn} shape
   * @param {Point} size width and height of the board before it is turned
   * @returns {Drawn}
   */
  shape(shape, size) {
    if (!LAYERS.includes(shape[6])) return shape;
    const known = this.shapes.get(shape);
    if (known) return known;
    const made = /** @type {Drawn} */ ([...shape]);
    made[2] = this.attributes(shape[2], size);
    this.shapes.set(shape, made);
    return made;
  }

  /**
   * Returns the attributes of a shape with turned coordinates.
   * @param {Record<string, string>} attributes
   * @param {Point} size width and height of the board before it is turned
   */
  attributes(attributes, size) {
    const made = { ...attributes };
    const put = (/** @type {string} */ right, /** @type {string} */ down, wide = "0", high = "0") => {
      if (!(right in attributes)) return;
      const corner = this.point(Number(attributes[right]), Number(attributes[down]), size);
      if (this.isClockwise) corner[0] -= Number(high);
      else corner[1] -= Number(wide);
      [made[right], made[down]] = corner.map(String);
    };
    put("x", "y", attributes.width, attributes.height); // another corner of a rectangle is the upper left one afterwards
    put("cx", "cy");
    put("x1", "y1");
    put("x2", "y2");
    if ("width" in attributes) [made.width, made.height] = [attributes.height, attributes.width];
    if ("turn" in attributes) made.turn = String(Number(attributes.turn) + (this.isClockwise ? 90 : -90));
    if ("points" in attributes)
      made.points = attributes.points
        .split(" ")
        .map((point) => point.split(",").map(Number))
        .map(([x, y]) => this.point(x, y, size).join(","))
        .join(" ");
    return made;
  }

  /**
   * Returns a turned point.
   * @param {number} x
   * @param {number} y
   * @param {Point} size width and height of the board before it is turned
   * @returns {Point}
   */
  point(x, y, [width, height]) {
    return this.isClockwise ? [height - y, x] : [y, width - x];
  }
}

const [clockwise, counterclockwise] = [new Quarter(true), new Quarter(false)];

/**
 * Returns a picture turned by 90 degrees. The first player of many games begins on the left, and the panels show this
 * player below the board: then the picture is turned counterclockwise, so that its left side is below.
 * @param {Picture} picture
 * @param {boolean} isFlipped whether the first player's panel is above the board
 * @returns {Picture}
 */
export function turned(picture, isFlipped) {
  return (isFlipped ? clockwise : counterclockwise).picture(picture);
}
