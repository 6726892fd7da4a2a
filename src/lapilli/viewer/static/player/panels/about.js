// @ts-check
/** The tab about the game: the legend of its pictures, and its rules. */

import { drawnParts, svg } from "../../board/drawing/drawing.js";
import { element } from "../elements.js";
import { prose } from "../text/prose.js";

/** @typedef {import("../film/reel.js").Film} Film */

const SIDE = 40;

/**
 * Returns the elements of the legend: a list in which each line has a sample picture.
 * @param {Film} film
 */
export function legendOf({ legend, defs }) {
  const items = legend.map(([text, parts]) => {
    const sample = svg(
      "svg",
      { viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true", class: "sample" },
      ...drawnParts(parts),
    );
    return element("li", {}, ...(parts.length ? [sample] : [element("span")]), element("span", { textContent: text }));
  });
  // The game's own SVG patterns, to which the samples refer by id. They contain no text from bots, so markup is safe.
  const patterns = svg("svg", { class: "patterns", width: 0, height: 0, "aria-hidden": "true" });
  patterns.innerHTML = `<defs>${defs}</defs>`;
  return [patterns, element("ul", { className: "legend" }, ...items)];
}

/**
 * Returns an element with the game's rules. Its contents are created when it is opened.
 * @param {Film} film
 */
export function rulesOf({ rules }) {
  const text = element("div", { className: "prose" });
  const box = element("details", { id: "rules" }, element("summary", { textContent: "The rules" }), text);
  box.addEventListener("toggle", () => text.childElementCount || text.append(...prose(rules)));
  return box;
}
