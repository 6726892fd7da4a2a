// The requests of a bot's page.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Following, Refused } from "../../src/lapilli/site/frontend/static/ide/asking.js";

/**
 * Follows a trial. Every wait ends at once.
 * @param {import("node:test").TestContext} context
 * @param {Response[]} answers the site's answers to the requests, in their order
 */
function follow(context, answers) {
  context.mock.method(globalThis, "setTimeout", (/** @type {() => void} */ then) => queueMicrotask(then));
  context.mock.method(globalThis, "fetch", async () => answers.shift());
  const following = new Following("/bots/1");
  const show = mock.fn();
  return { following, show, ended: following.follow("a", show) };
}

test("a site that restarts is waited for", async (context) => {
  const answers = [new Response("Bad Gateway", { status: 502 }), new Response("", { status: 429 })];
  const { show, ended } = follow(context, [...answers, Response.json({ id: "a", state: "done", told: {} })]);
  await ended;
  assert.equal(show.mock.callCount(), 1);
});

test("a trial that is gone is no longer followed", async (context) => {
  const { following, ended } = follow(context, [Response.json({ problem: "no such trial" }, { status: 404 })]);
  await assert.rejects(ended, Refused);
  assert.equal(following.id, "");
});
