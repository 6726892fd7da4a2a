// @ts-check
// The players' clocks, and the notice that a player is away. Both are on the plates, the players' panels beside the
// board. The server sends the times; between two messages, this script counts down.

import { element } from "../../../../viewer/static/player/elements.js";

const LOW_MS = 20_000;
const DAY_MS = 86_400_000;
/** Time below which a clock shows tenths of a second, in milliseconds. */
const TENTHS_MS = 10_000;

export class Clocks {
  /** @param {HTMLElement} board the board, whose plates have slots for the clocks */
  constructor(board) {
    this.board = board;
    /** Elements on the players' plates, each with the clock, and a word if the player is away. @type {HTMLElement[]} */
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
   * Sets the times that the server has sent.
   * @param {(number | null)[]} left time left of each player, in milliseconds; null for players without a clock
   * @param {number[]} running players whose clocks are running
   * @param {number} since time at which this was received, by `performance.now`
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

  /** The element on a player's plate; makes it if necessary. @param {number} player */
  holder(player) {
    if (!this.holders[player]) {
      this.holders[player] = element("span", { className: "beside", slot: `player-${player}` });
      this.board.append(this.holders[player]);
    }
    return this.holders[player];
  }

  /**
   * Shows on a player's plate that the player is away, or removes this notice.
   * @param {number} player
   * @param {string} title tooltip of the notice; "" to remove the notice
   * @param {string} [word] text of the notice
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

/** Formats a time for a clock: "2 d 5 h", "4:05", or near the end "0:07.3". @param {number} ms */
function clockOf(ms) {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / 3_600_000)} h`;
  if (ms < TENTHS_MS) return `0:${(Math.ceil(ms / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
