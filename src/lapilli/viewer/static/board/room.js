// @ts-check
// How to share a component's room so that the board is as large as it can be.

/** @typedef {[width: number, height: number]} Size */

/** Pixels between a board and the strips beside it. */
export const GAP = 12;
/** How high a strip's title is. */
export const TITLE = 16;
/** How high a strip is at least. */
export const LEAST_HIGH = 32;
/** How wide the plates can be that stand beside a board, and what is between. */
const [LEAST_ASIDE, MOST_ASIDE, BETWEEN] = [170, 260, 16];
/** How much larger a board must become for its plates to stand beside it instead of above and below. */
const WORTH = 1.04;
/** How much larger a board must become to be turned by a quarter. */
const WORTH_TURNING = 1.15;

/**
 * How many pixels a scene unit can have, and where the strips are then.
 * @param {Size} room for the board and the strips that belong to nobody
 * @param {Size} board
 * @param {Size[]} strips
 * @returns {{unit: number, common: "below" | "beside"}}
 */
export function shared([width, height], [across, down], strips) {
  if (!strips.length) return { unit: Math.min(width / across, height / down), common: "below" };
  const gaps = GAP * (strips.length - 1);
  const [widest, highest] = [0, 1].map((axis) => Math.max(...strips.map((strip) => strip[axis])));
  const [wides, highs] = [0, 1].map((axis) => strips.reduce((sum, strip) => sum + strip[axis], 0));
  const aside = Math.max(...strips.map(([wide, high]) => (wide / high) * LEAST_HIGH));
  const [free, low] = [width - GAP, height - GAP - TITLE];
  const below = Math.min(width / across, (width - gaps) / wides, low / (down + highest), (low - LEAST_HIGH) / down);
  const beside = Math.min(
    free / (across + widest),
    (free - aside) / across,
    height / down,
    (height - gaps - TITLE * strips.length) / highs,
  );
  return beside > below ? { unit: beside, common: "beside" } : { unit: Math.max(below, 0), common: "below" };
}

/** The largest sizes that have been seen, so that nothing jumps when a picture is smaller. */
export class Largest {
  constructor() {
    /** @type {Size} */
    this.board = [0, 0];
    /** @type {Map<string, Size>} by the strip's name */
    this.strips = new Map();
    this.isNew = false;
  }

  /**
   * @param {Size | undefined} size of the board
   * @param {Record<string, [width: number, height: number, title: string]>} [supplies]
   */
  see(size, supplies = {}) {
    if (size) this.board = this.larger(this.board, size);
    for (const [name, [width, height]] of Object.entries(supplies)) {
      this.strips.set(name, this.larger(this.strips.get(name) ?? [0, 0], [width, height]));
    }
  }

  /**
   * @param {Size} one
   * @param {Size} other
   * @returns {Size}
   */
  larger(one, other) {
    if (other[0] <= one[0] && other[1] <= one[1]) return one;
    this.isNew = true;
    return [Math.max(one[0], other[0]), Math.max(one[1], other[1])];
  }
}

/**
 * Lays out a component's frame: the plates above and below the board or beside it, the strips where they fit best.
 * @param {HTMLElement} host
 * @param {HTMLElement} frame what the host contains
 * @param {HTMLElement} middle the frame's part for the board and the strips
 * @param {Size} board as it is when nothing is turned
 * @param {Size[]} strips
 * @param {{plates: boolean, controls: boolean, turnable: boolean, globe: boolean}} has whether there are plates and
 *   controls, whether the board may be turned, and whether a globe is shown in its place
 * @returns {{isTurned: boolean, share: number}} whether the board is to be turned by a quarter, and how much of its
 *   room's height it fills when it is flat
 */
export function arrange(host, frame, middle, board, strips, has) {
  const isFree = freed(host, frame, has.controls);
  if (isFree === undefined) return { isTurned: false, share: 1 };
  const width = host.clientWidth;
  const { dataset, style } = frame;
  const options = isFree || width < 560 || !has.plates ? ["stack"] : ["stack", "column"];
  const rooms = options.map((layout) => {
    dataset.layout = layout;
    const room = isFree ? Math.max(240, 0.85 * innerHeight) : middle.clientHeight;
    return { layout, size: /** @type {Size} */ ([middle.clientWidth, room]) };
  });
  const straight = better(rooms, board, strips);
  const quarter = has.turnable && !isFree ? better(rooms, [board[1], board[0]], strips) : straight;
  const isTurned = quarter.unit > WORTH_TURNING * straight.unit;
  const flat = isTurned ? quarter : straight;
  const best = has.globe ? better(rooms, [board[0], board[0]], strips) : flat;
  dataset.layout = best.layout;
  dataset.common = best.common;
  const sizes = strips.map(([wide, high]) => [wide, high].map((side) => side * Math.max(best.unit, LEAST_HIGH / high)));
  const shape = has.globe ? [board[0], board[0]] : isTurned ? [board[1], board[0]] : board;
  const [across, down] = shape.map((side) => Math.round(best.unit * side));
  const aside = best.common === "beside" ? GAP + Math.max(...sizes.map(([wide]) => wide)) : 0;
  const under = best.common === "below" && strips.length ? GAP + TITLE + Math.max(...sizes.map(([, high]) => high)) : 0;
  const row = under ? sizes.reduce((sum, [wide]) => sum + GAP + wide, -GAP) : 0;
  const wide = Math.min(width, Math.max(across + aside, row));
  const side = Math.min(MOST_ASIDE, Math.max(LEAST_ASIDE, width - wide - BETWEEN));
  for (const [name, value] of Object.entries({ wide, side, tall: down, row: down + under }))
    style.setProperty(`--${name}`, `${Math.ceil(value)}px`);
  style.setProperty("--unit", `${best.unit}px`);
  if (has.controls && !isFree) style.setProperty("--rest", "1fr");
  if (!isFree) host.style.setProperty("--needed", `${needed(frame)}px`);
  const high = flat.unit * (isTurned ? board[0] : board[1]);
  return { isTurned, share: isFree ? 1 : high / Math.max(1, flat.height - under) };
}

/**
 * The layout in which a board becomes largest; the plates stand beside it only where that is worth it.
 * @param {{layout: string, size: Size}[]} rooms by layout, the usual one first
 * @param {Size} board
 * @param {Size[]} strips
 */
function better(rooms, board, strips) {
  const [usual, other] = rooms.map(({ layout, size }) => ({
    layout,
    height: size[1],
    ...shared(size, board, strips),
  }));
  return other && other.unit > WORTH * usual.unit ? other : usual;
}

/**
 * Undoes what was arranged before, and says in the frame's data how small the component is.
 * @param {HTMLElement} host
 * @param {HTMLElement} frame
 * @param {boolean} hasControls whether something can be pressed below the board, or beside it
 * @returns {boolean | undefined} whether the host has no height of its own; nothing where it is not to be seen
 */
export function freed(host, frame, hasControls) {
  frame.classList.remove("free");
  host.style.removeProperty("--needed");
  const [width, height] = [host.clientWidth, host.clientHeight];
  if (!width) return undefined;
  frame.dataset.narrow = String(width < 600);
  frame.dataset.low = String(height < 480);
  frame.dataset.controls = hasControls && width >= 600 && height < 480 && height >= 100 ? "beside" : "below";
  for (const name of ["--wide", "--row", "--side", "--rest"]) frame.style.removeProperty(name);
  frame.classList.toggle("free", height < 100);
  return height < 100;
}

/**
 * How high the rows of a frame are together: whoever gives a component room may give it no more.
 * @param {HTMLElement} frame
 */
export function needed(frame) {
  const { gridTemplateRows, rowGap } = getComputedStyle(frame);
  const rows = gridTemplateRows.split(" ").map(parseFloat);
  return Math.ceil(rows.reduce((sum, row) => sum + row, 0) + parseFloat(rowGap) * (rows.length - 1));
}
