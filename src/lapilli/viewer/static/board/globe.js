// @ts-check
// The same shapes on a sphere: it is dragged, follows the arrow keys, and turns by itself to where things happen.

import { drawnShape, poseOf, redraw, svg } from "./drawing.js";
import { STRAY } from "./zoom.js";

/** @typedef {import("./pictures.js").Drawn} Drawn */
/** @typedef {import("./pictures.js").Picture} Picture */
/** @typedef {import("./pictures.js").Point} Point */
/** @typedef {[x: number, y: number, z: number]} Point3 x right, y up, z towards the viewer */
/** @typedef {{shape: Drawn, node: SVGGraphicsElement, points: Point3[], isSeen: boolean}} Placed */

const RADIUS = 100;
/** How far from the limb, as the cosine, a name or a piece must be to be seen. */
const LIMB = 0.3;
/** Where more of the picture has changed than this, nothing in particular has happened. */
const MUCH = 0.4;
/** What faces the viewer as much as this, as the cosine, needs no turn. */
const FACING = 0.7;
const STEEPEST = 1.35;

export class Globe {
  /**
   * @param {Record<string, Point3[]>} places for each key its corners, or one point
   * @param {() => void} turned called after every turn
   */
  constructor(places, turned) {
    this.places = places;
    this.turned = turned;
    this.across = 0;
    this.up = 0.35;
    this.ratio = 0;
    /** @type {string[]} the drawing order that the elements have */
    this.ordered = [];
    /** @type {Map<string, Placed>} */
    this.kept = new Map();
    this.flat = svg("g");
    this.stood = svg("g");
    this.overlay = svg("g", { class: "marked" });
    const [light, dark] = ["light", "dark"].map((name, i) => svg("stop", { offset: i ? 1 : 0.45, class: name }));
    const lamp = svg("radialGradient", { id: "lapilli-lamp", cx: 0.36, cy: 0.3, r: 0.78 }, light, dark);
    const ball = svg("circle", { class: "ball", r: RADIUS });
    const shade = svg("circle", { class: "shade", r: RADIUS, fill: "url(#lapilli-lamp)" });
    this.drawing = svg(
      "svg",
      { class: "globe", viewBox: "-106 -106 212 212", role: "img" },
      svg("defs", {}, lamp),
      ball,
      this.flat,
      shade,
      this.stood,
      this.overlay,
    );
    this.isDragged = false;
    this.moving = 0;
    this.listen();
  }

  listen() {
    const { drawing } = this;
    /** @type {{x: number, y: number} | undefined} */
    let held;
    drawing.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, y: event.clientY };
      this.isDragged = false;
    });
    drawing.addEventListener("pointermove", (event) => {
      if (!held || !event.buttons) return;
      const [right, down] = [event.clientX - held.x, event.clientY - held.y];
      if (!this.isDragged && Math.hypot(right, down) < STRAY) return;
      this.isDragged = true;
      drawing.setPointerCapture(event.pointerId);
      held = { x: event.clientX, y: event.clientY };
      const radius = drawing.getBoundingClientRect().height / 2;
      this.turn(right / radius, down / radius);
    });
    for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => (held = undefined));
    drawing.addEventListener("click", (event) => this.isDragged && event.stopImmediatePropagation(), { capture: true });
  }

  /** @param {string} key @returns {SVGGraphicsElement | undefined} where it is to be seen */
  nodeOf(key) {
    const placed = this.kept.get(key);
    return placed?.isSeen ? placed.node : undefined;
  }

  /** The middle of a key's place, unless it is behind. @param {string} key @returns {Point | undefined} */
  pointOf(key) {
    if (!this.places[key]) return undefined;
    const [x, y, z] = this.project(centre(this.places[key]));
    return z > LIMB ? [x, y] : undefined;
  }

  /**
   * @param {number} across in radians
   * @param {number} up
   */
  turn(across, up) {
    cancelAnimationFrame(this.moving);
    this.turnTo(this.across + across, this.up + up);
  }

  /**
   * @param {number} across
   * @param {number} up
   */
  turnTo(across, up) {
    this.across = across;
    this.up = Math.max(-STEEPEST, Math.min(STEEPEST, up));
    this.draw();
    this.turned();
  }

  /**
   * Turns until a point faces the viewer.
   * @param {Point3} point
   * @param {number} ms 0 to be there at once
   */
  face([x, y, z], ms) {
    cancelAnimationFrame(this.moving);
    const ahead = Math.atan2(-x, z);
    const across = this.across + Math.atan2(Math.sin(ahead - this.across), Math.cos(ahead - this.across));
    const up = Math.atan2(y, Math.hypot(x, z));
    if (!ms) return this.turnTo(across, up);
    const from = { across: this.across, up: this.up, start: performance.now() };
    const tick = (/** @type {number} */ now) => {
      const done = Math.min(1, Math.max(0, (now - from.start) / ms));
      const eased = 1 - (1 - done) ** 3;
      this.turnTo(from.across + (across - from.across) * eased, from.up + (up - from.up) * eased);
      if (done < 1) this.moving = requestAnimationFrame(tick);
    };
    this.moving = requestAnimationFrame(tick);
  }

  /** Turns to a key's place where it is not in sight. @param {string} key @param {number} ms */
  faceKey(key, ms) {
    const points = this.places[key];
    if (points && this.project(centre(points))[2] < FACING) this.face(centre(points), ms);
  }

  /**
   * @param {Picture} picture
   * @param {number} ms how long it may take to turn to what has changed
   */
  show(picture, ms) {
    this.drawing.setAttribute("aria-label", picture.label);
    const isFirst = !this.kept.size;
    /** @type {Point3[]} */
    const changed = [];
    for (const [key, { node, points }] of this.kept) {
      if (picture.shapes.has(key)) continue;
      node.remove();
      this.kept.delete(key);
      changed.push(centre(points));
    }
    for (const key of picture.order) {
      const [shape, points] = [picture.shapes.get(key), this.places[key]];
      if (!shape || !points) continue;
      if (this.keep(shape, points)) changed.push(centre(points));
      const { node } = /** @type {Placed} */ (this.kept.get(key));
      const holder = points.length > 1 ? this.flat : this.stood;
      if (!node.parentNode) holder.append(node);
    }
    this.order(picture);
    this.ratio ||= this.scaled(picture);
    this.draw();
    const stand = [...this.kept.values()]
      .filter(({ shape }) => shape[6] === "pieces")
      .map(({ points }) => centre(points));
    const most = isFirst ? densest(stand) : changed.length < MUCH * this.kept.size ? densest(changed) : undefined;
    if (most && this.project(most)[2] < FACING) this.face(most, ms);
  }

  /**
   * @param {Drawn} shape
   * @param {Point3[]} points
   * @returns {boolean} whether it is another one than before
   */
  keep(shape, points) {
    const key = shape[0];
    const placed = this.kept.get(key);
    if (placed?.shape === shape || (placed && JSON.stringify(placed.shape) === JSON.stringify(shape))) return false;
    if (placed && placed.shape[1] === shape[1]) redraw(placed.node, placed.shape, shape);
    else placed?.node.remove();
    const node = placed && placed.shape[1] === shape[1] ? placed.node : this.made(shape, points);
    this.kept.set(key, { shape, node, points, isSeen: false });
    return true;
  }

  /**
   * @param {Drawn} shape
   * @param {Point3[]} points
   * @returns {SVGGraphicsElement}
   */
  made(shape, points) {
    if (points.length === 1) return drawnShape(shape);
    const [key, , , classes] = shape;
    const node = svg("path", { class: classes });
    node.dataset.key = key;
    return node;
  }

  /** Puts the elements in drawing order. @param {Picture} picture */
  order(picture) {
    if (this.ordered === picture.order) return;
    this.ordered = picture.order;
    for (const key of picture.order) {
      const placed = this.kept.get(key);
      if (placed) placed.node.parentNode?.append(placed.node);
    }
  }

  /** How large a scene unit is on the globe: as it is for the edges of the first polygon. @param {Picture} picture */
  scaled(picture) {
    for (const [key, { shape, points }] of this.kept) {
      if (points.length < 3 || shape[1] !== "polygon") continue;
      const corners = (picture.shapes.get(key)?.[2].points ?? "")
        .split(" ")
        .map((corner) => corner.split(",").map(Number));
      return (RADIUS * around(points)) / around(corners);
    }
    return 0.3;
  }

  /** @param {Point3} point @returns {Point3} in the drawing, and how much it faces the viewer */
  project([x, y, z]) {
    const [sin, cos] = [Math.sin(this.across), Math.cos(this.across)];
    const [sideways, towards] = [x * cos + z * sin, z * cos - x * sin];
    const [steep, level] = [Math.sin(this.up), Math.cos(this.up)];
    return [RADIUS * sideways, -RADIUS * (y * level - towards * steep), towards * level + y * steep];
  }

  draw() {
    for (const placed of this.kept.values()) {
      const { shape, node, points } = placed;
      const projected = points.map((point) => this.project(point));
      if (points.length > 1) {
        const d = shape[1] === "polygon" ? closed(projected) : open(projected);
        placed.isSeen = d !== "";
        node.setAttribute("d", d);
      } else {
        const [[x, y, facing]] = projected;
        placed.isSeen = facing > LIMB;
        if (placed.isSeen) node.setAttribute("transform", this.laid(shape, x, y, facing));
      }
      node.style.display = placed.isSeen ? "" : "none";
    }
  }

  /**
   * How a piece or a text lies on the sphere: the closer to the limb, the flatter.
   * @param {Drawn} shape
   * @param {number} x
   * @param {number} y
   * @param {number} facing
   */
  laid(shape, x, y, facing) {
    const outwards = (Math.atan2(y, x) * 180) / Math.PI;
    const flat = `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${outwards.toFixed(2)}) scale(${facing.toFixed(3)} 1) rotate(${(-outwards).toFixed(2)}) scale(${this.ratio.toFixed(4)})`;
    if (shape[1] !== "g")
      return `${flat} translate(${-Number(shape[2].x ?? shape[2].cx ?? 0)} ${-Number(shape[2].y ?? shape[2].cy ?? 0)})`;
    const { scale, turn } = poseOf(shape);
    return `${flat} rotate(${turn}) scale(${scale})`;
  }
}

/** @param {number[][]} corners */
function around(corners) {
  return corners.reduce(
    (sum, corner, i) =>
      sum + Math.hypot(...corner.map((value, axis) => value - corners[(i + 1) % corners.length][axis])),
    0,
  );
}

/** @param {Point3[]} points @returns {Point3} on the sphere */
function centre(points) {
  const sum = [0, 1, 2].map((axis) => points.reduce((total, point) => total + point[axis], 0));
  const length = Math.hypot(...sum) || 1;
  return [sum[0] / length, sum[1] / length, sum[2] / length];
}

/** The point that most others are near to. @param {Point3[]} points @returns {Point3 | undefined} */
function densest(points) {
  let [found, most] = [points[0], -1];
  for (const point of points) {
    const near = points.reduce(
      (sum, other) => sum + Math.max(0, point[0] * other[0] + point[1] * other[1] + point[2] * other[2]) ** 4,
      0,
    );
    if (near > most + 1e-9) [found, most] = [point, near];
  }
  return found;
}

/** Where an edge meets the limb. @param {Point3} one @param {Point3} other @returns {Point3} */
function limb(one, other) {
  const share = one[2] / (one[2] - other[2]);
  const [x, y] = [one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share];
  const far = Math.hypot(x, y) || 1;
  return [(RADIUS * x) / far, (RADIUS * y) / far, 0];
}

/** @param {Point3[]} points */
function path(points) {
  return points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
}

/** A polygon's part that is not behind the limb; "" for none. @param {Point3[]} corners */
function closed(corners) {
  /** @type {Point3[]} */
  const seen = [];
  corners.forEach((corner, i) => {
    const next = corners[(i + 1) % corners.length];
    if (corner[2] > 0) seen.push(corner);
    if (corner[2] > 0 !== next[2] > 0) seen.push(limb(corner, next));
  });
  return seen.length < 3 ? "" : `M${path(seen)}z`;
}

/** A line's parts that are not behind the limb. @param {Point3[]} points */
function open(points) {
  let d = "";
  points.slice(1).forEach((end, i) => {
    const start = points[i];
    if (start[2] <= 0 && end[2] <= 0) return;
    const [from, to] = [start[2] > 0 ? start : limb(end, start), end[2] > 0 ? end : limb(start, end)];
    d += `M${path([from, to])}`;
  });
  return d;
}
