// @ts-check
// The options of a field in which people choose a version of a bot.

import { element } from "../../../../viewer/static/player/elements.js";

/** A version of a bot. `when`: its age in words. @typedef {{number: number, when: string}} Version */

/** One option for each version. @param {Version[]} versions the newest first */
export function optionsOf(versions) {
  return versions.map(({ number, when }) =>
    element("option", { value: String(number) }, `Version ${number} · ${when}`),
  );
}
