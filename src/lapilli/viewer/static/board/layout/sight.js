// @ts-check
// Finds the element and the place of a shape: on the flat board, in a realm, on a strip, or on the globe.

import { boxOf, poseOf } from "../drawing/drawing.js";
import { LAYERS } from "../drawing/layers.js";
import { Picture } from "../pictures.js";

/** @typedef {import("../drawing/overlay.js").Box} Box */
/** @typedef {import("../pictures.js").Point} Point */

/** Least size of the unit for the widths of arrows and dots, in pixels. */
const LEAST = 4;
/** A piece at this distance from the centre of a place, or nearer, stands on it. In scene units. */
const NEAR = 1;

/** Implements `View` of overlay.js, which describes the methods. */
export class Sight {
  /**
   * @param {import("../drawing/layers.js").Layers} layers
   * @param {import("../drawing/plates.js").Plates} plates
   * @param {import("./realms.js").Realms} realms
   * @param {SVGElement} marks element for the marks over the flat board
   */
  constructor(layers, plates, realms, marks) {
    this.layers = layers;
    this.plates = plates;
    this.realms = realms;
    this.marks = marks;
    this.picture = new Picture();
    /** @type {import("../drawing/globe.js").Globe | undefined} the globe, if it is shown instead of the flat board */
    this.globe = undefined;
  }

  /** @param {string} key */
  shapeOf(key) {
    return this.layers.shapeOf(key);
  }

  /** Returns the strip that contains a shape; undefined if it is on the board. @param {string} key */
  stripOf(key) {
    const place = this.shapeOf(key)?.[6];
    return place === undefined || LAYERS.includes(place) ? undefined : this.plates.strips.get(place);
  }

  /** Returns the realm that contains a shape; undefined if there is none. @param {string} key */
  realmOf(key) {
    return this.realms.all.get(this.shapeOf(key)?.[6] ?? "");
  }

  /** @param {string} key @returns {SVGGraphicsElement | undefined} */
  nodeOf(key) {
    return this.globe && !this.stripOf(key) ? this.globe.nodeOf(key) : this.layers.nodeOf(key);
  }

  /**
   * Returns a shape's box, in pixels of the window.
   * @param {string} key
   * @returns {DOMRect | undefined} undefined if invisible
   */
  rectOf(key) {
    const rect = this.nodeOf(key)?.getBoundingClientRect();
    return rect?.width || rect?.height ? rect : undefined;
  }

  /** @param {string} key @returns {Box | undefined} */
  boxOf(key) {
    const [node, shape] = [this.nodeOf(key), this.shapeOf(key)];
    if (!node || !shape) return undefined;
    if (!this.globe || this.stripOf(key)) return boxOf(node, shape);
    const inverse = this.globe.drawing.getScreenCTM()?.inverse();
    const { left, top, right, bottom } = node.getBoundingClientRect();
    const [from, to] = [new DOMPoint(left, top), new DOMPoint(right, bottom)].map((point) =>
      point.matrixTransform(inverse),
    );
    return { left: from.x, top: from.y, right: to.x, bottom: to.y };
  }

  /** @param {string} key */
  isSliver(key) {
    return this.globe !== undefined && this.globe.isSliver(key);
  }

  /** @param {string} key @returns {Point | undefined} */
  pointOf(key) {
    if (this.globe) return this.globe.pointOf(key);
    const box = this.stripOf(key) ? undefined : this.boxOf(key);
    const point =
      this.picture.anchors[key] ??
      (box && /** @type {Point} */ ([(box.left + box.right) / 2, (box.top + box.bottom) / 2]));
    return point && (this.realmOf(key)?.onBoard(point) ?? point);
  }

  /** @param {string} key */
  isEmpty(key) {
    const [shape, at] = [this.shapeOf(key), this.picture.anchors[key]];
    if (!at || shape?.[1] === "g") return false;
    const pieces = [...this.picture.shapes.values()].filter(
      ([, tag, , , , , place]) => tag === "g" && place === "pieces",
    );
    return pieces.map(poseOf).every(({ x, y }) => Math.hypot(x - at[0], y - at[1]) > NEAR);
  }

  places() {
    return Object.keys(this.picture.anchors).length;
  }

  /** @param {string} key @returns {SVGElement | undefined} */
  overlayOf(key) {
    return (this.stripOf(key) ?? this.realmOf(key))?.overlay ?? this.overlays()[0];
  }

  overlays() {
    const apart = [...this.realms.all.values(), ...this.plates.strips.values()];
    return [this.globe?.overlay ?? this.marks, ...apart.map(({ overlay }) => overlay)];
  }

  /** Returns the unit for marks: a hundredth of the board's size, but at least LEAST pixels on the screen. */
  unit() {
    const [width, height] = this.globe ? [200, 200] : this.realms.isEmpty ? this.picture.size : this.realms.zoom.size;
    return Math.max(Math.sqrt(width * height) / 100, LEAST * pixelOf(this.overlays()[0]));
  }

  /** @param {string} key */
  pixel(key) {
    return pixelOf(this.overlayOf(key) ?? this.overlays()[0]);
  }
}

/** Returns the length of a pixel, in the coordinates of an element. @param {SVGElement} element */
function pixelOf(element) {
  return 1 / ((element instanceof SVGGraphicsElement && element.getScreenCTM()?.a) || 1);
}
