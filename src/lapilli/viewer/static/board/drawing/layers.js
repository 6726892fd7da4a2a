// @ts-check
// Changes the elements of the board and its strips from picture to picture, and animates the pieces that move, come or
// go.

import { drawnShape, poseOf, redraw, svg, transformOf } from "./drawing.js";

/** @typedef {import("../pictures.js").Drawn} Drawn */
/** @typedef {import("../pictures.js").Picture} Picture */

export const LAYERS = ["ground", "marks", "pieces", "overlay"];

/**
 * Time in which pieces move to the position after a turn, and to a picture in the middle of a turn, in milliseconds.
 */
export const [GLIDE_MS, PHASE_MS] = [180, 340];

export const EASING = "cubic-bezier(.2, .7, .3, 1)";

/** @typedef {{shape: Drawn, node: SVGGraphicsElement}} Kept */

export class Layers {
  /**
   * @param {SVGElement} board element into which the layers are put
   * @param {SVGSVGElement} sky an empty drawing above everything, for pieces that move between the board and a strip
   */
  constructor(board, sky) {
    this.sky = sky;
    /** @type {Map<string, Kept>} */
    this.kept = new Map();
    /** @type {Map<string, SVGElement>} by name of a layer, realm or strip: the element that contains its shapes */
    this.places = new Map();
    /** @type {Map<SVGElement, Animation>} the running animations of pieces */
    this.gliding = new Map();
    /** @type {Map<SVGElement, string>} the CSS transform of each of these pieces when the current picture was set */
    this.midway = new Map();
    /**
     * Elements to remove after their animation: shapes that are gone, and copies of moving pieces.
     * @type {Set<SVGElement>}
     */
    this.passing = new Set();
    /** @type {string | undefined} key of a piece that was dragged to its new place, so that no animation is needed */
    this.landed = undefined;
    for (const name of LAYERS) {
      const layer = svg("g", { class: `layer ${name}` });
      this.places.set(name, layer);
      board.append(layer);
    }
  }

  /** @param {string} key @returns {SVGGraphicsElement | undefined} */
  nodeOf(key) {
    return this.kept.get(key)?.node;
  }

  /** @param {string} key @returns {Drawn | undefined} */
  shapeOf(key) {
    return this.kept.get(key)?.shape;
  }

  /**
   * Sets the element into which the shapes of a strip or realm are drawn.
   * @param {string} name name of the strip or realm
   * @param {SVGElement} holder the element
   */
  hold(name, holder) {
    if (this.places.get(name) === holder) return;
    this.places.set(name, holder);
    holder.replaceChildren(...[...this.kept.values()].filter(({ shape }) => shape[6] === name).map(({ node }) => node));
  }

  /**
   * Returns the pieces that move to another layer, realm or strip in the next picture, with their present places on the
   * screen, by key.
   * @param {Picture} picture the next picture
   */
  leavers(picture) {
    /** @type {Map<string, DOMMatrix>} */
    const found = new Map();
    for (const [key, { shape, node }] of this.kept) {
      const next = picture.shapes.get(key);
      if (!next || key === this.landed || next[6] === shape[6] || next[1] !== "g" || shape[1] !== "g") continue;
      const matrix = onScreen(node);
      if (matrix) found.set(key, matrix);
    }
    return found;
  }

  /**
   * Draws a picture.
   * @param {Picture} picture
   * @param {number} ms time in which pieces move, in milliseconds; 0 to jump
   * @param {Map<string, DOMMatrix>} leavers result of `leavers`, called before anything was moved
   */
  show(picture, ms, leavers) {
    const before = this.kept.size;
    if (!ms) this.settle();
    // All transforms are read before elements are changed. Otherwise the browser would have to compute the layout
    // often.
    this.midway = new Map([...this.gliding.keys()].map((node) => [node, getComputedStyle(node).transform]));
    for (const [key, { node }] of this.kept) if (!picture.shapes.has(key)) this.drop(key, node, ms);
    for (const key of picture.order) {
      const shape = picture.shapes.get(key);
      if (shape && this.places.has(shape[6])) this.keep(shape, before ? ms : 0);
      else if (shape) this.drop(key, this.kept.get(key)?.node, 0);
    }
    this.order(picture);
    this.landed = undefined;
    if (ms) this.fly(leavers, ms);
  }

  /** Ends all animations at once. */
  settle() {
    for (const animation of this.gliding.values()) animation.cancel();
    this.gliding.clear();
    for (const node of this.passing) node.remove();
    this.passing.clear();
  }

  /**
   * Creates or updates the element of a shape.
   * @param {Drawn} shape
   * @param {number} ms duration of the animation, in milliseconds; 0 for none
   */
  keep(shape, ms) {
    const kept = this.kept.get(shape[0]);
    if (kept?.shape === shape) return;
    if (!kept || kept.shape[1] !== shape[1]) {
      kept?.node.remove();
      const node = drawnShape(shape);
      this.kept.set(shape[0], { shape, node });
      if (ms) this.enter(node, shape, ms);
      return;
    }
    const { node, shape: old } = kept;
    if (ms && shape[1] === "g" && shape[6] === old[6]) this.glide(node, old, shape, ms);
    redraw(node, old, shape);
    kept.shape = shape;
  }

  /**
   * Animates a piece that moves within its layer, realm or strip.
   * @param {SVGGraphicsElement} node
   * @param {Drawn} old
   * @param {Drawn} shape
   * @param {number} ms
   */
  glide(node, old, shape, ms) {
    const [from, to] = [transformOf(poseOf(old)), transformOf(poseOf(shape))];
    if (from === to || shape[0] === this.landed) return;
    this.move(node, [{ transform: this.midway.get(node) ?? from }, { transform: to }], ms);
  }

  /**
   * Animates a new shape.
   * @param {SVGGraphicsElement} node
   * @param {Drawn} shape
   * @param {number} ms
   */
  enter(node, shape, ms) {
    if (shape[1] !== "g") return void this.move(node, [{ opacity: 0 }, {}], ms);
    const pose = poseOf(shape);
    const small = transformOf({ ...pose, scale: 0.6 * pose.scale });
    this.move(node, [{ opacity: 0, transform: small }, { transform: transformOf(pose) }], ms);
  }

  /**
   * Starts an animation in place of an earlier one of the same element.
   * @param {SVGElement} node
   * @param {Keyframe[]} way
   * @param {number} ms
   */
  move(node, way, ms) {
    this.gliding.get(node)?.cancel();
    const animation = node.animate(way, { duration: ms, easing: EASING });
    this.gliding.set(node, animation);
    animation.onfinish = () => this.gliding.get(node) === animation && this.gliding.delete(node);
  }

  /**
   * Removes the element of a shape that is gone.
   * @param {string} key
   * @param {SVGGraphicsElement | undefined} node
   * @param {number} ms time in which it fades out, in milliseconds; 0 to remove it at once
   */
  drop(key, node, ms) {
    this.kept.delete(key);
    if (!node) return;
    this.gliding.get(node)?.cancel();
    this.gliding.delete(node);
    if (!ms) return node.remove();
    delete node.dataset.key;
    node.classList.add("leaving");
    this.pass(node, node.animate([{}, { opacity: 0 }], { duration: ms, easing: "ease-in", fill: "forwards" }));
  }

  /** Removes an element at the end of its animation. @param {SVGElement} node @param {Animation} animation */
  pass(node, animation) {
    this.passing.add(node);
    animation.onfinish = () => {
      node.remove();
      this.passing.delete(node);
    };
  }

  /**
   * Animates pieces that have moved to another layer, realm or strip: a copy of each moves above everything else.
   * @param {Map<string, DOMMatrix>} leavers the pieces' former places on the screen, by key
   * @param {number} ms
   */
  fly(leavers, ms) {
    const sky = this.sky.getScreenCTM()?.inverse();
    const flights = [...leavers].map(([key, from]) => {
      const node = this.nodeOf(key);
      return { node, from, to: node && onScreen(node) };
    });
    for (const { node, from, to } of flights) {
      if (!node || !to || !sky) continue;
      const copy = /** @type {SVGGElement} */ (node.cloneNode(true));
      delete copy.dataset.key;
      copy.removeAttribute("transform");
      this.sky.append(copy);
      const way = [from, to].map((matrix) => ({ transform: cssMatrix(DOMMatrix.fromMatrix(sky).multiply(matrix)) }));
      this.pass(copy, copy.animate(way, { duration: ms, easing: EASING, fill: "forwards" }));
      this.move(node, [{ opacity: 0 }, { opacity: 0 }], ms);
    }
  }

  /** Puts each element into its layer, realm or strip, in drawing order. @param {Picture} picture */
  order(picture) {
    /** @type {Map<SVGElement, Element | null>} */
    const nexts = new Map();
    for (let i = picture.order.length - 1; i >= 0; i--) {
      const kept = this.kept.get(picture.order[i]);
      const holder = kept && this.places.get(kept.shape[6]);
      if (!kept || !holder) continue;
      const next = nexts.get(holder) ?? null;
      if (kept.node.parentNode !== holder || following(kept.node) !== next) holder.insertBefore(kept.node, next);
      nexts.set(holder, kept.node);
    }
  }
}

/** Returns the next sibling, without elements that are fading out. @param {Element} node */
function following(node) {
  let next = node.nextElementSibling;
  while (next?.classList.contains("leaving")) next = next.nextElementSibling;
  return next;
}

/**
 * Returns the transform from an element's coordinates to the screen; undefined if it is invisible.
 * @param {SVGGraphicsElement} node
 */
function onScreen(node) {
  const matrix = node.getBoundingClientRect().width ? node.getScreenCTM() : null;
  return matrix ? DOMMatrix.fromMatrix(matrix) : undefined;
}

/** Formats a matrix for CSS. @param {DOMMatrix} matrix */
function cssMatrix({ a, b, c, d, e, f }) {
  return `matrix(${[a, b, c, d, e, f].map((number) => number.toFixed(4)).join(", ")})`;
}
