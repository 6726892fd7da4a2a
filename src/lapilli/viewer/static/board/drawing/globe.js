// @ts-check
// Draws the shapes of a board on a sphere, the globe. People turn the globe by dragging or by the arrow keys. After a
// change on its back, the globe turns by itself until the change is visible.

import { drawnShape, poseOf, redraw, svg } from "./drawing.js";
import { STRAY } from "../layout/zoom.js";

/** @typedef {import("../pictures.js").Drawn} Drawn */
/** @typedef {import("../pictures.js").Picture} Picture */
/** @typedef {import("../pictures.js").Point} Point */
/** @typedef {[x: number, y: number, z: number]} Point3 x right, y up, z towards the viewer */
/**
 * @typedef {{shape: Drawn, node: SVGGraphicsElement, points: Point3[], isSeen: boolean, size?: DOMRect}} Placed `size` is
 *   that of a name
 */

const RADIUS = 100;
const VIEW = "-106 -106 212 212";
/** Names and pieces are hidden near the edge of the globe: if the cosine of their angle to the viewer is below this. */
const LIMB = 0.4;
/** Names are hidden sooner: if that cosine is below this. */
const LEGIBLE = 0.7;
/** Marks on a tile are hidden if the cosine of the tile's angle is below this: there it is too narrow to be read. */
const SLIVER = 0.25;
/** If more than this share of the shapes has changed, the globe does not turn by itself. */
const MUCH = 0.4;
/** The globe does not turn to a point if the cosine of the point's angle to the viewer is at least this. */
const FACING = 0.7;
/** Several points are shown together if the cosine of the angle of each to their middle is at least this. */
const TOGETHER = 0.6;
/** Pieces and names are drawn smaller than on the flat board by this factor, because tiles near the edge are narrow. */
const SNUG = 0.86;
const STEEPEST = 1.35;
/** The small picture of the globe's back: the distance of its centre from that of the globe, on both axes, and its scale. */
const BACK = { at: 86, scale: 0.19 };
/** Time in which the globe turns round, in milliseconds. */
const ROUND_MS = 450;
/** CSS class of the marks of the last move. */
const LAST = /\blapilli-last\b/;

export class Globe {
  /**
   * @param {Record<string, Point3[]>} places by key of a shape: its corners, or one point for a piece or a text
   * @param {() => void} turned function that is called whenever the globe has turned
   * @param {(ms: number) => number} calmed function that returns the duration of an animation, as the person wishes it
   */
  constructor(places, turned, calmed) {
    this.places = places;
    this.turned = turned;
    this.calmed = calmed;
    this.across = 0;
    this.up = 0.35;
    this.ratio = 0;
    /** @type {string[]} keys of the elements in their present drawing order */
    this.ordered = [];
    /** @type {Map<string, Placed>} */
    this.kept = new Map();
    this.flat = svg("g");
    this.stood = svg("g");
    this.overlay = svg("g", { class: "marked" });
    /** Elements of the back, by key of a shape. @type {Map<string, SVGElement>} */
    this.behind = new Map();
    this.tiles = svg("g");
    const place = `translate(${-BACK.at} ${BACK.at}) scale(${BACK.scale})`;
    this.back = svg("g", { transform: place }, svg("circle", { class: "disc", r: RADIUS }), this.tiles);
    /** The small picture of the back, above the globe. */
    this.inset = svg("svg", { class: "back", viewBox: VIEW, "aria-hidden": "true" }, this.back);
    this.back.addEventListener("click", () => this.turnRound());
    // A tap on the back chooses no place beside it.
    for (const kind of ["pointerdown", "pointerup", "click"])
      this.back.addEventListener(kind, (event) => {
        this.isDragged = false;
        event.stopPropagation();
      });
    const [light, dark] = ["light", "dark"].map((name, i) => svg("stop", { offset: i ? 1 : 0.45, class: name }));
    const lamp = svg("radialGradient", { id: "lapilli-lamp", cx: 0.36, cy: 0.3, r: 0.78 }, light, dark);
    const ball = svg("circle", { class: "ball", r: RADIUS });
    const shade = svg("circle", { class: "shade", r: RADIUS, fill: "url(#lapilli-lamp)" });
    this.drawing = svg(
      "svg",
      { class: "globe", viewBox: VIEW, role: "img" },
      svg("defs", {}, lamp),
      ball,
      this.flat,
      shade,
      this.stood,
      this.overlay,
    );
    this.isDragged = false;
    /** Whether the person has turned the globe since the picture was shown. */
    this.isHeld = false;
    this.moving = 0;
    /** Key of the mark of the last move. @type {string | undefined} */
    this.last = undefined;
    /** @type {Picture | undefined} */
    this.picture = undefined;
    this.listen();
  }

  get drawings() {
    return [this.drawing, this.inset];
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
      this.isDragged = this.isHeld = true;
      drawing.setPointerCapture(event.pointerId);
      held = { x: event.clientX, y: event.clientY };
      const radius = drawing.getBoundingClientRect().height / 2;
      this.turn(right / radius, down / radius);
    });
    for (const end of ["pointerup", "pointercancel"]) drawing.addEventListener(end, () => (held = undefined));
    drawing.addEventListener("click", (event) => this.isDragged && event.stopImmediatePropagation(), { capture: true });
  }

  /**
   * Returns the element of a shape.
   * @param {string} key
   * @returns {SVGGraphicsElement | undefined} undefined if hidden
   */
  nodeOf(key) {
    const placed = this.kept.get(key);
    return placed?.isSeen ? placed.node : undefined;
  }

  /**
   * Returns the centre of a shape in the drawing; undefined if it is on the back.
   * @param {string} key
   * @returns {Point | undefined}
   */
  pointOf(key) {
    if (!this.places[key]) return undefined;
    const [x, y, z] = this.project(centre(this.places[key]));
    return z > LIMB ? [x, y] : undefined;
  }

  /** Returns whether a shape is so near the edge of the globe that it cannot be read. @param {string} key */
  isSliver(key) {
    const points = this.places[key];
    return points?.length > 1 && this.project(centre(points))[2] < SLIVER;
  }

  /**
   * Turns the globe by two angles.
   * @param {number} across rotation around the axis, in radians
   * @param {number} up change of the latitude that faces the viewer, in radians
   */
  turn(across, up) {
    cancelAnimationFrame(this.moving);
    this.turnTo(this.across + across, this.up + up);
  }

  /**
   * Sets both angles of the globe.
   * @param {number} across rotation around the axis, in radians
   * @param {number} up latitude that faces the viewer, in radians; limited, so that no pole faces the viewer
   */
  turnTo(across, up) {
    this.across = across;
    this.up = Math.max(-STEEPEST, Math.min(STEEPEST, up));
    this.draw();
    this.turned();
  }

  /**
   * Turns the globe until a point faces the viewer.
   * @param {Point3} point
   * @param {number} ms duration in milliseconds; 0 to jump
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

  /** Turns the globe round, so that its back faces the viewer. */
  turnRound() {
    const [sin, cos, level] = [Math.sin(this.across), Math.cos(this.across), Math.cos(this.up)];
    this.face([sin * level, -Math.sin(this.up), -cos * level], this.calmed(ROUND_MS));
  }

  /**
   * Turns the globe until a shape faces the viewer. Does nothing if the shape is well visible already.
   * @param {string} key
   * @param {number} ms duration in milliseconds
   */
  faceKey(key, ms) {
    this.faceAll([key], ms);
  }

  /**
   * Turns the globe until the viewer sees some shapes; if they are too far apart, the first one. Does nothing if all are
   * well visible already.
   * @param {string[]} keys
   * @param {number} ms duration in milliseconds
   */
  faceAll(keys, ms) {
    const points = keys.filter((key) => this.places[key]).map((key) => centre(this.places[key]));
    if (points.every((point) => this.project(point)[2] >= FACING)) return;
    const middle = centre(points);
    const isNear = points.every((point) => point.reduce((sum, value, i) => sum + value * middle[i], 0) >= TOGETHER);
    this.face(isNear ? middle : points[0], ms);
  }

  /**
   * Shows a picture.
   * @param {Picture} picture
   * @param {number} ms time in which the globe turns to the changes, in milliseconds
   */
  show(picture, ms) {
    this.drawing.setAttribute("aria-label", picture.label);
    const isFirst = !this.kept.size;
    this.isHeld &&= this.picture === picture;
    this.picture = picture;
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
    this.showBack(picture);
    this.order(picture);
    if (this.kept.size) this.ratio ||= this.scaled(picture); // the first picture of a board may be empty
    this.draw();
    const stand = [...this.kept.values()]
      .filter(({ shape }) => shape[6] === "pieces")
      .map(({ points }) => centre(points));
    const last = picture.order.find((key) => this.places[key] && LAST.test(picture.shapes.get(key)?.[3] ?? ""));
    const isNew = last !== undefined && last !== this.last;
    this.last = last;
    const most = isNew
      ? centre(this.places[last])
      : isFirst
        ? densest(stand)
        : changed.length < MUCH * this.kept.size
          ? densest(changed)
          : undefined;
    if (most && this.project(most)[2] < FACING) this.face(most, ms);
  }

  /**
   * Creates or updates the element of a shape.
   * @param {Drawn} shape
   * @param {Point3[]} points
   * @returns {boolean} whether the shape is new or has changed
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
   * Creates the element of a shape.
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

  /**
   * Returns the size of a scene unit in the drawing of the globe. It is computed from the first polygon: the length of
   * the polygon's border on the globe divided by its length on the flat board.
   * @param {Picture} picture
   */
  scaled(picture) {
    for (const [key, { shape, points }] of this.kept) {
      if (points.length < 3 || shape[1] !== "polygon") continue;
      const corners = (picture.shapes.get(key)?.[2].points ?? "")
        .split(" ")
        .map((corner) => corner.split(",").map(Number));
      return (SNUG * RADIUS * around(points)) / around(corners);
    }
    return 0.3;
  }

  /**
   * Projects a point.
   * @param {Point3} point
   * @returns {Point3} x and y in the drawing, and the cosine of the angle to the viewer
   */
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
        placed.isSeen = d !== "" && (shape[6] === "ground" || !this.isSliver(shape[0]));
        node.setAttribute("d", d);
      } else {
        const [[x, y, facing]] = projected;
        placed.isSeen = facing > (shape[1] === "text" ? LEGIBLE : LIMB);
        if (placed.isSeen) node.setAttribute("transform", this.laid(shape, x, y, facing));
      }
      node.style.display = placed.isSeen ? "" : "none";
    }
    this.part();
    this.drawBack();
  }

  /** Hides names that would touch another name. Those that face the viewer more stay. */
  part() {
    /** @type {{x: number, y: number, wide: number, high: number}[]} */
    const taken = [];
    const names = [...this.kept.values()]
      .filter(({ shape, isSeen }) => isSeen && shape[1] === "text")
      .map((placed) => ({ placed, at: this.project(placed.points[0]) }))
      .sort((one, other) => other.at[2] - one.at[2]);
    for (const { placed, at } of names) {
      const { width, height } = this.sizeOf(placed);
      const [x, y, wide, high] = [at[0], at[1], width * this.ratio, height * this.ratio];
      placed.isSeen = taken.every(
        (one) => Math.abs(one.x - x) > (one.wide + wide) / 2 || Math.abs(one.y - y) > (one.high + high) / 2,
      );
      if (placed.isSeen) taken.push({ x, y, wide, high });
      else placed.node.style.display = "none";
    }
  }

  /** Returns the size of a name, in scene units. It is measured once. @param {Placed} placed */
  sizeOf(placed) {
    const box = placed.size ?? placed.node.getBBox();
    if (box.width) placed.size = box;
    return box;
  }

  /** Creates and removes elements of the back, and puts them in drawing order. @param {Picture} picture */
  showBack(picture) {
    const keys = picture.order.filter((key) => this.places[key]?.length > 1);
    for (const [key, node] of this.behind) {
      if (picture.shapes.has(key)) continue;
      node.remove();
      this.behind.delete(key);
    }
    for (const key of keys) {
      const node = this.behind.get(key) ?? svg("path");
      node.setAttribute("class", picture.shapes.get(key)?.[3] ?? "");
      this.behind.set(key, node);
      this.tiles.append(node);
    }
  }

  /** Draws the back of the globe, as it looks from behind, small in a corner. */
  drawBack() {
    for (const { shape, points } of this.kept.values()) {
      const node = this.behind.get(shape[0]);
      if (node) node.setAttribute("d", closed(points.map((point) => this.project(point)).map(fromBehind)));
    }
  }

  /**
   * Returns the `transform` of a piece or text on the sphere. The closer it is to the edge, the more it is compressed.
   * @param {Drawn} shape
   * @param {number} x its place in the drawing
   * @param {number} y
   * @param {number} facing cosine of its angle to the viewer
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

/**
 * Returns a projected point as it is seen from behind, with the same side up.
 * @param {Point3} point
 * @returns {Point3}
 */
function fromBehind([x, y, facing]) {
  return [-x, y, -facing];
}

/** Returns the circumference of a polygon. @param {number[][]} corners */
function around(corners) {
  return corners.reduce(
    (sum, corner, i) =>
      sum + Math.hypot(...corner.map((value, axis) => value - corners[(i + 1) % corners.length][axis])),
    0,
  );
}

/** Returns the centre of some points, as a point on the sphere. @param {Point3[]} points @returns {Point3} */
function centre(points) {
  const sum = [0, 1, 2].map((axis) => points.reduce((total, point) => total + point[axis], 0));
  const length = Math.hypot(...sum) || 1;
  return [sum[0] / length, sum[1] / length, sum[2] / length];
}

/** Returns the point that has most other points near it. @param {Point3[]} points @returns {Point3 | undefined} */
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

/**
 * Returns the point at which a line crosses the visible edge of the globe.
 * @param {Point3} one
 * @param {Point3} other
 * @returns {Point3}
 */
function limb(one, other) {
  const share = one[2] / (one[2] - other[2]);
  const [x, y] = [one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share];
  const far = Math.hypot(x, y) || 1;
  return [(RADIUS * x) / far, (RADIUS * y) / far, 0];
}

/** Formats points for an SVG path. @param {Point3[]} points */
function path(points) {
  return points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
}

/** Returns the SVG path of the visible part of a polygon; "" for none. @param {Point3[]} corners projected corners */
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

/** Returns the SVG path of the visible parts of a line. @param {Point3[]} points projected points */
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
