// @ts-check
// The players' clocks on their plates, and who is away. The server sends the times; between two messages, the clocks run
// here.

import { element } from "../../../viewer/static/player/elements.js";

const LOW_MS = 20_000;
const DAY_MS = 86_400_000;
/** Below this time, a clock shows tenths of a second. */
const TENTHS_MS = 10_000;

export class Clocks {
  /** @param {HTMLElement} board whose plates have a place for them */
  constructor(board) {
    this.board = board;
    /** What stands on each player's plate: the clock, and a word if the player is away. @type {HTMLElement[]} */
    this.holders = [];
    /** @type {(HTMLElement | undefined)[]} */
    this.nodes = [];
    /** @type {(number | null)[]} */
    this.left = [];
    /** @type {number[]} */
    this.running = [];
    this.since = 0;
    setInterval(() => this.draw(), 100);
  }

  /**
   * @param {(number | null)[]} left milliseconds by player; null without a clock
   * @param {number[]} running
   * @param {number} since when that was so, by `performance.now`
   */
  set(left, running, since) {
    [this.left, this.running, this.since] = [left, running, since];
    left.forEach((ms, player) => {
      if (ms === null || this.nodes[player]) return;
      const node = element("span", { className: "clock", role: "timer", title: "time left" });
      this.nodes[player] = node;
      this.holder(player).append(node);
    });
    this.draw();
  }

  /** @param {number} player */
  holder(player) {
    if (!this.holders[player]) {
      this.holders[player] = element("span", { className: "beside", slot: `player-${player}` });
      this.board.append(this.holders[player]);
    }
    return this.holders[player];
  }

  /**
   * Shows on a plate whether the player is away.
   * @param {number} player
   * @param {string} title "" for a player who is there
   * @param {string} [word] what the plate says
   */
  absent(player, title, word = "away") {
    const found = this.holders[player]?.querySelector(".away");
    if (!title) found?.remove();
    else if (!found) this.holder(player).prepend(element("span", { className: "away", title }, word));
  }

  draw() {
    this.nodes.forEach((node, player) => {
      const ms = this.left[player];
      if (!node || typeof ms !== "number") return;
      const runs = this.running.includes(player);
      const left = Math.max(0, runs ? ms - (performance.now() - this.since) : ms);
      const text = clockOf(left);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("running", runs);
      node.classList.toggle("low", left < LOW_MS);
    });
  }
}

/** A time as clocks show it: "2 d 5 h", "4:05", at the end "0:07.3". @param {number} ms */
function clockOf(ms) {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / 3_600_000)} h`;
  if (ms < TENTHS_MS) return `0:${(Math.ceil(ms / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
