// The keys of a replay, and the part after # in the URL of its page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { buttonOf } from "../../src/lapilli/viewer/static/player/controls.js";
import { Address } from "../../src/lapilli/viewer/static/player/film/address.js";

test("a key presses a button, with shift or without", () => {
  assert.equal(buttonOf("n"), "happeningforward");
  assert.equal(buttonOf("N"), "happeningforward");
  assert.equal(buttonOf("ArrowLeft"), "back");
  assert.equal(buttonOf(" "), "play");
  assert.equal(buttonOf("q"), "");
  assert.equal(buttonOf("arrowleft"), "");
});

test("the URL changes at once, and then not again too soon: with the last picture", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  /** @type {string[]} */
  const set = [];
  Object.assign(globalThis, {
    window: globalThis,
    history: { replaceState: (/** @type {unknown} */ _state, /** @type {string} */ _title, /** @type {string} */ url) => set.push(url) },
  });
  const address = new Address();
  let at = 1;
  const hash = () => `#turn=${at}`;
  address.set(hash);
  assert.deepEqual(set, ["#turn=1"]);
  for (at = 2; at < 5; at++) address.set(hash);
  now += 149;
  context.mock.timers.tick(149);
  assert.deepEqual(set, ["#turn=1"]);
  now += 1;
  context.mock.timers.tick(1);
  assert.deepEqual(set, ["#turn=1", "#turn=5"]);
});
