// @ts-check
// Turns a picture of a wide board by a quarter, so that it fills a tall window. Texts and pieces stay upright.

import { LAYERS } from "./layers.js";
import { Picture } from "./pictures.js";

/** @typedef {import("./pictures.js").Drawn} Drawn */
/** @typedef {import("./pictures.js").Point} Point */

/** @type {WeakMap<Drawn, Drawn>} by the shape as it came, so that a shape that stays is the same one when turned */
const shapes = new WeakMap();
/** @type {WeakMap<Picture, Picture>} */
const pictures = new WeakMap();

/**
 * A picture turned by a quarter, clockwise.
 * @param {Picture} picture
 * @returns {Picture}
 */
export function turned(picture) {
  const known = pictures.get(picture);
  if (known) return known;
  const [width, height] = picture.size;
  const made = Object.assign(new Picture(), picture);
  made.size = [height, width];
  made.anchors = Object.fromEntries(
    Object.entries(picture.anchors).map(([key, [x, y]]) => [key, /** @type {Point} */ ([height - y, x])]),
  );
  made.shapes = new Map([...picture.shapes].map(([key, shape]) => [key, shapeTurned(shape, height)]));
  pictures.set(picture, made);
  return made;
}

/**
 * @param {Drawn} shape
 * @param {number} height of the board before it is turned
 * @returns {Drawn}
 */
function shapeTurned(shape, height) {
  if (!LAYERS.includes(shape[6])) return shape;
  const known = shapes.get(shape);
  if (known) return known;
  const made = /** @type {Drawn} */ ([...shape]);
  made[2] = placesTurned(shape[2], height);
  shapes.set(shape, made);
  return made;
}

/**
 * A shape's attributes, with its places turned.
 * @param {Record<string, string>} attributes
 * @param {number} height
 */
function placesTurned(attributes, height) {
  const made = { ...attributes };
  const put = (/** @type {string} */ right, /** @type {string} */ down, extent = "0") => {
    if (!(right in attributes)) return;
    made[right] = String(height - Number(attributes[down]) - Number(extent));
    made[down] = attributes[right];
  };
  put("x", "y", attributes.height); // a rectangle's corner is the one that is upper left afterwards
  put("cx", "cy");
  put("x1", "y1");
  put("x2", "y2");
  if ("width" in attributes) [made.width, made.height] = [attributes.height, attributes.width];
  if ("turn" in attributes) made.turn = String(Number(attributes.turn) + 90);
  if ("points" in attributes)
    made.points = attributes.points
      .split(" ")
      .map((point) => point.split(",").map(Number))
      .map(([x, y]) => `${height - y},${x}`)
      .join(" ");
  return made;
}
