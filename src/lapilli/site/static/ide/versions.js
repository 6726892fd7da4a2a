// @ts-check
// The versions of a bot, to choose one from.

import { element } from "../../../viewer/static/player/elements.js";

/** @typedef {{number: number, when: string}} Version */

/** @param {Version[]} versions the last first */
export function optionsOf(versions) {
  return versions.map(({ number, when }) =>
    element("option", { value: String(number) }, `Version ${number} · ${when}`),
  );
}
