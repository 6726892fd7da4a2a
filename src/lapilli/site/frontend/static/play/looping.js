// @ts-check
// Boards that play a film again and again while they are visible. A film is loaded when its board is first visible.

import { calm } from "../../../../viewer/static/board/board.js";
import { Pictures } from "../../../../viewer/static/board/pictures.js";
import { ask } from "../study/study.js";

/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../../../viewer/static/board/board.js").Look} Look */
/** @typedef {import("../../../../viewer/static/board/pictures.js").Frame & {weight?: number}} Frame */
/** Pictures of successive positions, and what they have in common. @typedef {Look & {frames: Frame[]}} Film */

const PACE_MS = 900;
const GLIDE_MS = 260;
const LAST_MS = 4000;
/** Time between two requests while a game is being compiled, in milliseconds. */
const AGAIN_MS = 1000;
/** A board counts as visible while this part of it is in the window. */
const SEEN = 0.25;
/** Header of a response with a film: how much of the game is compiled, in percent. */
const SHARE = "Lapilli-Compiled";

class Loop {
  /**
   * @param {Board} board
   * @param {Film} film
   */
  constructor(board, film) {
    this.board = board;
    this.frames = film.frames;
    this.pictures = new Pictures(film.frames);
    // Without animations, a board with a turn to show shows how the turn ends.
    this.at = calm.matches && board.dataset.place ? film.frames.length - 1 : 0;
    this.timer = 0;
    board.look = film;
    board.show(this.pictures.seek(this.at));
    board.dataset.lives = "";
  }

  /** Replaces the film. @param {Film} film */
  load(film) {
    this.frames = film.frames;
    this.pictures = new Pictures(film.frames);
    this.at = 0;
    this.board.look = film;
    this.board.show(this.pictures.seek(this.at));
  }

  /** Plays the film, or pauses it. @param {boolean} seen whether the board is visible */
  run(seen) {
    clearTimeout(this.timer);
    if (seen && !calm.matches && this.pictures.length > 1) this.wait();
  }

  wait() {
    const weight = Math.min(1.5, Math.max(0.4, this.frames[this.at].weight ?? 1));
    const pause = this.at === this.pictures.length - 1 ? LAST_MS : PACE_MS * weight;
    this.timer = window.setTimeout(() => this.step(), pause);
  }

  step() {
    if (!document.hidden) {
      this.at = (this.at + 1) % this.pictures.length;
      this.board.show(this.pictures.seek(this.at), { glide: this.at ? GLIDE_MS : 0 });
    }
    this.wait();
  }
}

/** @type {Map<Board, Promise<Loop | null>>} */
const loops = new Map();

/** Time between the first board of a page and the others, in milliseconds: the first one is not to wait for them. */
const AFTER_FIRST_MS = 500;
/** Time after which the others do not wait for the first board any longer, in milliseconds. */
const NO_LONGER_MS = 1500;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Makes the boards of a page play their films while they are visible. */
export function playAll() {
  /** Fulfilled when boards after the first may load. @type {Promise<unknown> | undefined} */
  let others;
  const watch = new IntersectionObserver(follow, { threshold: SEEN });
  for (const board of document.querySelectorAll("lapilli-board")) watch.observe(board);

  /** @param {IntersectionObserverEntry[]} changes */
  function follow(changes) {
    for (const { target, isIntersecting } of changes) {
      const board = /** @type {Board} */ (target);
      if (!loops.has(board) && !isIntersecting) continue;
      const made = loops.get(board) ?? others?.then(() => loopOf(board)) ?? loopOf(board);
      others ??= Promise.race([made.then(() => pause(AFTER_FIRST_MS)), pause(NO_LONGER_MS)]);
      loops.set(board, made);
      void made.then((loop) => loop?.run(isIntersecting));
    }
  }
}

/**
 * Loads a board's film: the last turn before the position in the attribute data-place or, without this attribute, some
 * turns of a match of the game in the attribute data-game.
 * @param {Board} board
 * @returns {Promise<Loop | null>} null if the film cannot be loaded
 */
async function loopOf(board) {
  const { game, place } = board.dataset;
  try {
    if (!place) return await new Preparing(board, game ?? "").loop();
    const { look, frames } = await ask("/analyse/at", { ...JSON.parse(place), whole: true });
    return new Loop(board, { ...look, frames });
  } catch {
    return null;
  }
}

/**
 * Requests the film of a board. While the game is being compiled, the board shows a ready film if the game has one, and
 * a line says the progress; then the board shows the film of the site.
 */
class Preparing {
  /**
   * @param {Board} board
   * @param {string} game
   */
  constructor(board, game) {
    this.board = board;
    this.game = game;
    this.words = document.createElement("p");
    this.words.className = "preparing";
    this.tag = "";
    this.isOver = false;
  }

  /** The board's loop, as soon as there is any film. @returns {Promise<Loop>} */
  async loop() {
    let film = null;
    while (!film) film = await this.request(); // without a film, the site delays its responses: no pause is needed
    const loop = new Loop(this.board, film);
    void this.follow(loop).catch(() => this.words.remove());
    return loop;
  }

  /** Shows the progress until the game is compiled, and then the film of the site. @param {Loop} loop */
  async follow(loop) {
    while (!this.isOver) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      const film = await this.request();
      if (film) loop.load(film);
    }
  }

  /** The film if it is not shown yet; otherwise null. Shows the progress. @returns {Promise<Film | null>} */
  async request() {
    const answer = await fetch(`/films/${this.game}`);
    const told = await answer.json();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const isFilm = answer.status !== 202;
    const share = isFilm ? (answer.headers.get(SHARE) ?? "100") : told.share;
    this.isOver = isFilm && share === "100";
    this.words.textContent = `Preparing, the first time only: ${share} %`;
    if (this.isOver) this.words.remove();
    else if (!this.words.isConnected) this.board.after(this.words);
    const tag = answer.headers.get("etag") ?? "";
    if (!isFilm || (tag && tag === this.tag)) return null;
    this.tag = tag;
    return told;
  }
}
