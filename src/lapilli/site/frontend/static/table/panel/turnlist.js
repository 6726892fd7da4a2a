// @ts-check
// The list of turns beside a table's board. Each turn is a button that leads to its picture.

import { element, foreign, signOf } from "../../../../../viewer/static/player/elements.js";

/** When turns are added, the list scrolls to its end if it was less than this distance from its end, in pixels. */
const NEAR = 40;

export class TurnList {
  /**
   * @param {HTMLElement} list
   * @param {(turn: number) => void} go is called with the number of the turn that was clicked
   */
  constructor(list, go) {
    this.list = list;
    this.go = go;
    /**
     * Number of the earlier turn that the board shows; undefined for the current position.
     * @type {number | undefined}
     */
    this.turn = undefined;
  }

  get isEmpty() {
    return !this.list.childElementCount;
  }

  clear() {
    this.turn = undefined;
    this.list.replaceChildren();
  }

  /**
   * Appends turns.
   * @param {[turn: number, player: number, text: string][]} lines turns in words; player is -1 for turns without a
   * player
   * @param {{name: string}[]} players
   */
  add(lines, players) {
    const { list } = this;
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - NEAR;
    for (const [turn, player, text] of lines) {
      const sign = player < 0 ? element("span") : signOf(player, players[player].name);
      const parts = [element("span", {}, String(turn)), sign, foreign(text)];
      const item = element("li", {}, element("button", { type: "button", onclick: () => this.go(turn) }, ...parts));
      item.dataset.turn = String(turn);
      list.append(item);
    }
    if (isAtEnd && this.turn === undefined) list.scrollTop = list.scrollHeight;
  }

  /** A turn in words; "" if it has none, or several. @param {number} turn */
  words(turn) {
    const rows = this.rows(turn);
    return rows.length === 1 ? (rows[0].querySelector("button")?.lastElementChild?.textContent ?? "") : "";
  }

  /** Keys of the places that the words of a turn name. @param {number} turn */
  places(turn) {
    const names = this.rows(turn).flatMap((row) => [...row.querySelectorAll("[data-place]")]);
    return names.map((name) => /** @type {HTMLElement} */ (name).dataset.place ?? "");
  }

  /** The list items of a turn. @param {number} turn @returns {HTMLElement[]} */
  rows(turn) {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(`[data-turn="${turn}"]`))];
  }

  /** Marks the turn that the board shows. @param {number | undefined} turn undefined for the current position */
  point(turn) {
    const { list } = this;
    this.turn = turn;
    const rows = /** @type {HTMLElement[]} */ ([...list.children]);
    for (const row of rows) row.classList.toggle("current", turn === Number(row.dataset.turn));
    const row = rows.find((one) => one.matches(".current"));
    if (row) list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
}
