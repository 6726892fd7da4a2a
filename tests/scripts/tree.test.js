// The tree of variations on the analysis board.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Node, rows } from "../../src/lapilli/site/static/study/tree.js";

test("another turn from the same position becomes a variation, and can be promoted", () => {
  const root = new Node(null);
  const main = root.after("a").after("b");
  const variation = root.after("a").after("c");
  assert.deepEqual(
    rows(root).map(({ node, level }) => [node.move, level]),
    [
      ["a", 0],
      ["b", 0],
      ["c", 1],
    ],
  );
  variation.promote();
  assert.deepEqual(root.after("a").line(), ["a", "c"]);
  assert.equal(main.beside(-1), variation);
  main.remove();
  assert.equal(root.after("a").children.length, 1);
});
