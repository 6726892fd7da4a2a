// @ts-check
// Boards that play a film again and again while they are visible. A film is loaded when its board is first visible.

import "../../../viewer/static/board/board.js";
import { Pictures } from "../../../viewer/static/board/pictures.js";
import { ask } from "../study/study.js";

/** @typedef {import("../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../../viewer/static/board/board.js").Look} Look */
/** @typedef {import("../../../viewer/static/board/pictures.js").Frame & {weight?: number}} Frame */
/** Pictures of successive positions, and what they have in common. @typedef {Look & {frames: Frame[]}} Film */

const PACE_MS = 900;
const GLIDE_MS = 260;
const LAST_MS = 4000;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

class Loop {
  /**
   * @param {Board} board
   * @param {Film} film
   */
  constructor(board, film) {
    this.board = board;
    this.frames = film.frames;
    this.pictures = new Pictures(film.frames);
    this.at = 0;
    this.timer = 0;
    board.look = film;
    board.show(this.pictures.seek(this.at));
    board.dataset.lives = "";
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

/** Makes the boards of a page play their films while they are visible. */
export function playAll() {
  const watch = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const board = /** @type {Board} */ (target);
      if (!loops.has(board) && !isIntersecting) continue;
      const made = loops.get(board) ?? loopOf(board);
      loops.set(board, made);
      void made.then((loop) => loop?.run(isIntersecting));
    }
  });
  for (const board of document.querySelectorAll("lapilli-board")) watch.observe(board);
}

/** Loads a board's film. @param {Board} board @returns {Promise<Loop | null>} null if the film cannot be loaded */
async function loopOf(board) {
  const film = await filmOf(board).catch(() => null);
  return film && new Loop(board, film);
}

/**
 * The film of a board: the last turn before the position in the attribute data-place or, without this attribute, some
 * turns of a match of the game in the attribute data-game. While the game is being compiled, a line below the board shows the progress. The site delays its
 * responses meanwhile, so this loop needs no pause.
 * @param {Board} board
 * @returns {Promise<Film | null>}
 */
async function filmOf(board) {
  const { game, place } = board.dataset;
  if (place) {
    const { look, frames } = await ask("/analyse/at", { ...JSON.parse(place), whole: true });
    return { ...look, frames };
  }
  const words = document.createElement("p");
  words.className = "preparing";
  for (;;) {
    const answer = await fetch(`/films/${game}`);
    const told = answer.ok ? await answer.json() : null;
    if (answer.status !== 202) {
      words.remove();
      return told;
    }
    words.textContent = `Preparing, the first time only: ${told.share} %`;
    if (!words.isConnected) board.after(words);
  }
}
