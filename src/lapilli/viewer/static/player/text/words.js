// @ts-check
/** Describes a position in words, for people who cannot see the board or point at it. */

import { signOf, element, foreign } from "../elements.js";

/** @typedef {import("../film/reel.js").Film} Film */
/** @typedef {import("../../board/pictures.js").Picture} Picture */
/** @typedef {import("../../board/pictures.js").Drawn} Drawn */

/** The layers of the board, and the heading for each. @type {[place: string, name: string][]} */
const LAYERS = [
  ["pieces", "On the board"],
  ["marks", "Marked"],
  ["overlay", "Over the board"],
  ["ground", "The board itself"],
];

/** Returns a list of texts. @param {string[]} texts */
const list = (texts) => element("ul", {}, ...texts.map((text) => element("li", {}, foreign(text))));

/** Returns the titles or texts of shapes, without very short ones. @param {Drawn[]} shapes */
const textsOf = (shapes) => shapes.map(([, , , , text, title]) => title || text).filter((text) => text.length > 2);

/**
 * Returns elements that describe a picture: first the players with their scores, facts and pieces, then the shapes in
 * each part of the board.
 * @param {Film} film
 * @param {Picture} picture
 * @returns {HTMLElement[]}
 */
export function wordsOf(film, picture) {
  const shapes = picture.order.map((key) => /** @type {Drawn} */ (picture.shapes.get(key)));
  /** Returns the texts of the shapes in a layer, realm or strip. @param {string} place */
  const at = (place) => textsOf(shapes.filter((shape) => shape[6] === place));
  /** Returns a line about the pieces on a strip; none for an empty strip. @param {string} name */
  const strip = (name) => {
    const held = at(name);
    return held.length ? [`${picture.supplies[name]?.[2] ?? name}: ${held.join("; ")}`] : [];
  };
  /** @type {HTMLElement[]} */
  const found = [];
  picture.panels.plates.forEach(([score, unit, facts, supplies], player) => {
    const { side, name } = film.players[player];
    const said = [
      ...(score === null ? [] : [`${score} ${unit}`]),
      ...facts.map(([text, title]) => (title ? `${text}: ${title}` : text)),
      ...supplies.flatMap(strip),
    ];
    found.push(
      element(
        "section",
        {},
        element("h3", {}, signOf(player, ""), side, " ", ...(name === side ? [] : [foreign(name)])),
        list(said),
      ),
    );
  });
  const common = picture.panels.supplies.flatMap(strip);
  if (common.length)
    found.push(element("section", {}, element("h3", { textContent: "Beside the board" }), list(common)));
  const realms = Object.entries(picture.realms).map(
    ([place, [player]]) => /** @type {[string, string]} */ ([place, `Realm of ${film.players[player].side}`]),
  );
  for (const [place, name] of [...realms, ...LAYERS]) {
    const texts = at(place);
    if (texts.length) found.push(element("section", {}, element("h3", { textContent: name }), list(texts)));
  }
  return found;
}
