// @ts-check
// The board of a study page: requests the data of a position from the site, and lets people choose a turn.

import "../../../viewer/static/board/board.js";
import { GLIDE_MS } from "../../../viewer/static/board/layers.js";
import { Naming } from "../../../viewer/static/board/naming.js";
import { Pictures } from "../../../viewer/static/board/pictures.js";
import { element, foreign, signOf } from "../../../viewer/static/player/elements.js";
import { Showing } from "../table/showing.js";

/** @typedef {import("../table/showing.js").Frame} Frame */
/** @typedef {import("../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../../viewer/static/board/choosing.js").Choice} Choice */
/** @typedef {[player: number, text: string][]} Words who did what; -1 for nobody */
/** @typedef {{game: string, setup: Record<string, unknown>, moves: string[]}} Place */
/**
 * @typedef {{player: number, choices: Choice[], labels: string[], undoable: boolean, frame: Frame | null, reply: string | null}} Draft
 * @typedef {{frames: Frame[], told: Words, turn: number, asked: number[], outcome: {reason: string, ranks: number[]} | null,
 *   position: string, setup: Record<string, unknown>, here: Record<string, unknown>, notation: string[], look?: any,
 *   openings?: boolean, start?: Record<string, unknown>, words?: Words[], draft?: Draft}} Told
 */

/**
 * Asks the site for something. What it refuses is thrown, in words for people.
 * @param {string} path
 * @param {object | string} data
 * @returns {Promise<any>}
 */
export async function ask(path, data) {
  const answer = await fetch(path, { method: "POST", body: typeof data === "string" ? data : JSON.stringify(data) });
  const told = await answer.json().catch(() => undefined); // the connection may be lost in the midst
  if (!told) throw new Error("the site did not answer: try again");
  if (!answer.ok) throw new Error(told.problem ?? "that did not work", { cause: answer.status });
  return told;
}

/**
 * Asks for something that is told bit by bit.
 * @param {string} path
 * @param {object} data
 * @param {(one: any) => void} hear
 * @param {AbortSignal} [signal] ends it
 */
export async function listen(path, data, hear, signal) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(data), signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    text += part.value;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line) hear(JSON.parse(line));
  }
  if (text.trim()) hear(JSON.parse(text));
}

/**
 * A turn in words, with the signs of the players.
 * @param {Words} words
 * @param {{side: string}[]} players
 */
export function spelled(words, players) {
  return words.map(([player, text]) => {
    const sign = player < 0 ? "" : signOf(player, players[player].side);
    return element("span", { className: "told" }, sign, foreign(text));
  });
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

/** Windows that are too low for a board with plates above and below it. */
const LOW = matchMedia("(max-height: 500px)");

export class Study {
  /**
   * @param {Board} board
   * @param {object} told what the page wants to hear
   * @param {(turn: string) => void} told.played a whole turn was chosen
   * @param {(told: Told) => void} [told.drafted] something was chosen
   * @param {(problem: string) => void} told.refused
   * @param {number | null} [only] the one player who chooses; a turn of several steps waits for `commit` then
   */
  constructor(board, { played, drafted, refused }, only = null) {
    this.board = board;
    this.hears = { played, drafted, refused };
    this.only = only;
    /** A turn that waits to be played. */
    this.ready = "";
    /** @type {Place} */
    this.place = { game: "", setup: {}, moves: [] };
    /** @type {Told | undefined} */
    this.told = undefined;
    /** @type {string[]} */
    this.given = [];
    /** @type {number[]} */
    this.actions = [];
    this.plays = true;
    this.asks = 0;
    this.showing = new Showing(board, () => this.offer());
    const texts = document.querySelector("main");
    if (texts) this.naming = new Naming(board, texts, document.getElementById("buttons"));
    this.fit();
    LOW.addEventListener("change", () => this.fit());
    board.addEventListener("pick", (event) => void this.pick(/** @type {CustomEvent} */ (event).detail.action));
    board.addEventListener("undo", () => void this.undo());
  }

  /** Leaves the room of a low window to the board itself. */
  fit() {
    for (const name of ["plates", "headline"]) {
      if (LOW.matches) this.board.setAttribute(name, "off");
      else this.board.removeAttribute(name);
    }
  }

  /**
   * Goes to a position.
   * @param {Place} place
   * @param {{step?: boolean, whole?: boolean}} [how] shown step by step; with its look
   * @returns {Promise<Told | undefined>} nothing where somebody has gone on meanwhile
   */
  async go({ game, setup, moves }, { step = false, whole = false } = {}) {
    const place = { game, setup, moves };
    [this.given, this.actions, this.ready] = [[], [], ""];
    this.board.choices = [];
    this.board.dots = [];
    this.board.arrows = [];
    const told = await this.fetch({ ...place, whole });
    if (!told) return undefined;
    this.place = place;
    if (told.look) this.board.look = told.look;
    if (step) {
      this.showing.start(told.frames.slice(0, 1));
      this.showing.add(told.frames.slice(1));
    } else this.showing.start(told.frames, GLIDE_MS);
    this.board.removeAttribute("aria-busy");
    if (!this.showing.isBusy) this.offer();
    return told;
  }

  /** @param {object} asking @returns {Promise<Told | undefined>} */
  async fetch(asking) {
    const number = ++this.asks;
    try {
      const told = await ask("/analyse/at", { only: this.only, ...asking });
      if (number !== this.asks) return undefined;
      return (this.told = told);
    } catch (problem) {
      if (number === this.asks) this.hears.refused(/** @type {Error} */ (problem).message);
      return undefined;
    }
  }

  /** Shows what has been chosen, and what can be. */
  offer() {
    const draft = this.told?.draft;
    this.board.choices = this.plays && draft ? draft.choices : null;
    this.board.undoable = this.plays && (draft?.undoable || this.given.length > 0);
  }

  /** @param {number} action */
  async pick(action) {
    await this.draft(this.given, [...this.actions, action]);
  }

  /** Takes back a step of the turn. @returns {Promise<boolean>} whether there was one */
  async undo() {
    if (this.actions.length) await this.draft(this.given, this.actions.slice(0, -1));
    else if (this.given.length) await this.draft(this.given.slice(0, -1), []);
    else return false;
    return true;
  }

  /**
   * @param {string[]} given
   * @param {number[]} actions
   * @returns {Promise<unknown>}
   */
  async draft(given, actions) {
    const told = await this.fetch({ ...this.place, given, actions });
    if (!told?.draft) return this.offer();
    [this.given, this.actions] = [given, actions];
    const { reply } = told.draft;
    this.ready = this.only !== null && actions.length > 1 ? (reply ?? "") : "";
    if (reply === null || this.ready) {
      if (told.draft.frame) this.board.show(new Pictures([told.draft.frame]).seek(0), { glide: GLIDE_MS, holds: true });
      else this.showing.again();
      this.offer();
      this.hears.drafted?.(told);
      return undefined;
    }
    const all = [...given, reply];
    if (this.only !== null || all.length === told.asked.length) return this.hears.played(all.join(" | "));
    return this.draft(all, []);
  }

  /** Plays the turn that waits. */
  commit() {
    const { ready } = this;
    this.ready = "";
    if (ready) this.hears.played(ready);
  }
}
