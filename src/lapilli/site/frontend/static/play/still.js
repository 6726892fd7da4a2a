// @ts-check
// Boards as diagrams: each shows one position. A diagram with turns plays them once it is in view, and again when its
// button is clicked. Without animations, it shows how the turns end.

import { calm } from "../../../../viewer/static/board/board.js";
import { Pictures } from "../../../../viewer/static/board/pictures.js";
import { Showing } from "../table/pictures/showing.js";
import { ask } from "../study/study.js";

/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */

/** A diagram plays its turns by itself once nearly all of it is in the window. */
const WHOLE = { threshold: 0.9 };

/** Loads the position of a diagram and shows it on its board. @param {Board} board */
async function show(board) {
  const place = JSON.parse(board.dataset.place ?? "{}");
  const told = await ask("/analyse/at", { ...place, whole: true }).catch(() => undefined);
  if (!told) return; // the position could not be loaded: the board stays empty
  board.look = told.look;
  const last = told.frames.length - 1;
  const button = board.parentElement?.querySelector("button");
  board.show(new Pictures(told.frames).seek(place.moves?.length && !(button && calm.matches) ? 0 : last));
  board.dataset.lives = "";
  if (!button) return;
  const showing = new Showing(board, () => (button.disabled = false));
  const play = () => {
    button.disabled = true;
    showing.start(told.frames.slice(0, 1));
    showing.add(told.frames.slice(1));
  };
  button.addEventListener("click", play);
  if (calm.matches) return;
  const inView = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    inView.disconnect();
    if (!button.disabled) play();
  }, WHOLE);
  inView.observe(board);
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
