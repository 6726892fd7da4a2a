// @ts-check
// Exercises on a board, in which a player has to find a turn. Puzzles, mistakes and tutorials share this module.

import { Study } from "./study.js";

/** @typedef {import("./study.js").Place} Place */
/** @typedef {import("./study.js").Told} Told */

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** How long a turn of a line is looked at before the next one comes by itself. */
const PACE_MS = 1500;

export class Solving {
  /** @param {(turn: string) => void} played is told the whole turn that was chosen */
  constructor(played) {
    /** @type {import("./study.js").Board} */
    this.board = $("board");
    this.study = new Study(
      this.board,
      {
        played: (turn) => this.chosen(turn),
        drafted: (told) => this.drafted(told),
        refused: (text) => this.say(text, "bad"),
      },
      0,
    );
    this.played = played;
    /** @type {Place} */
    this.place = { game: "", setup: {}, moves: [] };
    /** @type {string[]} what is played to show something */
    this.line = [];
    this.at = 0;
    this.timer = 0;
    $("commit").addEventListener("click", () => this.study.commit());
    $("line-back").addEventListener("click", () => void this.step(this.at - 1));
    $("line-on").addEventListener("click", () => void this.step(this.at + 1));
  }

  /**
   * Asks for a turn of a player.
   * @param {Place} place
   * @param {number} player
   * @returns {Promise<Told | undefined>}
   */
  async ask(place, player) {
    this.stop();
    this.place = place;
    this.study.only = player;
    this.study.plays = true;
    const told = await this.study.go(place, { whole: true });
    this.board.flipped = told?.look?.players.length === 2 && player === 1;
    $("commit").hidden = true;
    return told;
  }

  /** @param {Told} told */
  drafted(told) {
    $("commit").hidden = !this.study.ready;
    this.say(`${(told.draft?.labels ?? []).join(", then ")}${this.study.ready ? "?" : " …"}`);
  }

  /** @param {string} turn */
  chosen(turn) {
    $("commit").hidden = true;
    this.study.plays = false;
    this.study.offer();
    this.played(turn);
  }

  /** Lets the player choose once more. */
  async again() {
    await this.ask(this.place, this.study.only ?? 0);
  }

  /**
   * Plays a line on the board; one can go back and on in it.
   * @param {string[]} line
   */
  async show(line) {
    this.stop();
    this.study.plays = false;
    this.line = line;
    this.at = 0;
    $("line").hidden = line.length < 1;
    await this.step(1, true);
  }

  /**
   * @param {number} at how many turns of the line are played
   * @param {boolean} [goesOn] whether the next one comes by itself
   */
  async step(at, goesOn = false) {
    clearTimeout(this.timer);
    const forth = at > this.at;
    this.at = Math.max(0, Math.min(this.line.length, at));
    $("line-at").textContent = `${this.at} of ${this.line.length}`;
    $("line-back").disabled = this.at === 0;
    $("line-on").disabled = this.at === this.line.length;
    await this.study.go(
      { ...this.place, moves: [...this.place.moves, ...this.line.slice(0, this.at)] },
      { step: forth },
    );
    if (goesOn && this.at < this.line.length)
      this.timer = window.setTimeout(() => void this.step(this.at + 1, true), PACE_MS);
  }

  stop() {
    clearTimeout(this.timer);
    this.line = [];
    $("line").hidden = true;
  }

  /**
   * @param {string} text
   * @param {"" | "good" | "bad"} [kind]
   */
  say(text, kind = "") {
    $("status").textContent = text;
    $("status").className = kind;
  }
}

/**
 * The address of the analysis board on a place.
 * @param {Place} place
 */
export function analysisOf({ game, setup, moves }) {
  const keys = Object.entries(setup).filter(([, value]) => value !== null);
  const query = new URLSearchParams([["game", game], ...keys.map(([key, value]) => [key, String(value)])]);
  if (moves.length) query.set("moves", moves.join("\n"));
  return `/analyse?${query}`;
}
