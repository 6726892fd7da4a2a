// @ts-check
// The arrow keys over things that lie anywhere.

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/** @type {Record<string, [right: number, down: number]>} */
export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @param {Box} box @returns {[x: number, y: number]} */
function middle({ left, top, right, bottom }) {
  return [(left + right) / 2, (top + bottom) / 2];
}

/**
 * The nearest in a direction; what lies off to the side counts as further away.
 * @param {Map<string, Box>} boxes on the screen
 * @param {[key: string, box: Box] | undefined} start; undefined to begin with the upmost, leftmost one
 * @param {[right: number, down: number]} direction
 * @returns {string | undefined}
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
