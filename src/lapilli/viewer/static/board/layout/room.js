// @ts-check
// Computes the layout of a <lapilli-board>: where its parts are, so that the board becomes as large as possible.

/** @typedef {[width: number, height: number]} Size */

/** Distance between a board and the strips beside it, in pixels. */
export const GAP = 12;
/** Height of a strip's title, in pixels. */
export const TITLE = 16;
/** Least height of a strip, in pixels. */
export const LEAST_HIGH = 32;
/** Least and greatest width of the players' panels (plates) beside a board, and their distance from it, in pixels. */
const [LEAST_ASIDE, MOST_ASIDE, BETWEEN] = [170, 260, 16];
/** The plates are beside the board, not above and below it, if the board then becomes larger by this factor. */
const WORTH = 1.04;
/**
 * The board is turned by 90 degrees if it then becomes larger by this factor. On a phone after a match, it may become
 * smaller: it then stands as it stood during the match.
 */
const [WORTH_TURNING, WORTH_KEEPING] = [1.15, 0.85];

/**
 * Returns the largest possible size of a scene unit, in pixels, and whether the strips are then below or beside the board.
 * @param {Size} room area for the board and the strips that belong to no player, in pixels
 * @param {Size} board size of the board, in scene units
 * @param {Size[]} strips sizes of the strips, in scene units
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

/** The largest sizes of board and strips in all pictures so far. The layout uses them, so that it rarely changes. */
export class Largest {
  constructor() {
    /** @type {Size} */
    this.board = [0, 0];
    /** @type {Map<string, Size>} by the strip's name */
    this.strips = new Map();
    this.isNew = false;
  }

  /**
   * Takes the sizes of a picture into account.
   * @param {Size | undefined} size size of the board
   * @param {Record<string, [width: number, height: number, title: string]>} [supplies] the strips, by name
   */
  see(size, supplies = {}) {
    if (size) this.board = this.larger(this.board, size);
    for (const [name, [width, height]] of Object.entries(supplies)) {
      this.strips.set(name, this.larger(this.strips.get(name) ?? [0, 0], [width, height]));
    }
  }

  /**
   * Returns the larger width and the larger height of two sizes. Sets `isNew` if the first size is too small.
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
 * Sets the layout: whether the plates are above and below the board or beside it, and whether the strips are below or
 * beside it.
 * @param {HTMLElement} host the <lapilli-board>
 * @param {HTMLElement} frame its outermost element
 * @param {HTMLElement} middle the element that contains the board and the strips
 * @param {Size} board size of the board before it is turned, in scene units
 * @param {Size[]} strips sizes of the strips, in scene units
 * @param {{plates: boolean, controls: boolean, turnable: boolean, globe: boolean, turned: boolean | undefined}} has whether
 *   there are plates and controls, whether the board may be turned, whether the globe is shown instead of the board, and
 *   whether the board stays turned or unturned; undefined if it is turned where it then becomes larger
 * @returns {{isTurned: boolean, share: number}} whether to turn the board by 90 degrees, and the share of the available
 *   height that the flat board fills
 */
export function arrange(host, frame, middle, board, strips, has) {
  const isFree = freed(host, frame, has.controls);
  if (isFree === undefined) return { isTurned: false, share: 1 };
  const width = host.clientWidth;
  const { dataset, style } = frame;
  const options = isFree || width < 560 || !has.plates ? ["stack"] : ["stack", "column"];
  const rooms = options.map((layout) => {
    dataset.layout = layout;
    const room = isFree ? Math.max(240, tallest(host) * innerHeight) : middle.clientHeight;
    return { layout, size: /** @type {Size} */ ([middle.clientWidth, room]) };
  });
  const usual = rooms.map(({ layout, size: [across, down] }) => ({
    layout,
    size: /** @type {Size} */ ([across, down + lentBy(host)]),
  }));
  const straight = better(usual, board, strips);
  const quarter = has.turnable && !isFree ? better(usual, [board[1], board[0]], strips) : straight;
  const worth = host.hasAttribute("over") && dataset.narrow === "true" ? WORTH_KEEPING : WORTH_TURNING;
  const isTurned = has.turnable && (has.turned ?? quarter.unit > worth * straight.unit);
  const flat = isTurned ? quarter : straight;
  const shape = has.globe ? [board[0], board[0]] : isTurned ? [board[1], board[0]] : board;
  const best = better(rooms, /** @type {Size} */ (shape), strips);
  dataset.layout = best.layout;
  dataset.common = best.common;
  const sizes = strips.map(([wide, high]) => [wide, high].map((side) => side * Math.max(best.unit, LEAST_HIGH / high)));
  const [across, down] = shape.map((side) => Math.round(best.unit * side));
  const aside = best.common === "beside" ? GAP + Math.max(...sizes.map(([wide]) => wide)) : 0;
  const under = best.common === "below" && strips.length ? GAP + TITLE + Math.max(...sizes.map(([, high]) => high)) : 0;
  const row = under ? sizes.reduce((sum, [wide]) => sum + GAP + wide, -GAP) : 0;
  const wide = Math.min(width, Math.max(across + aside, row));
  const side = Math.min(MOST_ASIDE, Math.max(LEAST_ASIDE, width - wide - BETWEEN));
  for (const [name, value] of Object.entries({ wide, side, tall: down, row: down + under }))
    style.setProperty(`--${name}`, `${Math.ceil(value)}px`);
  style.setProperty("--unit", `${best.unit}px`);
  if (has.controls && !isFree) spread(frame);
  if (!isFree) host.style.setProperty("--needed", `${needed(frame)}px`);
  const high = flat.unit * (isTurned ? board[0] : board[1]);
  return { isTurned, share: isFree ? 1 : high / Math.max(1, flat.height - under) };
}

/**
 * Returns the share of the window's height that a board without a height of its own may fill, without plates. A page sets
 * it in `--tallest`.
 * @param {HTMLElement} host
 */
function tallest(host) {
  return parseFloat(getComputedStyle(host).getPropertyValue("--tallest")) || 0.85;
}

/**
 * Returns the height that the board lends to another part of the page for a while, in pixels. So that the board does not
 * turn when it is given back, its direction is chosen as if nothing was lent. A page sets the height in `--lent`.
 * @param {HTMLElement} host
 */
function lentBy(host) {
  return parseFloat(getComputedStyle(host).getPropertyValue("--lent")) || 0;
}

/**
 * Returns whether the board is a small picture in a list: without strips, with one realm, and as the globe if there is
 * one. A page sets it in `--small`.
 * @param {HTMLElement} host
 */
export function isThumbnail(host) {
  return getComputedStyle(host).getPropertyValue("--small") === "1";
}

/**
 * Returns the layout in which the board becomes largest. The usual layout is preferred unless the gain is above WORTH.
 * @param {{layout: string, size: Size}[]} rooms the area for board and strips in each layout, the usual layout first
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
 * Removes the layout that was set before, and writes into the frame's data attributes whether the space is narrow or low.
 * @param {HTMLElement} host
 * @param {HTMLElement} frame
 * @param {boolean} hasControls whether there are buttons below or beside the board
 * @returns {boolean | undefined} whether the page sets no height for the host; undefined if the host is invisible
 */
export function freed(host, frame, hasControls) {
  frame.classList.remove("free");
  host.style.removeProperty("--needed");
  const [width, height] = [host.clientWidth, host.clientHeight];
  if (!width) return undefined;
  frame.dataset.narrow = String(width < 600);
  frame.dataset.low = String(height < 480);
  frame.dataset.controls = hasControls && width >= 600 && height < 480 && height >= 100 ? "beside" : "below";
  for (const name of ["--wide", "--row", "--side", "--rest", "--spread"]) frame.style.removeProperty(name);
  frame.classList.toggle("free", height < 100);
  return height < 100;
}

/**
 * Puts the controls at the lower end of the frame. In a narrow frame, the free height is then between its parts; when the
 * match is over, the controls have it.
 * @param {HTMLElement} frame
 */
export function spread(frame) {
  frame.style.setProperty("--rest", "1fr");
  frame.style.setProperty("--spread", "space-between");
}

/**
 * Returns the height that a frame needs for all its rows, in pixels, so that a page need not reserve more.
 * @param {HTMLElement} frame
 */
export function needed(frame) {
  const { gridTemplateRows, rowGap } = getComputedStyle(frame);
  const rows = gridTemplateRows.split(" ").map(parseFloat);
  return Math.ceil(rows.reduce((sum, row) => sum + row, 0) + parseFloat(rowGap) * (rows.length - 1));
}
