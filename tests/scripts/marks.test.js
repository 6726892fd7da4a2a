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
