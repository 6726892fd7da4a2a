// @ts-check
// The list of all turns in the tree of the analysis board: a button for each turn, with its mark and comment.

import { signOfMark } from "../../../../../viewer/static/analysis/marks.js";
import { element, foreign, unseen } from "../../../../../viewer/static/player/elements.js";
import { $ } from "../../dom.js";
import { inBrief, isShort, spelled } from "../study.js";
import { rows } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */
/**
 * What the list shows of a turn beside its words. `go` is called with a turn that was clicked.
 * @typedef {object} About
 * @property {{name: string, side: string}[]} players
 * @property {(node: Node) => string} markOf "" for a turn without a mark
 * @property {(node: Node) => string} commentOf
 * @property {(node: Node) => void} go
 */

/**
 * Fills in the list of turns, and scrolls it to the present turn.
 * @param {Node} root
 * @param {Node} at the present turn
 * @param {About} about
 */
export function listTurns(root, at, about) {
  const made = rows(root).map(({ node, level }) => rowOf(node, level, node === at, about));
  $("tree").replaceChildren(...made);
  $("no-turns").hidden = made.length > 0;
  reveal($("tree").querySelector("[aria-current]"));
}

/** Scrolls the list of turns to a turn, without scrolling the page. @param {HTMLElement | null} turn */
function reveal(turn) {
  const list = $("turns");
  const [shown, room] = [turn?.getBoundingClientRect(), list.getBoundingClientRect()];
  if (shown) list.scrollTop += Math.min(0, shown.top - room.top) + Math.max(0, shown.bottom - room.bottom);
}

/**
 * The row of a turn in the list.
 * @param {Node} node
 * @param {number} level depth of the variation that contains the turn; 0 for the main line
 * @param {boolean} isHere whether it is the present turn
 * @param {About} about
 */
function rowOf(node, level, isHere, { players, markOf, commentOf, go }) {
  const words = node.words.length ? node.words : /** @type {import("../study.js").Words} */ ([[-1, node.move]]);
  const mark = markOf(node);
  const comment = commentOf(node);
  const button = element(
    "button",
    { type: "button", onclick: () => go(node) },
    element("small", {}, String(node.depth), ...(mark ? [" ", signOfMark(mark), unseen(mark)] : [])),
    element("span", {}, ...inBrief(words, players)),
    ...(isHere && isShort(words) ? [element("small", { className: "sentences" }, ...spelled(words, players))] : []),
    ...(comment ? [element("q", {}, foreign(comment))] : []),
  );
  if (isHere) button.setAttribute("aria-current", "true");
  const item = element("li", {}, button);
  item.style.setProperty("--level", String(Math.min(level, 6)));
  return item;
}
