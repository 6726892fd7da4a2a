// @ts-check
// Boards as diagrams: each shows one position. A diagram with turns plays them when its button is clicked.

import "../../../../viewer/static/board/board.js";
import { Pictures } from "../../../../viewer/static/board/pictures.js";
import { Showing } from "../table/pictures/showing.js";
import { ask } from "../study/study.js";

/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */

/** Loads the position of a diagram and shows it on its board. @param {Board} board */
async function show(board) {
  const place = JSON.parse(board.dataset.place ?? "{}");
  const told = await ask("/analyse/at", { ...place, whole: true }).catch(() => undefined);
  if (!told) return; // the position could not be loaded: the board stays empty
  board.look = told.look;
  const last = told.frames.length - 1;
  board.show(new Pictures(told.frames).seek(place.moves?.length ? 0 : last));
  board.dataset.lives = "";
  const button = board.parentElement?.querySelector("button");
  const showing = new Showing(board, () => button && (button.disabled = false));
  button?.addEventListener("click", () => {
    button.disabled = true;
    showing.start(told.frames.slice(0, 1));
    showing.add(told.frames.slice(1));
  });
}

const near = new IntersectionObserver((seen) => {
  for (const one of seen.filter((each) => each.isIntersecting)) {
    near.unobserve(one.target);
    void show(/** @type {Board} */ (one.target));
  }
});

/** Loads each board in a part of a page when it is scrolled into view. @param {ParentNode} part */
export function observe(part) {
  for (const board of part.querySelectorAll("lapilli-board[data-place]")) near.observe(board);
}

observe(document);
