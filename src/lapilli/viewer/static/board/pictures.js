// @ts-check
// Pictures out of frames, each of which tells what is not as it was in the one before. It knows no game and no page.

/**
 * A part of a piece, or of a legend's sample: tag, attributes, classes, text, title, parts.
 * @typedef {[tag: string, attributes: Record<string, string>, classes: string, text: string, title: string, parts?: Part[]]} Part
 */

/**
 * A shape: key, tag, attributes, classes, text, title, the layer, realm or supply that it lies in, and a piece's parts.
 * @typedef {[key: string, tag: string, attributes: Record<string, string>, classes: string, text: string, title: string,
 *   place: string, parts?: Part[]]} Drawn
 */

/**
 * @typedef {[text: string, title: string, kind: string]} Fact
 * @typedef {[score: number | null, unit: string, facts: Fact[], supplies: string[]]} Plate
 * @typedef {{headline: string, plates: Plate[], supplies: string[]}} Panels
 * @typedef {[width: number, height: number, title: string]} Supply
 * @typedef {[x: number, y: number]} Point
 */

/**
 * What makes one picture of the one before.
 * @typedef {object} Frame
 * @property {string} [label] the picture in one line
 * @property {[width: number, height: number]} [size] of the board
 * @property {Panels} [panels]
 * @property {Record<string, Supply>} [supplies]
 * @property {Record<string, import("./realms.js").RealmData>} [realms]
 * @property {Record<string, Point>} [anchors]
 * @property {boolean} [turnable] whether the board may be turned by a quarter
 * @property {string[]} [gone] keys
 * @property {Drawn[]} [changed] shapes that stay where they are in the drawing order
 * @property {[before: string | null, shape: Drawn][]} [placed] shapes that are new or not where they were, last first;
 *   each before the one of that key, "" for the end, null for the one that is listed before it
 */

/** A picture; nothing changes it. */
export class Picture {
  /** @type {string[]} The shapes' keys in drawing order. */
  order = [];
  /** @type {Map<string, Drawn>} */
  shapes = new Map();
  /** @type {[width: number, height: number]} */
  size = [1, 1];
  /** @type {Panels} */
  panels = { headline: "", plates: [], supplies: [] };
  /** @type {Record<string, Supply>} */
  supplies = {};
  /** @type {Record<string, import("./realms.js").RealmData>} the players' own parts of the board */
  realms = {};
  /** @type {Record<string, Point>} */
  anchors = {};
  turnable = false;
  label = "";

  /**
   * The picture that a frame makes of this one.
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
 * The drawing order after some shapes are gone and others placed before one that is there ("" for the end, null for the
 * one that is listed before it).
 * @param {string[]} order
 * @param {Map<string, Drawn>} shapes
 * @param {[before: string | null, shape: Drawn][]} those last first
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

/** How many frames lie between two pictures that are kept. */
const STRIDE = 24;

/** A row of frames and the picture of each; more can be added while others are looked at. */
export class Pictures {
  /** @param {Iterable<Frame>} [frames] the first of which makes its picture of nothing */
  constructor(frames = []) {
    /** @type {Frame[]} */
    this.frames = [...frames];
    /** @type {Map<number, Picture>} every so many of them, so that one never starts far away */
    this.kept = new Map([[-1, new Picture()]]);
    this.last = -1;
    this.seen = new Picture();
  }

  get length() {
    return this.frames.length;
  }

  /** @param {Frame} frame what comes after the last */
  add(frame) {
    this.frames.push(frame);
  }

  /**
   * The picture of that number, from 0 on.
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
