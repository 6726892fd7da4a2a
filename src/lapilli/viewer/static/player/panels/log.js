// @ts-check
/** The list of all turns: each player's turn in words, or as the bot wrote it. */

import { signOf, element, foreign, searchable } from "../elements.js";
import { timeOf } from "../text/times.js";

/** @typedef {import("../film/reel.js").Entry} Entry */
/** @typedef {import("../film/reel.js").Film} Film */
/** @typedef {import("../film/reel.js").Turn} Turn */
/** @typedef {{row: HTMLLIElement, button: HTMLButtonElement, index: number, text: string, player?: number}} Row */

export const NO_REPLY = "no reply";

/**
 * Returns a player's turn in words; if there are none, the reply itself.
 * @param {{action: string | null, told?: string}} entry
 */
export const told = (entry) => (entry.action === null ? NO_REPLY : entry.told || entry.action);

/**
 * Returns a text that is equal for successive turns that are shown as one row; "" for a turn with a row of its own.
 * @param {Turn} turn
 */
function alike({ entries }) {
  if (!entries.length || entries.some(({ fault, notes, message }) => fault || notes || message)) return "";
  return JSON.stringify(entries.map((entry) => [entry.player, told(entry)]));
}

export class Log {
  /**
   * @param {{list: HTMLOListElement, search: HTMLInputElement, nothing: HTMLElement}} parts
   * @param {Film} film
   * @param {(index: number) => void} go
   */
  constructor({ list, search, nothing }, film, go) {
    this.list = list;
    this.search = search;
    this.nothing = nothing;
    this.film = film;
    this.go = go;
    /** @type {Row[]} */
    this.rows = [];
    this.drawn = 0;
    /** @type {number} */
    this.current = -1;
    this.list.replaceChildren();
    this.grow();
  }

  /**
   * Adds rows for the turns that were appended to the film. The last row is made anew, because its turn may have
   * changed.
   */
  grow() {
    const { turns } = this.film;
    const from = Math.max(0, this.drawn - 1);
    for (const { row } of this.rows.filter(({ index }) => index >= from)) row.remove();
    this.rows = this.rows.filter(({ index }) => index < from);
    for (let index = from; index < turns.length; index++) this.rows.push(...this.rowsOf(index));
    this.drawn = turns.length;
    this.list.append(...this.rows.map(({ row }) => row).filter((row) => !row.parentNode));
    this.find();
  }

  /** Returns the rows of a turn, one for each player who was asked. @param {number} index */
  rowsOf(index) {
    const turn = this.film.turns[index];
    if (!turn.entries.length) return [this.row(index, { action: turn.event })];
    return turn.entries.map((entry) => this.row(index, entry));
  }

  /**
   * Returns the row of a player's part in a turn.
   * @param {number} index index of the turn in the film
   * @param {Partial<Entry> & {action: string | null}} entry
   * @returns {Row}
   */
  row(index, entry) {
    const { turn } = this.film.turns[index];
    const { player, ms, fault } = entry;
    const side = player === undefined ? "" : this.film.players[player].side;
    const words = told(entry);
    const raw = element("span", { className: "raw" }, foreign(entry.action ?? NO_REPLY));
    const cells = [
      element("span", { className: "number", textContent: String(turn) }),
      player === undefined ? element("span") : signOf(player, side),
      element(
        "span",
        { className: `what ${fault ? "bad" : ""}` },
        element("span", { className: "told" }, foreign(words)),
        raw,
      ),
      element(
        "span",
        { className: "ms" },
        ...(ms === undefined ? [] : [element("span", { className: "detail", textContent: timeOf(ms) })]),
      ),
    ];
    const said = [turn, side, words, entry.action, entry.message, entry.stderr, fault, ...(entry.notes ?? [])];
    const button = element("button", { type: "button", onclick: () => this.go(index) }, ...cells);
    return { row: element("li", {}, button), button, index, player, text: searchable(said.join(" ")) };
  }

  /**
   * Adds a row after the last turn.
   * @param {HTMLButtonElement} button contents of the row
   * @param {string} text text in which the search finds the row
   */
  end(button, text) {
    const row = element("li", { className: "after" }, button);
    this.rows.push({ row, button, index: this.film.turns.length, text: searchable(text) });
    this.list.append(row);
    this.find();
  }

  /** Shows the rows that contain the searched text. Without a search, joins successive equal turns to one row. */
  find() {
    const wanted = searchable(this.search.value);
    for (const { row, text } of this.rows) row.hidden = !text.includes(wanted);
    if (!wanted) this.fold();
    else
      for (const { index, row } of this.rows)
        if (this.film.turns[index]) this.number(row, String(this.film.turns[index].turn));
    this.nothing.hidden = this.rows.some(({ row }) => !row.hidden);
    this.point(this.current);
  }

  fold() {
    const { turns } = this.film;
    /** @type {number[]} for each turn, the index of the turn in whose row it is shown */
    this.heads = [];
    turns.forEach((turn, index) => {
      const same = index > 0 && alike(turn) !== "" && alike(turn) === alike(turns[index - 1]);
      this.heads?.push(same ? (this.heads[index - 1] ?? index) : index);
    });
    const lasts = new Map(this.heads.map((head, index) => [head, index]));
    for (const { row, index } of this.rows) {
      if (index >= turns.length) continue;
      const [head, last] = [this.heads[index], lasts.get(index)];
      row.hidden = head !== index;
      const [one, other] = [turns[index].turn, last === undefined ? 0 : turns[last].turn];
      this.number(row, last === undefined || last === index ? String(one) : `${one}–${other}`);
    }
  }

  /**
   * Sets the turn number that a row shows.
   * @param {HTMLLIElement} row
   * @param {string} text
   */
  number(row, text) {
    const cell = row.querySelector(".number");
    if (cell) cell.textContent = text;
  }

  /**
   * Highlights the row of the turn that is on the board.
   * @param {number} index
   */
  point(index) {
    this.current = index;
    const head = this.search.value ? index : (this.heads?.[index] ?? index);
    for (const { row, button, index: its } of this.rows) {
      row.classList.toggle("current", its === head);
      if (its === head) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  /** Scrolls the list, but not the page, to the current turn. */
  scroll() {
    const row = this.list.querySelector(".current");
    if (row instanceof HTMLElement) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
  }
}
