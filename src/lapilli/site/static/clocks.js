// @ts-check
// The players' clocks on their plates. The server sends the times; between two messages, the clocks run here.

import { element } from "../../viewer/static/player/elements.js";

const LOW_MS = 20_000;

export class Clocks {
  /** @param {HTMLElement} board whose plates have a place for them */
  constructor(board) {
    this.board = board;
    /** @type {(HTMLElement | undefined)[]} */
    this.nodes = [];
    /** @type {(number | null)[]} */
    this.left = [];
    /** @type {number[]} */
    this.running = [];
    this.since = 0;
    setInterval(() => this.draw(), 200);
  }

  /**
   * @param {(number | null)[]} left milliseconds by player; null without a clock
   * @param {number[]} running
   */
  set(left, running) {
    [this.left, this.running, this.since] = [left, running, performance.now()];
    left.forEach((ms, player) => {
      if (ms === null || this.nodes[player]) return;
      const node = element("span", { className: "clock", slot: `player-${player}`, role: "timer" });
      this.nodes[player] = node;
      this.board.append(node);
    });
    this.draw();
  }

  draw() {
    this.nodes.forEach((node, player) => {
      const ms = this.left[player];
      if (!node || typeof ms !== "number") return;
      const runs = this.running.includes(player);
      const left = Math.max(0, runs ? ms - (performance.now() - this.since) : ms);
      node.textContent = told(left);
      node.classList.toggle("running", runs);
      node.classList.toggle("low", left < LOW_MS);
    });
  }
}

/** @param {number} ms */
function told(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
