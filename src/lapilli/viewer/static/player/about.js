// @ts-check
/** About a game: how to read its pictures, and its rules. */

import { drawnParts, svg } from "../board/drawing.js";
import { element } from "./elements.js";
import { prose } from "./prose.js";

/** @typedef {import("./reel.js").Film} Film */

const SIDE = 40;

/**
 * Lines of a legend, each with its picture.
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
  // The game's own patterns; nothing that a bot wrote. Samples refer to them by their ids.
  const patterns = svg("svg", { class: "patterns", width: 0, height: 0, "aria-hidden": "true" });
  patterns.innerHTML = `<defs>${defs}</defs>`;
  return [patterns, element("ul", { className: "legend" }, ...items)];
}

/**
 * The rules, which are laid out once they are wanted.
 * @param {Film} film
 */
export function rulesOf({ rules }) {
  const text = element("div", { className: "prose" });
  const box = element("details", { id: "rules" }, element("summary", { textContent: "The rules" }), text);
  box.addEventListener("toggle", () => text.childElementCount || text.append(...prose(rules)));
  return box;
}
