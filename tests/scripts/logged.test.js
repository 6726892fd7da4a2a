// The lines that a bot wrote to its standard error, each with its turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "../../src/lapilli/site/frontend/static/ide/trials/logged.js";
import { timeTaken } from "../../src/lapilli/site/frontend/static/ide/trials/told.js";

test("each line of the bot's own standard error names its turn", () => {
  const turns = [
    { turn: 0, entries: [] },
    {
      turn: 1,
      entries: [
        { player: 0, stderr: "one\n\ntwo\n" },
        { player: 1, stderr: "the opponent's" },
      ],
    },
    { turn: 2, entries: [{ player: 0 }] },
    { turn: 3, entries: [{ player: 0, stderr: "three" }] },
  ];
  assert.deepEqual(linesOf(/** @type {any} */ (turns), 0), [
    { index: 1, turn: 1, text: "one" },
    { index: 1, turn: 1, text: "" },
    { index: 1, turn: 1, text: "two" },
    { index: 3, turn: 3, text: "three" },
  ]);
});

test("a time stands beside the limit that counted", () => {
  assert.equal(timeTaken({ player: 0, action: "x", ms: 12.34 }, 100), "12.3 of 100 ms");
  assert.equal(timeTaken({ player: 0, action: null, ms: 3844.9, usage: "5.0 ms of processor time" }, 1000), "3,844.9 of 1,000 ms (5.0 ms of processor time)");
  assert.equal(timeTaken({ player: 0, action: null }, 1000), "");
});
