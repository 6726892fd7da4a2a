// @ts-check
// The panes of a bot's page: people move the bars between the panes, and the browser stores the bars' positions.

import { store, stored } from "../../../../viewer/static/board/storage.js";

const KEY = "lapilli-panes";
const STEP = 2;

/**
 * The positions that a bar can have: the CSS variable that stores the position; the default, least and greatest share
 * of the page, in per cent.
 * @typedef {{variable: string, usual: number, least: number, most: number}} Range
 */

/** @type {Record<string, Range>} */
const RANGES = {
  "split-code": { variable: "--code", usual: 40, least: 20, most: 75 },
  "split-board": { variable: "--board", usual: 72, least: 25, most: 85 },
};

export class Panes {
  /** @param {HTMLElement} main contains the panes and the bars */
  constructor(main) {
    this.main = main;
    /** @type {Record<string, number>} */
    this.shares = stored(KEY) ?? {};
    for (const [id, range] of Object.entries(RANGES)) {
      const bar = /** @type {HTMLElement} */ (main.querySelector(`#${id}`));
      bar.ariaValueMin = String(range.least);
      bar.ariaValueMax = String(range.most);
      bar.addEventListener("pointerdown", (event) => this.drag(event, bar, id));
      bar.addEventListener("keydown", (event) => this.key(event, bar, id));
      bar.addEventListener("dblclick", () => this.put(bar, id, range.usual));
      if (id in this.shares) this.put(bar, id, this.shares[id], false);
      else bar.ariaValueNow = String((this.shares[id] = range.usual));
    }
  }

  /**
   * Moves a bar.
   * @param {HTMLElement} bar
   * @param {string} id
   * @param {number} share share of the page for the pane before the bar, in per cent
   * @param {boolean} [remembers] whether the browser stores the position
   */
  put(bar, id, share, remembers = true) {
    const { variable, usual, least, most } = RANGES[id];
    const now = Number.isFinite(share) ? Math.round(Math.max(least, Math.min(most, share)) * 10) / 10 : usual;
    this.shares[id] = now;
    this.main.style.setProperty(variable, `${now}%`);
    bar.ariaValueNow = String(Math.round(now));
    if (remembers) store(KEY, this.shares);
  }

  /** Whether a bar between two panes is vertical. @param {HTMLElement} bar */
  isUpright(bar) {
    return bar.ariaOrientation === "vertical";
  }

  /**
   * Moves a bar with the pointer, until the pointer is released.
   * @param {PointerEvent} event
   * @param {HTMLElement} bar
   * @param {string} id
   */
  drag(event, bar, id) {
    event.preventDefault();
    bar.focus();
    bar.setPointerCapture(event.pointerId);
    const box = this.main.getBoundingClientRect();
    const move = (/** @type {PointerEvent} */ now) => {
      const share = this.isUpright(bar) ? (now.clientX - box.left) / box.width : (now.clientY - box.top) / box.height;
      this.put(bar, id, 100 * share);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", move), { once: true });
  }

  /**
   * Moves a bar with the arrow keys, or to its limits with Home and End.
   * @param {KeyboardEvent} event
   * @param {HTMLElement} bar
   * @param {string} id
   */
  key(event, bar, id) {
    const [less, more] = this.isUpright(bar) ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const by = event.key === less ? -STEP : event.key === more ? STEP : 0;
    if (!by && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    const { least, most } = RANGES[id];
    this.put(bar, id, by ? this.shares[id] + by : event.key === "Home" ? least : most);
  }
}
