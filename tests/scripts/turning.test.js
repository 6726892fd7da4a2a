// Wide boards that are turned by 90 degrees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { turned } from "../../src/lapilli/viewer/static/board/layout/turning.js";
import { Picture } from "../../src/lapilli/viewer/static/board/pictures.js";

/** A board of 30 by 10 with a place at the left edge, a rectangle of 6 by 2 and a triangle. */
function board() {
  const made = new Picture();
  made.size = [30, 10];
  made.anchors = { left: [0, 5] };
  const shape = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {Record<string, string>} */ at) =>
    /** @type {[string, import("../../src/lapilli/viewer/static/board/pictures.js").Drawn]} */ (
      /** @type {unknown} */ ([name, [name, kind, at, "", "", "", "ground"]])
    );
  made.shapes = new Map([
    shape("bar", "rect", { x: "1", y: "7", width: "6", height: "2", turn: "10" }),
    shape("field", "polygon", { points: "0,0 30,0 30,10" }),
  ]);
  return made;
}

test("what is on the left comes to the side of the first player, whose panel is below unless it is flipped", () => {
  assert.deepEqual(turned(board(), false).anchors.left, [5, 30]);
  assert.deepEqual(turned(board(), true).anchors.left, [5, 0]);
  assert.deepEqual(turned(board(), false).size, [10, 30]);
});

test("rectangles and polygons keep their sizes, and stay on the board", () => {
  const [left, right] = [false, true].map((isFlipped) => turned(board(), isFlipped).shapes);
  assert.deepEqual(left.get("bar")?.[2], { x: "7", y: "23", width: "2", height: "6", turn: "-80" });
  assert.deepEqual(right.get("bar")?.[2], { x: "1", y: "1", width: "2", height: "6", turn: "100" });
  assert.equal(left.get("field")?.[2].points, "0,30 0,0 10,0");
  assert.equal(right.get("field")?.[2].points, "10,0 10,30 0,30");
});

test("an unchanged shape of a turned board stays the same object", () => {
  const one = board();
  const other = Object.assign(new Picture(), one, { shapes: new Map(one.shapes) });
  assert.equal(turned(one, false).shapes.get("bar"), turned(other, false).shapes.get("bar"));
  assert.notEqual(turned(one, false).shapes.get("bar"), turned(one, true).shapes.get("bar"));
});
