// @ts-check
/** Makes elements. A text is always text, never markup. */

import { chip } from "../board/drawing.js";

/**
 * An element with properties, attributes, listeners ("onclick") and children.
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
 * A text that somebody else wrote, in whatever direction it runs.
 * @param {string} text
 */
export function foreign(text) {
  return element("bdi", { textContent: text });
}

/**
 * What only screen readers say.
 * @param {string} text
 */
export function unseen(text) {
  return element("span", { className: "unseen", textContent: text });
}

/**
 * A player's sign and, for who does not see it, its name.
 * @param {number} player
 * @param {string} name
 */
export function signOf(player, name) {
  return element("span", { className: `sign-of p${player}`, title: name }, chip(player), unseen(name));
}

/**
 * A text as it is searched: whatever its case and its line ends.
 * @param {string} text
 */
export function searchable(text) {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}
