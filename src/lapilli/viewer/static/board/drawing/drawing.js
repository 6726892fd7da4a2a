// @ts-check
// Creates elements from data. Text is never interpreted as markup.

/** @typedef {import("../pictures.js").Part} Part */
/** @typedef {import("../pictures.js").Drawn} Drawn */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Returns an HTML element with attributes and children. Attributes with the value false are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children);
  return made;
}

/**
 * Returns an SVG element with attributes and children.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * Returns the elements of a piece or of a legend's sample. They are never changed later.
 * @param {Part[]} parts
 * @returns {SVGElement[]}
 */
export function drawnParts(parts) {
  return parts.map(([tag, attributes, classes, text, , inner]) => {
    const own = tag === "g" ? { transform: placing(posed(attributes)) } : attributes;
    const made = svg(/** @type {"g"} */ (tag), own, ...(text ? [text] : []), ...drawnParts(inner ?? []));
    if (classes) made.setAttribute("class", classes);
    return made;
  });
}

/**
 * @typedef {{x: number, y: number, scale: number, turn: number}} Pose place and angle of a piece, in scene units and
 *   degrees
 */

/**
 * Returns the pose of a piece.
 * @param {Drawn} shape a piece
 * @returns {Pose}
 */
export function poseOf(shape) {
  return posed(shape[2]);
}

/** @param {Record<string, string>} attributes @returns {Pose} */
function posed({ x, y, scale, turn }) {
  return { x: Number(x), y: Number(y), scale: Number(scale ?? 1), turn: Number(turn ?? 0) };
}

/** Formats a pose as the value of the SVG attribute `transform`. @param {Pose} pose */
function placing({ x, y, scale, turn }) {
  return `translate(${x} ${y})${turn ? ` rotate(${turn})` : ""}${scale === 1 ? "" : ` scale(${scale})`}`;
}

/**
 * Formats a pose as the value of the CSS property `transform`. The list of functions is always the same, so that
 * browsers can animate from one pose to another.
 * @param {Pose} pose
 */
export function transformOf({ x, y, scale, turn }) {
  return `translate(${x}px, ${y}px) rotate(${turn}deg) scale(${scale})`;
}

/** Returns a new element for a shape with a key. @param {Drawn} shape */
export function drawnShape(shape) {
  const made = svg(/** @type {"g"} */ (shape[1]));
  made.dataset.key = shape[0];
  redraw(made, undefined, shape);
  return made;
}

/**
 * Changes an element to show a new version of its shape. Both versions must have the same key and tag.
 * @param {SVGElement} node
 * @param {Drawn | undefined} old undefined for a new element
 * @param {Drawn} shape
 */
export function redraw(node, old, shape) {
  const [, tag, attributes, classes, text, , , parts] = shape;
  node.setAttribute("class", classes);
  if (tag === "g") {
    node.setAttribute("transform", placing(poseOf(shape)));
    if (JSON.stringify(parts) !== JSON.stringify(old?.[7])) node.replaceChildren(...drawnParts(parts ?? []));
    return;
  }
  for (const [name, value] of Object.entries(attributes)) if (old?.[2][name] !== value) node.setAttribute(name, value);
  for (const name of Object.keys(old?.[2] ?? {})) if (!(name in attributes)) node.removeAttribute(name);
  if (text !== (old?.[4] ?? "")) node.textContent = text;
}

/**
 * Returns the bounding box of an element, in the coordinates of its parent. For a piece that is moving, returns the box
 * at the end of the movement.
 * @param {SVGGraphicsElement} node
 * @param {Drawn} shape
 * @returns {{left: number, top: number, right: number, bottom: number}}
 */
export function boxOf(node, shape) {
  const { x, y, width, height } = node.getBBox();
  if (shape[1] !== "g") return { left: x, top: y, right: x + width, bottom: y + height };
  const pose = poseOf(shape);
  const [cos, sin] = [
    Math.cos((pose.turn * Math.PI) / 180) * pose.scale,
    Math.sin((pose.turn * Math.PI) / 180) * pose.scale,
  ];
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([a, b]) => [pose.x + a * cos - b * sin, pose.y + a * sin + b * cos]);
  const [xs, ys] = [corners.map(([a]) => a), corners.map(([, b]) => b)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

const CHIPS = [
  "M8 1.5a6.5 6.5 0 1 0 .001 0z",
  "M8 .5L15.5 8L8 15.5L.5 8z",
  "M2 2h12v12h-12z",
  "M4.2 1.5h7.6L15.5 8l-3.7 6.5h-7.6L.5 8z",
];

/**
 * Returns a player's symbol (circle, diamond, square or hexagon). The class `of-N` sets its colour.
 * @param {number} player
 */
export function chip(player) {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", class: `chip of-${player}`, "aria-hidden": "true" },
    svg("path", { d: CHIPS[player % CHIPS.length] }),
  );
}
