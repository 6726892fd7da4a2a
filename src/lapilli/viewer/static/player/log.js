// @ts-check
/** All turns as a list: what each player did, in words or as its bot wrote it. */

import { signOf, element, foreign, searchable } from "./elements.js";
import { timeOf } from "./times.js";

/** @typedef {import("./reel.js").Entry} Entry */
/** @typedef {import("./reel.js").Film} Film */
/** @typedef {import("./reel.js").Turn} Turn */
/** @typedef {{row: HTMLLIElement, button: HTMLButtonElement, index: number, text: string, player?: number}} Row */

export const NO_REPLY = "no reply";

/**
 * What a player did, as people say it.
 * @param {{action: string | null, told?: string}} entry
 */
export const told = (entry) => (entry.action === null ? NO_REPLY : entry.told || entry.action);

/**
 * What makes turns fold into one row: who did what; "" for a turn that stands for itself.
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

  /** Adds the rows of turns that the film has and the list has not. The last turn may have got more; it is made anew. */
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

  /** @param {number} index */
  rowsOf(index) {
    const turn = this.film.turns[index];
    if (!turn.entries.length) return [this.row(index, { action: turn.event })];
    return turn.entries.map((entry) => this.row(index, entry));
  }

  /**
   * @param {number} index
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
      element("span", { className: "ms", textContent: ms === undefined ? "" : timeOf(ms) }),
    ];
    const said = [turn, side, words, entry.action, entry.message, entry.stderr, fault, ...(entry.notes ?? [])];
    const button = element("button", { type: "button", onclick: () => this.go(index) }, ...cells);
    return { row: element("li", {}, button), button, index, player, text: searchable(said.join(" ")) };
  }

  /** Adds a row after the last turn. Its text is found like any other.
   * @param {HTMLButtonElement} button
   * @param {string} text
   */
  end(button, text) {
    const row = element("li", { className: "after" }, button);
    this.rows.push({ row, button, index: this.film.turns.length, text: searchable(text) });
    this.list.append(row);
    this.find();
  }

  /** Shows the rows that have what is searched for; where nothing is, turns alike become one. */
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
    /** @type {number[]} for each turn, the first of those it is folded into */
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
   * @param {HTMLLIElement} row
   * @param {string} text
   */
  number(row, text) {
    const cell = row.querySelector(".number");
    if (cell) cell.textContent = text;
  }

  /**
   * Shows which turn is on the board.
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

  /** Brings the current turn into view, without moving anything but the list. */
  scroll() {
    const row = this.list.querySelector(".current");
    if (row instanceof HTMLElement) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
  }
}
