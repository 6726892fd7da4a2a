// @ts-check
// Finds the next element in the direction of an arrow key.

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/** The direction of each arrow key. @type {Record<string, [right: number, down: number]>} */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Returns the centre of a box. @param {Box} box @returns {[x: number, y: number]} */
function middle({ left, top, right, bottom }) {
  return [(left + right) / 2, (top + bottom) / 2];
}

/**
 * Returns the key of the nearest box in a direction. A distance across the direction counts double.
 * @param {Map<string, Box>} boxes boxes by key, in pixels of the window
 * @param {[key: string, box: Box] | undefined} start the box to start from; undefined to return the top left box
 * @param {[right: number, down: number]} direction
 * @returns {string | undefined} the key of the start, if it is in `boxes`, or undefined if there is no box that way
 */
export function nearest(boxes, start, [right, down]) {
  if (!start)
    return [...boxes].sort(([, one], [, other]) => one.top + 0.1 * one.left - other.top - 0.1 * other.left)[0]?.[0];
  const [from, [x, y]] = [start[0], middle(start[1])];
  let [found, least] = [boxes.has(from) ? from : undefined, Infinity];
  for (const [key, box] of boxes) {
    const [dx, dy] = [middle(box)[0] - x, middle(box)[1] - y];
    const [ahead, aside] = [dx * right + dy * down, Math.abs(dx * down) + Math.abs(dy * right)];
    if (key === from || ahead <= 0.5 || aside > 3 * ahead) continue;
    const far = ahead + 2 * aside;
    if (far < least) [found, least] = [key, far];
  }
  return found;
}
