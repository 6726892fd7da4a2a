// @ts-check
// The games on the first page, each a board on which a match is played.

import "../../viewer/static/board/board.js";
import { Pictures } from "../../viewer/static/board/pictures.js";

/** @typedef {import("../../viewer/static/board/board.js").LapilliBoard} Board */

const PACE_MS = 900;
const GLIDE_MS = 260;
const LAST_MS = 4000;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {Board} board @param {string} asked */
async function fetched(board, asked) {
  const answer = await fetch(`/films/${board.dataset.game}${asked}`);
  return answer.ok ? answer.json() : null;
}

/** The position at the beginning: it is there at once. @param {Board} board */
async function begin(board) {
  const film = await fetched(board, "?start=true");
  if (!film) return;
  board.look = film;
  board.show(new Pictures(film.frames).seek(0));
}

/** @param {Board} board */
async function live(board) {
  const film = await fetched(board, "");
  if (!film) return;
  const pictures = new Pictures(film.frames);
  board.look = film;
  let at = calm.matches ? Math.floor(pictures.length / 3) : 0;
  board.show(pictures.seek(at));
  board.dataset.lives = "";
  if (calm.matches || pictures.length < 2) return;
  const next = () => {
    const visible = !document.hidden;
    if (visible) {
      at = (at + 1) % pictures.length;
      board.show(pictures.seek(at), { glide: at ? GLIDE_MS : 0 });
    }
    const weight = Math.min(1.5, Math.max(0.4, film.frames[at].weight ?? 1));
    setTimeout(next, at === pictures.length - 1 ? LAST_MS : PACE_MS * weight);
  };
  setTimeout(next, PACE_MS * Math.random());
}

const boards = /** @type {Board[]} */ ([...document.querySelectorAll("lapilli-board")]);
await Promise.all(boards.map(begin));
for (const board of boards) void live(board);
