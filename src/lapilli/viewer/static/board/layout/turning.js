// @ts-check
// Turns the picture of a wide board by 90 degrees, so that it fills a tall window. Texts and pieces stay upright.

import { LAYERS } from "../drawing/layers.js";
import { Picture } from "../pictures.js";

/** @typedef {import("../pictures.js").Drawn} Drawn */
/** @typedef {import("../pictures.js").Point} Point */

/** @type {WeakMap<Drawn, Drawn>} turned shapes by original shape, so that an unchanged shape stays the same object */
const shapes = new WeakMap();
/** @type {WeakMap<Picture, Picture>} turned pictures by original picture */
const pictures = new WeakMap();

/**
 * Returns a picture turned by 90 degrees clockwise.
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
 * Returns a shape turned by 90 degrees. Shapes on strips are returned unchanged.
 * @param {Drawn} shape
 * @param {number} height height of the board before it is turned
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
 * Returns the attributes of a shape with turned coordinates.
 * @param {Record<string, string>} attributes
 * @param {number} height height of the board before it is turned
 */
function placesTurned(attributes, height) {
  const made = { ...attributes };
  const put = (/** @type {string} */ right, /** @type {string} */ down, extent = "0") => {
    if (!(right in attributes)) return;
    made[right] = String(height - Number(attributes[down]) - Number(extent));
    made[down] = attributes[right];
  };
  put("x", "y", attributes.height); // another corner of a rectangle is the upper left one afterwards
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
