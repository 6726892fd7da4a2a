// The tree of variations on the analysis board.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Node, packed, rows, unpacked } from "../../src/lapilli/site/frontend/static/study/analysis/tree.js";

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

test("a tree that is packed and unpacked is the same", () => {
  const root = new Node(null);
  root.after("a").after("b").after("c");
  root.after("a").after("d");
  root.after("e");
  const { nodes, numbers } = packed(root, (node) => (node.move === "d" ? "better" : ""));
  assert.deepEqual(nodes, [
    [-1, "", ""],
    [0, "a", ""],
    [1, "b", ""],
    [2, "c", ""],
    [1, "d", "better"],
    [0, "e", ""],
  ]);
  assert.equal(numbers.get(root.after("e")), 5);
  const made = unpacked(nodes);
  assert.deepEqual(packed(made[0], () => "").nodes, packed(root, () => "").nodes);
  assert.equal(made[4].move, "d");
});
