// @ts-check
// What is drawn over a board from key to key: outlines of what is pointed at or can be chosen, arrows, dots.

import { svg } from "./drawing.js";

/** @typedef {import("./pictures.js").Drawn} Drawn */
/** @typedef {import("./pictures.js").Point} Point */
/** @typedef {string | [key: string, kind: string]} Link a key; kind: "far" for what does not lie next to it, "near" without one */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * Whatever shows shapes: the flat board with its strips, or the globe.
 * @typedef {object} View
 * @property {(key: string) => SVGGraphicsElement | undefined} nodeOf undefined for what is not to be seen
 * @property {(key: string) => Drawn | undefined} shapeOf
 * @property {(key: string) => Box | undefined} boxOf in the coordinates of the overlay that it is under
 * @property {(key: string) => Point | undefined} pointOf where arrows to it end; undefined for what lies on a strip
 * @property {(key: string) => SVGElement | undefined} overlayOf
 * @property {() => SVGElement[]} overlays the board's own first
 * @property {() => number} unit a hundredth of the board's size
 */

/**
 * All that is drawn over the board.
 * @typedef {object} Marked
 * @property {string[]} targets keys that can be chosen now
 * @property {string[]} loose keys at which a piece can be taken up now
 * @property {string[]} walked keys that have been chosen on the way
 * @property {string[]} aimed keys that what is dragged would go to
 * @property {string[]} lit keys that a text names
 * @property {readonly string[]} noted keys that a note is about
 * @property {string | undefined} pointed
 * @property {Link[]} linked to what is pointed at
 * @property {string | undefined} cursor where the keyboard is
 * @property {[from: string, to: string, kind: string][]} arrows
 * @property {[key: string, kind: string][]} dots
 */

/** The share of a piece's box that a part must fill to stand for its contour. */
const FULL = 0.8;
/** More targets than this are drawn more quietly. */
const MANY = 24;

export class Overlay {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** @type {Marked} */
    this.marked = {
      targets: [],
      loose: [],
      walked: [],
      aimed: [],
      lit: [],
      noted: [],
      pointed: undefined,
      linked: [],
      cursor: undefined,
      arrows: [],
      dots: [],
    };
  }

  /** @param {Partial<Marked>} changes */
  mark(changes) {
    Object.assign(this.marked, changes);
    if (changes.targets) this.draw();
    else this.drawRest();
  }

  /** Draws all of it anew; after the picture, the view or the globe's turn have changed, too. */
  draw() {
    const { targets, loose } = this.marked;
    for (const overlay of this.view.overlays()) {
      overlay.replaceChildren(svg("g"), svg("g"));
      overlay.classList.toggle("many", targets.length > MANY);
    }
    for (const key of targets) this.outline(key, loose.includes(key) ? "target loose" : "target");
    for (const key of loose) if (!targets.includes(key)) this.outline(key, "loose");
    this.drawRest();
  }

  /** Draws what no click is for anew: an element that is replaced while it is pressed hears no click. */
  drawRest() {
    const { walked, aimed, lit, noted, pointed, linked, cursor, arrows, dots } = this.marked;
    for (const overlay of this.view.overlays()) {
      if (overlay.childElementCount < 2) overlay.replaceChildren(svg("g"), svg("g"));
      overlay.lastElementChild?.replaceChildren();
    }
    for (const key of walked) this.outline(key, "walked");
    for (const key of aimed) this.outline(key, "aimed");
    for (const key of noted) this.outline(key, "noted");
    for (const key of lit) this.outline(key, "lit");
    this.link(pointed, linked);
    if (pointed !== undefined) this.outline(pointed, "pointed");
    const own = this.view.overlays()[0].lastElementChild ?? this.view.overlays()[0];
    for (const [key, kind] of dots) this.dot(own, key, kind);
    for (const [from, to, kind] of arrows) this.arrow(own, from, to, kind);
    if (cursor !== undefined) this.outline(cursor, "cursor");
  }

  /**
   * An outline is two lines, one on top of the other, so that it stands out from any ground.
   * @param {string} key
   * @param {string} kind
   */
  outline(key, kind) {
    const [node, box, overlay] = [this.view.nodeOf(key), this.view.boxOf(key), this.view.overlayOf(key)];
    const isPressed = kind.startsWith("target") || kind === "loose";
    const holder = isPressed ? overlay?.firstElementChild : overlay?.lastElementChild;
    if (!node || !box || !holder) return;
    const isPlain = node.tagName !== "g" && node.tagName !== "text";
    const around = isPlain ? node : (contour(node) ?? frame(box, 0.4 * this.view.unit()));
    for (const part of kind === "loose" ? [kind] : [isPressed ? "halo pressed" : "halo", kind]) {
      const made = /** @type {SVGElement} */ (around.cloneNode(false));
      made.setAttribute("class", `outline ${part}${isPlain ? "" : " piece"}`);
      if (isPressed && part === kind) made.dataset.key = key;
      else delete made.dataset.key;
      // No halo of one place lies over the outline of another.
      if (isPressed && part !== kind) holder.prepend(made);
      else holder.append(made);
    }
  }

  /**
   * What is linked and lies apart, such as the partner of an edge on the other side of a net, is led to by a line.
   * @param {string | undefined} pointed
   * @param {Link[]} linked
   */
  link(pointed, linked) {
    const kinds = new Map(linked.map((one) => (typeof one === "string" ? [one, "near"] : one)));
    for (const [key, kind] of kinds) this.outline(key, `linked ${kind}`);
    const start = pointed === undefined ? undefined : this.view.pointOf(pointed);
    if (pointed === undefined || !start) return;
    const [own] = this.view.overlays();
    this.raise(pointed, kinds.size > 0);
    for (const key of apart(pointed, [...kinds.keys()], (one) => this.view.boxOf(one))) {
      const end = this.view.pointOf(key);
      if (!end || this.view.overlayOf(key) !== own) continue;
      const long = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
      // It begins and ends at the edges of what it joins, and hides neither.
      const [from, to] = [pointed, key].map((one) => radius(this.view.boxOf(one)) / long);
      if (from + to >= 1) continue;
      const at = (/** @type {number} */ share, /** @type {0 | 1} */ axis) =>
        start[axis] + share * (end[axis] - start[axis]);
      const ends = { x1: at(from, 0), y1: at(from, 1), x2: at(1 - to, 0), y2: at(1 - to, 1) };
      for (const part of ["halo thin", `lead ${kinds.get(key)}`])
        own.lastElementChild?.append(svg("line", { ...ends, class: `outline ${part}` }));
    }
  }

  /** A piece that is pointed at lies over what joins it to others. @param {string} key @param {boolean} isLinked */
  raise(key, isLinked) {
    const node = this.view.nodeOf(key);
    if (!isLinked || node?.tagName !== "g") return;
    const copy = /** @type {SVGGElement} */ (node.cloneNode(true));
    delete copy.dataset.key;
    copy.classList.add("raised");
    this.view.overlayOf(key)?.lastElementChild?.append(copy);
  }

  /**
   * @param {Element} overlay
   * @param {string} key
   * @param {string} kind
   */
  dot(overlay, key, kind) {
    const point = this.view.pointOf(key);
    if (!point) return this.outline(key, kind);
    overlay.append(svg("circle", { cx: point[0], cy: point[1], r: 1.7 * this.view.unit(), class: `dot ${kind}` }));
  }

  /**
   * From one place to another; a ring where they are the same. What lies on a strip is outlined instead.
   * @param {Element} overlay
   * @param {string} from
   * @param {string} to
   * @param {string} kind
   */
  arrow(overlay, from, to, kind) {
    const [start, end, unit] = [this.view.pointOf(from), this.view.pointOf(to), this.view.unit()];
    if (!start || !end) return [from, to].forEach((key) => this.outline(key, kind));
    const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
    if (length < 4 * unit)
      return void overlay.append(svg("circle", { cx: end[0], cy: end[1], r: 3 * unit, class: `ring ${kind}` }));
    const turn = (Math.atan2(end[1] - start[1], end[0] - start[0]) * 180) / Math.PI;
    const [shaft, head, wide, gap] = [0.55 * unit, 3.4 * unit, 1.7 * unit, 1.2 * unit];
    const [tip, neck] = [length - 0.4 * unit, length - 0.4 * unit - head];
    const points = [
      [gap, -shaft],
      [neck, -shaft],
      [neck, -wide],
      [tip, 0],
      [neck, wide],
      [neck, shaft],
      [gap, shaft],
    ];
    const place = `translate(${start[0]} ${start[1]}) rotate(${turn})`;
    overlay.append(
      svg("polygon", {
        points: points.map((point) => point.join(",")).join(" "),
        transform: place,
        class: `arrow ${kind}`,
      }),
    );
  }
}

/**
 * A copy of the part of a piece that is as large as the piece; undefined where there is none.
 * @param {SVGGraphicsElement} piece
 */
function contour(piece) {
  const area = (/** @type {SVGGraphicsElement} */ one) => one.getBBox().width * one.getBBox().height;
  const whole = area(piece);
  const found = [...piece.children].find(
    (part) => part instanceof SVGGraphicsElement && !(part instanceof SVGTextElement) && area(part) >= FULL * whole,
  );
  const copy = /** @type {SVGElement | undefined} */ (found?.cloneNode(false));
  copy?.setAttribute("transform", `${piece.getAttribute("transform") ?? ""} ${found?.getAttribute("transform") ?? ""}`);
  return copy;
}

/** @param {Box} box @param {number} by */
function frame({ left, top, right, bottom }, by) {
  return svg("rect", {
    x: left - by,
    y: top - by,
    width: right - left + 2 * by,
    height: bottom - top + 2 * by,
    rx: 2 * by,
  });
}

/** How far the edge is from the middle, where it is nearest. @param {Box | undefined} box */
function radius(box) {
  return box ? Math.min(box.right - box.left, box.bottom - box.top) / 2 : 0;
}

/**
 * The linked keys that no row of touching ones joins to the one that is pointed at.
 * @param {string} pointed
 * @param {string[]} linked
 * @param {(key: string) => Box | undefined} boxOf
 */
function apart(pointed, linked, boxOf) {
  /** @type {Map<string, Box>} */
  const left = new Map();
  for (const key of linked) {
    const box = boxOf(key);
    if (box) left.set(key, box);
  }
  const first = boxOf(pointed);
  for (const open = first ? [first] : []; open.length;) {
    const box = /** @type {Box} */ (open.pop());
    const near = 0.08 * (box.right - box.left);
    for (const [key, other] of left) {
      const isNear =
        other.left <= box.right + near &&
        other.right >= box.left - near &&
        other.top <= box.bottom + near &&
        other.bottom >= box.top - near;
      if (isNear && left.delete(key)) open.push(other);
    }
  }
  return left.keys();
}
