// @ts-check
// Computes pictures from frames. A frame contains the differences from the picture before.

/**
 * A part of a piece or of a sample in the legend.
 * @typedef {[tag: string, attributes: Record<string, string>, classes: string, text: string, title: string, parts?: Part[]]} Part
 */

/**
 * A shape. `place`: name of the layer, realm or supply (strip of pieces beside the board) that contains it. `parts`: for a
 * piece, its parts.
 * @typedef {[key: string, tag: string, attributes: Record<string, string>, classes: string, text: string, title: string,
 *   place: string, parts?: Part[]]} Drawn
 */

/**
 * The panels beside the board. A plate is the panel of a player. `supplies` are names of strips.
 * @typedef {[text: string, title: string, kind: string]} Fact
 * @typedef {[score: number | null, unit: string, facts: Fact[], supplies: string[]]} Plate
 * @typedef {{headline: string, plates: Plate[], supplies: string[]}} Panels
 * @typedef {[width: number, height: number, title: string]} Supply
 * @typedef {[x: number, y: number]} Point
 */

/**
 * The differences of a picture from the picture before. A missing property has not changed.
 * @typedef {object} Frame
 * @property {string} [label] the picture in one line
 * @property {[width: number, height: number]} [size] of the board
 * @property {Panels} [panels]
 * @property {Record<string, Supply>} [supplies]
 * @property {Record<string, import("./layout/realms.js").RealmData>} [realms]
 * @property {Record<string, Point>} [anchors]
 * @property {boolean} [turnable] whether the board may be turned by 90 degrees
 * @property {string[]} [gone] keys of shapes that the picture no longer contains
 * @property {Drawn[]} [changed] shapes that have changed, but keep their place in the drawing order
 * @property {[before: string | null, shape: Drawn][]} [placed] shapes that are new, or that have another place in the
 *   drawing order; the last in the drawing order comes first. `before` is the key of the shape before which this shape is
 *   drawn; "" means at the end, and null means before the shape that precedes it in this list
 */

/** A picture. It is never changed; `after` returns a new one. */
export class Picture {
  /** @type {string[]} keys of the shapes in drawing order */
  order = [];
  /** @type {Map<string, Drawn>} */
  shapes = new Map();
  /** @type {[width: number, height: number]} */
  size = [1, 1];
  /** @type {Panels} */
  panels = { headline: "", plates: [], supplies: [] };
  /** @type {Record<string, Supply>} */
  supplies = {};
  /** @type {Record<string, import("./layout/realms.js").RealmData>} the players' own parts of the board */
  realms = {};
  /** @type {Record<string, Point>} */
  anchors = {};
  turnable = false;
  label = "";

  /**
   * Returns the picture after this one, computed from its frame.
   * @param {Frame} frame
   */
  after(frame) {
    const made = new Picture();
    made.size = frame.size ?? this.size;
    made.panels = frame.panels ?? this.panels;
    made.supplies = frame.supplies ?? this.supplies;
    made.realms = frame.realms ?? this.realms;
    made.anchors = frame.anchors ?? this.anchors;
    made.turnable = frame.turnable ?? this.turnable;
    made.label = frame.label ?? this.label;
    made.shapes = new Map(this.shapes);
    for (const key of frame.gone ?? []) made.shapes.delete(key);
    for (const shape of frame.changed ?? []) made.shapes.set(shape[0], shape);
    for (const [, shape] of frame.placed ?? []) made.shapes.set(shape[0], shape);
    made.order =
      frame.gone?.length || frame.placed?.length ? placed(this.order, made.shapes, frame.placed ?? []) : this.order;
    return made;
  }
}

/**
 * Returns the drawing order of a new picture, as a list of keys.
 * @param {string[]} order drawing order of the picture before
 * @param {Map<string, Drawn>} shapes the shapes of the new picture, by key
 * @param {[before: string | null, shape: Drawn][]} those shapes that are new or have moved, as in `Frame.placed`
 */
function placed(order, shapes, those) {
  const moved = new Set(those.map(([, shape]) => shape[0]));
  const before = new Map(those.map(([next, shape], i) => [next ?? those[i - 1][1][0], shape[0]]));
  /** @type {string[]} */
  const made = [];
  const put = (/** @type {string} */ end) => {
    const run = [];
    for (let key = /** @type {string | undefined} */ (end); key !== undefined; key = before.get(key))
      if (key) run.push(key);
    made.push(...run.reverse());
  };
  for (const key of order) if (shapes.has(key) && !moved.has(key)) put(key);
  put("");
  return made;
}

/** Number of frames from one cached picture to the next. */
const STRIDE = 24;

/** A sequence of frames, and the pictures that they define. Frames can be appended at any time. */
export class Pictures {
  /** @param {Iterable<Frame>} [frames] the frames; the first one contains a whole picture */
  constructor(frames = []) {
    /** @type {Frame[]} */
    this.frames = [...frames];
    /** @type {Map<number, Picture>} cached pictures by number, one for every STRIDE frames */
    this.kept = new Map([[-1, new Picture()]]);
    this.last = -1;
    this.seen = new Picture();
  }

  get length() {
    return this.frames.length;
  }

  /** Appends a frame. @param {Frame} frame */
  add(frame) {
    this.frames.push(frame);
  }

  /**
   * Returns the picture with this number, counted from 0.
   * @param {number} number
   * @returns {Picture}
   */
  seek(number) {
    let at = number - (number % STRIDE);
    while (at >= 0 && !this.kept.has(at)) at -= STRIDE;
    let picture = this.kept.get(Math.max(at, -1)) ?? new Picture();
    at = Math.max(at, -1);
    if (this.last > at && this.last <= number) [at, picture] = [this.last, this.seen];
    while (at < number) {
      picture = picture.after(this.frames[++at]);
      if (at % STRIDE === 0) this.kept.set(at, picture);
    }
    [this.last, this.seen] = [number, picture];
    return picture;
  }
}
