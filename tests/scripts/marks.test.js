// What is drawn on a board for several turns at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, together } from "../../src/lapilli/viewer/static/analysis/marks.js";

test("a turn of one click is a dot, one of several clicks arrows from key to key", () => {
  assert.deepEqual(drawn([["a"], ["b", "c", "d"]], "best"), {
    dots: [["a", "best"]],
    arrows: [
      ["b", "c", "best"],
      ["c", "d", "best"],
    ],
  });
});

test("the steps of a turn are numbered at their last arrow, and equal ones share it", () => {
  const ways = [["a"], ["b", "c", "d"], ["x"], ["c", "d"], ["a"]];
  assert.deepEqual(drawn(ways, "best", true), {
    dots: [
      ["a", "best", "1, 5"],
      ["x", "best", "3"],
      ["a", "best"],
    ],
    arrows: [
      ["b", "c", "best"],
      ["c", "d", "best", "2, 4"],
      ["c", "d", "best"],
    ],
  });
  assert.deepEqual(drawn([["b", "c"]], "best", true).arrows, [["b", "c", "best"]], "one step needs no number");
});

test("where two turns point at the same place, the more important one is seen, on top", () => {
  const best = drawn([["a"], ["b", "c"]], "best");
  const other = drawn([["a"], ["x"], ["b", "c"], ["b", "d"]], "other");
  assert.deepEqual(together([best, other]), {
    dots: [
      ["x", "other"],
      ["a", "best"],
    ],
    arrows: [
      ["b", "d", "other"],
      ["b", "c", "best"],
    ],
  });
});

test("a piece that is laid on two places is drawn there, and its turn has no numbers", () => {
  assert.deepEqual(drawn([["a", "b", "+tile"], ["c"]], "best", true), {
    dots: [["c", "best"]],
    arrows: [["a", "b", "best", "", "tile"]],
  });
});
