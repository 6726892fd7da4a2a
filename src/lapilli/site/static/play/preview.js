// @ts-check
// A chosen action, drawn before the site has answered. The site's picture takes its place, or the picture as it was.

import { Ghost } from "../../../viewer/static/board/ghost.js";
import { GLIDE_MS } from "../../../viewer/static/board/layers.js";

/** @typedef {import("../../../viewer/static/board/choosing.js").Choice} Choice */
/** @typedef {import("../../../viewer/static/board/board.js").LapilliBoard} Board */

/**
 * Marks the places of an action, and moves a copy of the piece that it moves.
 * @param {Board} board
 * @param {Choice | undefined} choice
 */
export function preview(board, choice) {
  const way = (choice?.[1] ?? []).filter((step) => !step.startsWith("="));
  board.dots = way.map((key) => /** @type {[string, string]} */ ([key, "last"]));
  const [from, to] = [choice?.[3] ?? way[0], way.at(-1)];
  if (from === undefined || to === undefined || from === to) return;
  if (board.sight.globe || board.drag.put) return; // a piece that was dragged lies there already
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
