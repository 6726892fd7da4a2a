// @ts-check
// Draws marks over a board: outlines of shapes that are pointed at or can be chosen, lines between shapes, arrows and
// dots.

import { svg } from "./drawing.js";

/** @typedef {import("../pictures.js").Drawn} Drawn */
/** @typedef {import("../pictures.js").Point} Point */
/**
 * @typedef {string | [key: string, kind: string]} Link key of a linked shape; kind "far" if it is not adjacent, else
 *   "near"
 */
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * A view of shapes: the flat board with its strips, or the globe. The functions take the key of a shape.
 * @typedef {object} View
 * @property {(key: string) => SVGGraphicsElement | undefined} nodeOf its element; undefined if it is invisible
 * @property {(key: string) => Drawn | undefined} shapeOf its data
 * @property {(key: string) => Box | undefined} boxOf its box, in the coordinates of its overlay
 * @property {(key: string) => Point | undefined} pointOf point at which arrows to it end; undefined on a strip
 * @property {(key: string) => SVGElement | undefined} overlayOf the overlay: the element for marks over this shape
 * @property {(key: string) => boolean} isEmpty whether it is a place of the board without a piece
 * @property {() => number} places number of places of the board
 * @property {() => SVGElement[]} overlays all overlays, the board's own first
 * @property {(key: string) => boolean} isSliver whether it is visible, but too narrow to be read
 * @property {(key: string) => number} pixel length of a pixel, in the coordinates of the overlay of a shape
 * @property {() => number} unit about a hundredth of the board's size, in the coordinates of the board
 */

/**
 * All marks over the board, by keys of shapes.
 * @typedef {object} Marked
 * @property {string[]} targets shapes that can be chosen now
 * @property {string[]} loose shapes at which a piece can be lifted now
 * @property {string[]} walked shapes already chosen for the present action
 * @property {string[]} aimed places to which the dragged piece would go
 * @property {string[]} lit places whose names in a text are pointed at
 * @property {readonly string[]} noted places that a note beside the board explains
 * @property {string | undefined} pointed the shape at the pointer
 * @property {Link[]} linked shapes that are linked to it
 * @property {string | undefined} cursor the shape at the keyboard's cursor
 * @property {Arrow[]} arrows
 * @property {Dot[]} dots
 */
/** An arrow between two shapes. `label`: a short text on it, such as a number; none if it is missing. `piece`: key of a
 * piece, which is drawn on both shapes instead of the arrow.
 * @typedef {[from: string, to: string, kind: string, label?: string, piece?: string]} Arrow */
/** A mark on a shape, with a label as on an arrow. @typedef {[key: string, kind: string, label?: string]} Dot */

/** A part of a piece that fills at least this share of the piece's box is used as the piece's outline. */
const FULL = 0.8;
/** Distance of the outline of a piece that can be chosen from the piece, in pixels, so that its number stays free. */
const OFF = 3;
/** Places at which the label of an arrow is tried, as shares of the arrow's length. */
const ALONG = [0.55, 0.4, 0.7, 0.25, 0.85];
/** If there are more targets than this, those without a piece get a dot instead of an outline. */
const MANY = 24;
/** If there are many targets, and more than this share of all places, no target has a mark until it is pointed at. */
const MOST = 0.5;

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

  /** Changes some of the marks. @param {Partial<Marked>} changes */
  mark(changes) {
    Object.assign(this.marked, changes);
    if (changes.targets) this.draw();
    else this.drawRest();
  }

  /** Draws all marks anew. Also called when the picture or the view has changed, or the globe has turned. */
  draw() {
    const { targets, loose } = this.marked;
    for (const overlay of this.view.overlays()) overlay.replaceChildren(svg("g"), svg("g"));
    const areMany = targets.length > MANY;
    const areMost = areMany && targets.length > MOST * this.view.places();
    for (const key of targets) {
      if (areMost && !loose.includes(key)) this.outline(key, "target quiet");
      else if (areMany && this.view.isEmpty(key)) this.spot(key);
      else this.outline(key, loose.includes(key) ? "target loose" : "target");
    }
    for (const key of loose) if (!targets.includes(key)) this.outline(key, "loose");
    this.spare(targets);
    this.drawRest();
  }

  /**
   * Cuts the outlines of places where pieces lie on them, so that no line crosses what is written on a piece.
   * @param {string[]} targets
   */
  spare(targets) {
    const [own] = this.view.overlays();
    const pieces = targets.filter((key) => this.view.nodeOf(key)?.tagName === "g" && this.view.overlayOf(key) === own);
    const lines = [...(own.firstElementChild?.children ?? [])].filter((one) => !one.classList.contains("piece"));
    if (!pieces.length || !lines.length) return;
    const far = 1000 * this.view.unit();
    const all = { x: -far, y: -far, width: 2 * far, height: 2 * far };
    const holes = pieces.flatMap((key) => {
      const box = this.view.boxOf(key);
      if (!box) return [];
      const [rx, ry] = [(box.right - box.left) / 2, (box.bottom - box.top) / 2];
      return [svg("ellipse", { cx: box.left + rx, cy: box.top + ry, rx, ry, fill: "#000" })];
    });
    const mask = svg("mask", { id: "spared", maskUnits: "userSpaceOnUse", ...all });
    mask.append(svg("rect", { ...all, fill: "#fff" }), ...holes);
    own.firstElementChild?.append(mask);
    for (const line of lines) line.setAttribute("mask", "url(#spared)");
  }

  /** Draws all marks anew except those that can be clicked: an element that is replaced while pressed gets no click. */
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
    for (const [from, to, kind, , piece] of arrows)
      if (!piece || !this.lay(own, from, to, kind, piece)) this.arrow(own, from, to, kind);
    this.label(own, dots, arrows);
    if (cursor !== undefined) this.outline(cursor, "cursor");
  }

  /**
   * Draws the outline of a shape: a coloured line above a wider line (halo), visible on any background.
   * @param {string} key
   * @param {string} kind CSS class of the outline
   */
  outline(key, kind) {
    const [node, box, overlay] = [this.view.nodeOf(key), this.view.boxOf(key), this.view.overlayOf(key)];
    const isPressed = kind.startsWith("target") || kind === "loose";
    const holder = isPressed ? overlay?.firstElementChild : overlay?.lastElementChild;
    if (!node || !box || !holder || (kind !== "cursor" && this.view.isSliver(key))) return;
    const isPlain = node.tagName !== "g" && node.tagName !== "text";
    const around = isPlain
      ? node
      : (contour(node, isPressed ? OFF * this.view.pixel(key) : 0) ?? frame(box, 0.4 * this.view.unit()));
    for (const part of ["loose", "target quiet"].includes(kind)
      ? [kind]
      : [isPressed ? "halo pressed" : "halo", kind]) {
      const made = /** @type {SVGElement} */ (around.cloneNode(false));
      made.setAttribute("class", `outline ${part}${isPlain ? "" : " piece"}`);
      if (isPressed && part === kind) made.dataset.key = key;
      else delete made.dataset.key;
      // All halos are below all coloured lines, so that no halo covers the outline of a neighbour.
      if (isPressed && part !== kind) holder.prepend(made);
      else holder.append(made);
    }
  }

  /** Draws a dot on a target. Its outline is drawn only while it is pointed at. @param {string} key */
  spot(key) {
    const [point, holder] = [this.view.pointOf(key), this.view.overlays()[0].firstElementChild];
    this.outline(key, "target quiet");
    if (point) holder?.append(svg("circle", { cx: point[0], cy: point[1], r: 0.7 * this.view.unit(), class: "spot" }));
  }

  /**
   * Outlines the linked shapes. Draws a line to each one that is not connected to the pointed shape by adjacent linked
   * shapes, such as the other half of an edge in the net of a polyhedron.
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
      // The line begins and ends at the edges of both shapes, so that it hides neither.
      const [from, to] = [pointed, key].map((one) => radius(this.view.boxOf(one)) / long);
      if (from + to >= 1) continue;
      const at = (/** @type {number} */ share, /** @type {0 | 1} */ axis) =>
        start[axis] + share * (end[axis] - start[axis]);
      const ends = { x1: at(from, 0), y1: at(from, 1), x2: at(1 - to, 0), y2: at(1 - to, 1) };
      for (const part of ["halo thin", `lead ${kinds.get(key)}`])
        own.lastElementChild?.append(svg("line", { ...ends, class: `outline ${part}` }));
    }
  }

  /**
   * Draws a copy of the pointed piece above the lines to its linked shapes.
   * @param {string} key
   * @param {boolean} isLinked
   */
  raise(key, isLinked) {
    const node = this.view.nodeOf(key);
    if (!isLinked || node?.tagName !== "g") return;
    const copy = /** @type {SVGGElement} */ (node.cloneNode(true));
    delete copy.dataset.key;
    copy.classList.add("raised");
    this.view.overlayOf(key)?.lastElementChild?.append(copy);
  }

  /**
   * Draws the labels of dots and arrows above all other marks, so that none covers another if possible.
   * @param {Element} own overlay of the board
   * @param {Dot[]} dots
   * @param {Arrow[]} arrows
   */
  label(own, dots, arrows) {
    const unit = this.view.unit();
    /** @type {[place: Point, wide: number][]} */
    const taken = [];
    const put = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {Point[]} */ places) => {
      const [wide, high] = sizeOf(label, unit);
      const isFree = (/** @type {Point} */ [x, y]) =>
        taken.every(([one, other]) => Math.abs(one[0] - x) > (wide + other) / 2 || Math.abs(one[1] - y) > high);
      const place = places.find(isFree) ?? places[0];
      taken.push([place, wide]);
      own.append(labelled(label, kind, place, unit));
    };
    for (const [from, to, kind, label] of arrows) {
      const [start, end] = [this.view.pointOf(from), this.view.pointOf(to)];
      if (label && (!start || !end)) this.labelOutline(to, kind, label);
      else if (label && start && end) put(label, kind, besides(start, end, this.rim(from), this.rim(to), unit));
    }
    for (const [key, kind, label] of dots) {
      const point = this.view.pointOf(key);
      if (label && !point) this.labelOutline(key, kind, label);
      else if (label && point) put(label, kind, [point, [point[0], point[1] - 5.5 * unit]]);
    }
  }

  /** Draws a label on a shape of a strip. @param {string} key @param {string} kind @param {string} label */
  labelOutline(key, kind, label) {
    const box = this.view.boxOf(key);
    if (!box) return;
    const unit = Math.min(box.right - box.left, box.bottom - box.top) / 9;
    const place = /** @type {Point} */ ([(box.left + box.right) / 2, (box.top + box.bottom) / 2]);
    this.view.overlayOf(key)?.lastElementChild?.append(labelled(label, kind, place, unit));
  }

  /**
   * Draws a dot on a shape. A shape on a strip also gets an outline.
   * @param {Element} overlay
   * @param {string} key
   * @param {string} kind
   */
  dot(overlay, key, kind) {
    const point = this.view.pointOf(key);
    if (point)
      return void overlay.append(
        svg("circle", { cx: point[0], cy: point[1], r: 1.7 * this.view.unit(), class: `dot ${kind}` }),
      );
    this.outline(key, kind);
    const [box, holder] = [this.view.boxOf(key), this.view.overlayOf(key)];
    if (!box || holder === this.view.overlays()[0]) return undefined;
    // The same dot as in a legend, on the shape's corner: many shapes of a strip may have an outline.
    const r = 0.16 * Math.min(box.right - box.left, box.bottom - box.top);
    const dot = svg("circle", { cx: box.left, cy: box.top, r, class: `dot ${kind}` });
    return void holder?.lastElementChild?.append(dot);
  }

  /**
   * Draws a piece pale on two places on which it could be laid, with an outline.
   * @param {Element} overlay
   * @param {string} from the first place
   * @param {string} to the second place
   * @param {string} kind kind of the outline
   * @param {string} piece
   * @returns {boolean} false if a place or the piece is not visible
   */
  lay(overlay, from, to, kind, piece) {
    const [start, end, node] = [this.view.pointOf(from), this.view.pointOf(to), this.view.nodeOf(piece)];
    if (!start || !end || !node) return false;
    const [right, down, box] = [end[0] - start[0], end[1] - start[1], node.getBBox()];
    const turn = (Math.atan2(down, right) * 180) / Math.PI;
    const scale = (2 * Math.hypot(right, down)) / box.width;
    const copy = /** @type {SVGGraphicsElement} */ (node.cloneNode(true));
    delete copy.dataset.key;
    copy.removeAttribute("transform");
    copy.removeAttribute("style");
    const { x, y, width, height } = box;
    const place = `translate(${start[0]} ${start[1]}) rotate(${turn}) scale(${scale})`;
    const quarter = (Math.round(turn / 90) + 4) % 4;
    overlay.append(
      svg(
        "g",
        { transform: place, class: `laid ${kind}${quarter ? ` lapilli-turned-${90 * quarter}` : ""}` },
        copy,
        svg("rect", { x, y, width, height, class: `outline ${kind}` }),
      ),
    );
    return true;
  }

  /**
   * Returns how far an arrow's ends are from the middles of its shapes. It runs from the rim of a piece to the rim of a
   * piece, so that it covers nothing that is written on them, if there is enough space between them.
   * @param {string} from
   * @param {string} to
   * @param {number} length distance between the middles
   * @param {number} head length of the arrow's head
   * @returns {[gap: number, rest: number]}
   */
  rims(from, to, length, head) {
    const unit = this.view.unit();
    const [gap, rest] = [from, to].map((key) => this.rim(key) + 0.4 * unit);
    return gap + rest + 1.2 * head <= length ? [Math.max(gap, 1.2 * unit), rest] : [1.2 * unit, 0.4 * unit];
  }

  /** Returns the distance from the middle of a piece to its rim; 0 for a place. @param {string} key */
  rim(key) {
    return this.view.shapeOf(key)?.[1] === "g" ? radius(this.view.boxOf(key)) : 0;
  }

  /**
   * Draws an arrow from one shape to another; a ring if they are the same. Shapes on a strip get outlines instead.
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
    const [shaft, head, wide] = [0.55 * unit, 3.4 * unit, 1.7 * unit];
    const [gap, rest] = this.rims(from, to, length, head);
    const [tip, neck] = [length - rest, length - rest - head];
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
 * Returns the places at which the label of an arrow is tried: on the arrow where there is space between its shapes, else
 * beside it.
 * @param {Point} start
 * @param {Point} end
 * @param {number} gap distance from `start` that stays free
 * @param {number} rest distance from `end` that stays free
 * @param {number} unit as in `View`
 * @returns {Point[]}
 */
function besides(start, end, gap, rest, unit) {
  const [right, down] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(right, down) || 1;
  const free = length - gap - rest;
  const aside = (gap || rest) && free < 8 * unit ? 3.4 * unit : 0;
  return ALONG.flatMap((share) => {
    const along = (gap + share * free) / length;
    const [x, y] = [start[0] + along * right, start[1] + along * down];
    const [over, out] = [(-down / length) * aside, (right / length) * aside];
    return /** @type {Point[]} */ (
      aside
        ? [
            [x + over, y + out],
            [x - over, y - out],
          ]
        : [[x, y]]
    );
  });
}

/** Returns the size of a label. @param {string} label @param {number} unit @returns {[wide: number, high: number]} */
function sizeOf(label, unit) {
  return [(2.6 + 2 * label.length) * unit, 4.6 * unit];
}

/**
 * Returns a label: a text on a rounded background.
 * @param {string} label
 * @param {string} kind
 * @param {Point} place its centre
 * @param {number} unit as in `View`
 */
function labelled(label, kind, [x, y], unit) {
  const [wide, high] = sizeOf(label, unit);
  const box = { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: high / 2 };
  const text = svg("text", { x, y, "font-size": 3.6 * unit, dy: "0.36em" });
  text.textContent = label;
  return svg("g", { class: `label ${kind}` }, svg("rect", box), text);
}

/**
 * Returns a copy of the part of a piece that is nearly as large as the piece; undefined if there is no such part.
 * @param {SVGGraphicsElement} piece
 * @param {number} by distance of the copy from the piece, if the part is around the piece's origin
 */
function contour(piece, by) {
  const area = (/** @type {SVGGraphicsElement} */ one) => one.getBBox().width * one.getBBox().height;
  const whole = area(piece);
  const found = [...piece.children].find(
    (part) => part instanceof SVGGraphicsElement && !(part instanceof SVGTextElement) && area(part) >= FULL * whole,
  );
  if (!(found instanceof SVGGraphicsElement)) return undefined;
  const copy = /** @type {SVGElement} */ (found.cloneNode(false));
  const { x, y, width, height } = found.getBBox();
  const isCentred = Math.abs(2 * x + width) < 1 && Math.abs(2 * y + height) < 1;
  const larger = isCentred && by ? `scale(${1 + (2 * by) / width} ${1 + (2 * by) / height})` : "";
  const parts = [piece.getAttribute("transform") ?? "", larger, found.getAttribute("transform") ?? ""];
  copy.setAttribute("transform", parts.join(" "));
  return copy;
}

/** Returns a rectangle around a box. @param {Box} box @param {number} by distance from the box */
function frame({ left, top, right, bottom }, by) {
  return svg("rect", {
    x: left - by,
    y: top - by,
    width: right - left + 2 * by,
    height: bottom - top + 2 * by,
    rx: 2 * by,
  });
}

/** Returns the distance from the centre of a box to its nearest edge. @param {Box | undefined} box */
function radius(box) {
  return box ? Math.min(box.right - box.left, box.bottom - box.top) / 2 : 0;
}

/**
 * Returns the linked shapes that are not connected to the pointed shape by a chain of adjacent linked shapes.
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
