// @ts-check
// Keeps elements like the current picture: keyed shapes in layers and on strips, pieces glide, come, go and travel.

import { drawnShape, poseOf, redraw, svg, transformOf } from "./drawing.js";

/** @typedef {import("./pictures.js").Drawn} Drawn */
/** @typedef {import("./pictures.js").Picture} Picture */

export const LAYERS = ["ground", "marks", "pieces", "overlay"];

/** How long pieces glide to the next picture; and in a turn of several pictures, in each of them, in milliseconds. */
export const [GLIDE_MS, PHASE_MS] = [180, 340];

export const EASING = "cubic-bezier(.2, .7, .3, 1)";

/** @typedef {{shape: Drawn, node: SVGGraphicsElement}} Kept */

export class Layers {
  /**
   * @param {SVGElement} board into which the layers are put
   * @param {SVGSVGElement} sky an empty drawing over all of the component, for what travels between board and strips
   */
  constructor(board, sky) {
    this.sky = sky;
    /** @type {Map<string, Kept>} */
    this.kept = new Map();
    /** @type {Map<string, SVGElement>} what holds the shapes of a layer or a strip */
    this.places = new Map();
    /** @type {Map<SVGElement, Animation>} of pieces that glide */
    this.gliding = new Map();
    /** @type {Map<SVGElement, string>} where those were when the current picture came */
    this.midway = new Map();
    /** @type {Set<SVGElement>} elements of shapes that are gone, and copies of those that travel */
    this.passing = new Set();
    /** @type {string | undefined} a piece that a hand has put where the next picture has it */
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
   * What lies on a strip is drawn into this element from now on.
   * @param {string} name
   * @param {SVGElement} holder
   */
  hold(name, holder) {
    if (this.places.get(name) === holder) return;
    this.places.set(name, holder);
    holder.replaceChildren(...[...this.kept.values()].filter(({ shape }) => shape[6] === name).map(({ node }) => node));
  }

  /**
   * The pieces that the picture has in another place than now, and where on the screen they are.
   * @param {Picture} picture
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
   * @param {number} ms how long pieces glide; 0 to be there at once
   * @param {Map<string, DOMMatrix>} leavers what `leavers` said before anything else was moved
   */
  show(picture, ms, leavers) {
    const before = this.kept.size;
    if (!ms) this.settle();
    // All is read before anything is written: each change of the two costs a layout.
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

  /** Whatever moves is where it belongs, at once. */
  settle() {
    for (const animation of this.gliding.values()) animation.cancel();
    this.gliding.clear();
    for (const node of this.passing) node.remove();
    this.passing.clear();
  }

  /**
   * @param {Drawn} shape
   * @param {number} ms
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
   * @param {string} key
   * @param {SVGGraphicsElement | undefined} node
   * @param {number} ms
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

  /** Takes an element away once it has moved. @param {SVGElement} node @param {Animation} animation */
  pass(node, animation) {
    this.passing.add(node);
    animation.onfinish = () => {
      node.remove();
      this.passing.delete(node);
    };
  }

  /**
   * Copies of pieces travel from where they were on the screen to where they are now, over everything.
   * @param {Map<string, DOMMatrix>} leavers
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

  /** Puts every element into its place and in drawing order. @param {Picture} picture */
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

/** The next element that is not about to go. @param {Element} node */
function following(node) {
  let next = node.nextElementSibling;
  while (next?.classList.contains("leaving")) next = next.nextElementSibling;
  return next;
}

/** From an element's coordinates to the screen's; undefined where it is not to be seen. @param {SVGGraphicsElement} node */
function onScreen(node) {
  const matrix = node.getBoundingClientRect().width ? node.getScreenCTM() : null;
  return matrix ? DOMMatrix.fromMatrix(matrix) : undefined;
}

/** @param {DOMMatrix} matrix */
function cssMatrix({ a, b, c, d, e, f }) {
  return `matrix(${[a, b, c, d, e, f].map((number) => number.toFixed(4)).join(", ")})`;
}
