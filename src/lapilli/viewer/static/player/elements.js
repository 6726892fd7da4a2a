// @ts-check
/** Creates HTML elements. Text is never interpreted as markup. */

import { chip } from "../board/drawing/drawing.js";

/**
 * Returns an element with properties, attributes, listeners (as in "onclick") and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [properties]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name in made) Reflect.set(made, name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * Returns an element with a text from outside, such as a player's name. The text may run from right to left.
 * @param {string} text
 */
export function foreign(text) {
  return element("bdi", { textContent: text });
}

/**
 * Returns an invisible element with a text for screen readers.
 * @param {string} text
 */
export function unseen(text) {
  return element("span", { className: "unseen", textContent: text });
}

/**
 * Returns a player's symbol, with the name for screen readers and as a tooltip.
 * @param {number} player
 * @param {string} name
 */
export function signOf(player, name) {
  return element("span", { className: `sign-of p${player}`, title: name }, chip(player), unseen(name));
}

/**
 * Converts a text for a search that ignores case, line breaks and repeated spaces.
 * @param {string} text
 */
export function searchable(text) {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
