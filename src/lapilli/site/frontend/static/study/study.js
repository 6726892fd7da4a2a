// @ts-check
// The board of a study page: requests the data of a position from the site, and lets people choose a turn.

import "../../../../viewer/static/board/board.js";
import { GLIDE_MS } from "../../../../viewer/static/board/drawing/layers.js";
import { Naming } from "../../../../viewer/static/board/naming.js";
import { Pictures } from "../../../../viewer/static/board/pictures.js";
import { element, foreign, signOf } from "../../../../viewer/static/player/elements.js";
import { Showing } from "../table/pictures/showing.js";

/** @typedef {import("../table/pictures/showing.js").Frame} Frame */
/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../../../viewer/static/board/input/choosing.js").Choice} Choice */
/**
 * A turn in words and in a few signs, by player. The player is -1 for chance events.
 * @typedef {[player: number, text: string, brief?: string][]} Words
 */
/**
 * A position: the game, its setup, and the turns that lead to the position.
 * @typedef {{game: string, setup: Record<string, unknown>, moves: string[]}} Place
 */
/**
 * Draft: the turn that the person is choosing for a player. `labels`: the actions chosen so far, in words. `undoable`:
 * whether there are any. `frame`: the picture after them. `reply`: the turn as text once it is complete.
 * Told: the site's data of a position. `frames`, `told`, `notation`: pictures, words and text of the turns since the
 * previous position. `asked`: players whose turn it is. `here`, `start`: setups, short enough for a link, that begin at
 * this position and at the start position. `words`: all turns in words. `openings`: whether the game has counted turns.
 * @typedef {{player: number, choices: Choice[], labels: string[], undoable: boolean, frame: Frame | null, reply: string | null}} Draft
 * @typedef {{frames: Frame[], told: Words, turn: number, asked: number[], outcome: {reason: string, ranks: number[]} | null,
 *   position: string, setup: Record<string, unknown>, here: Record<string, unknown>, notation: string[], look?: any,
 *   openings?: boolean, start?: Record<string, unknown>, words?: Words[], draft?: Draft}} Told
 */

/**
 * Sends a POST request to the site, and returns the response. If the site refuses it, throws an error with the reason.
 * @param {string} path
 * @param {object | string} data
 * @returns {Promise<any>}
 */
export async function ask(path, data) {
  const answer = await fetch(path, { method: "POST", body: typeof data === "string" ? data : JSON.stringify(data) });
  const told = await answer.json().catch(() => undefined); // the connection may be lost during the response
  if (!told) throw new Error("the site did not answer: try again");
  if (!answer.ok) throw new Error(told.problem ?? "that did not work", { cause: answer.status });
  return told;
}

/**
 * Sends a POST request whose response is a stream of JSON objects, one per line.
 * @param {string} path
 * @param {object} data
 * @param {(one: any) => void} hear is called with each object as soon as it arrives
 * @param {AbortSignal} [signal] ends the request
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
 * Elements with a turn in words, and the signs of its players.
 * @param {Words} words
 * @param {{side: string}[]} players
 */
export function spelled(words, players) {
  return words.map(([player, text]) => {
    const sign = player < 0 ? "" : signOf(player, players[player].side);
    return element("span", { className: "told" }, sign, foreign(text));
  });
}

/** The parts of a turn in a few signs that strike: eruptions and attacks. */
const STRIKES = /(\S*»\S*(?: ×\d+)?)/;

/**
 * Elements with a turn in a few signs, and the signs of its players. The words are a tooltip.
 * @param {Words} words
 * @param {{side: string}[]} players
 */
export function inBrief(words, players) {
  return words.map(([player, text, brief = text]) => {
    const sign = player < 0 ? "" : signOf(player, players[player].side);
    const parts = brief
      .split(STRIKES)
      .map((part, number) => (number % 2 ? element("em", { className: "strike" }, part) : part));
    return element(
      "span",
      { className: "told", title: text === brief ? "" : text },
      sign,
      element("bdi", {}, ...parts),
    );
  });
}

/** Whether a turn in a few signs says less than the turn in words. @param {Words} words */
export const isShort = (words) => words.some(([, text, brief = text]) => brief !== text);

/**
 * The address of the analysis board with a position.
 * @param {Place} place
 */
export function analysisOf({ game, setup, moves }) {
  const keys = Object.entries(setup).filter(([, value]) => value !== null);
  const query = new URLSearchParams([["game", game], ...keys.map(([key, value]) => [key, String(value)])]);
  if (moves.length) query.set("moves", moves.join("\n"));
  return `/analyse?${query}`;
}

/** Windows that are too low for a board with plates, the players' panels, above and below it. */
const LOW = matchMedia("(max-height: 500px)");

export class Study {
  /**
   * @param {Board} board
   * @param {object} told functions that are called after changes
   * @param {(turn: string) => void} told.played a whole turn was chosen
   * @param {(told: Told) => void} [told.drafted] a part of a turn was chosen
   * @param {(problem: string) => void} told.refused the site has refused a request
   * @param {number | null} [only] the only player for whom turns are chosen, or null for all players. If it is set, a
   * turn of several actions must be confirmed with `commit`
   */
  constructor(board, { played, drafted, refused }, only = null) {
    this.board = board;
    this.hears = { played, drafted, refused };
    this.only = only;
    /** What a player is called beside the board. */
    this.called = (/** @type {number} */ _, /** @type {string} */ side) => side;
    /** A complete turn that waits for `commit`; "" if there is none. */
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
    if (texts) this.naming = new Naming(board, texts, document.getElementById("tools"));
    this.fit();
    LOW.addEventListener("change", () => this.fit());
    board.addEventListener("pick", (event) => void this.pick(/** @type {CustomEvent} */ (event).detail.action));
    board.addEventListener("undo", () => void this.undo());
  }

  /**
   * In a low window, the players' panels (plates) are small, so that the board has enough space. The headline would only
   * repeat an exercise's question. A panel that has begun to scroll in such a window begins with its first line.
   */
  fit() {
    requestAnimationFrame(() => document.querySelector("main > aside")?.scrollTo(0, 0));
    this.board.toggleAttribute("small", LOW.matches);
    if (LOW.matches || this.only !== null) this.board.setAttribute("headline", "off");
    else this.board.removeAttribute("headline");
  }

  /**
   * Shows a position.
   * @param {Place} place
   * @param {{step?: boolean, whole?: boolean}} [how] step: shows the last turn picture by picture; whole: also requests
   * the data that all pictures of the match have in common
   * @returns {Promise<Told | undefined>} undefined if another position was requested meanwhile
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
    for (const [number, player] of (told.look?.players ?? []).entries()) player.name = this.called(number, player.side);
    if (told.look) this.board.look = told.look;
    if (step) {
      this.showing.start(told.frames.slice(0, 1));
      this.showing.add(told.frames.slice(1));
    } else this.showing.start(told.frames, GLIDE_MS);
    this.board.removeAttribute("aria-busy");
    if (!this.showing.isBusy) this.offer();
    return told;
  }

  /** Requests the data of a position. @param {object} asking @returns {Promise<Told | undefined>} as for `go` */
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

  /** Lets the person choose the next action on the board, if a turn can be chosen. */
  offer() {
    const draft = this.told?.draft;
    this.board.choices = this.plays && draft ? draft.choices : null;
    this.board.undoable = this.plays && (draft?.undoable || this.given.length > 0);
  }

  /** Adds an action to the turn. @param {number} action */
  async pick(action) {
    await this.draft(this.given, [...this.actions, action]);
  }

  /** Takes back the last chosen action of the turn. @returns {Promise<boolean>} false if there was none */
  async undo() {
    if (this.actions.length) await this.draft(this.given, this.actions.slice(0, -1));
    else if (this.given.length) await this.draft(this.given.slice(0, -1), []);
    else return false;
    return true;
  }

  /**
   * Requests the position after the chosen actions, and shows it. Plays the turn if it is complete.
   * @param {string[]} given replies that are chosen already for the players before this one, if players act at once
   * @param {number[]} actions actions that are chosen for the present player
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

  /** Plays the turn that waits for confirmation. */
  commit() {
    const { ready } = this;
    this.ready = "";
    if (ready) this.hears.played(ready);
  }
}
