// @ts-check
// Draws a chosen action at once, before the site has answered. The site's picture then replaces this preview; if the
// site refuses the action, the picture before it comes back.

import { Ghost } from "../../../../viewer/static/board/drawing/ghost.js";
import { GLIDE_MS } from "../../../../viewer/static/board/drawing/layers.js";

/** @typedef {import("../../../../viewer/static/board/input/choosing.js").Choice} Choice */
/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */

/**
 * Marks the places of an action, and moves a copy of the piece that the action moves.
 * @param {Board} board
 * @param {Choice | undefined} choice
 */
export function preview(board, choice) {
  const way = (choice?.[1] ?? []).filter((step) => !step.startsWith("="));
  board.dots = way.map((key) => /** @type {[string, string]} */ ([key, "last"]));
  const [from, to] = [choice?.[3] ?? way[0], way.at(-1)];
  if (from === undefined || to === undefined || from === to) return;
  if (board.sight.globe || board.drag.put) return; // a dragged piece is already at its new place
  const piece = board.drag.pieceOf(from);
  const [node, place] = [piece && board.layers.nodeOf(piece), board.sight.rectOf(to)];
  if (!piece || !node || !place) return;
  const ghost = new Ghost(board.parts.sky, node);
  [board.drag.put, board.layers.landed] = [ghost, piece];
  const home = ghost.node.style.transform;
  ghost.follow(place.x + place.width / 2, place.y + place.height / 2);
  const ms = board.calmed(GLIDE_MS);
  if (ms) ghost.node.animate([{ transform: home }, {}], { duration: ms, easing: "ease-out" });
}
