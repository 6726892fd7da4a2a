// @ts-check
// The players' panels (plates) beside a board, and the strips of pieces.

import { chip, html, svg } from "./drawing.js";

/** @typedef {import("../pictures.js").Picture} Picture */
/** @typedef {import("../pictures.js").Plate} PlateData */
/** @typedef {import("../pictures.js").Fact} Fact */
/** @typedef {import("../pictures.js").Supply} Supply */
/** @typedef {{name: string, side: string}} Named */

/** Whether the person has only a touch screen, without a pointer that can hover. */
const tapped = matchMedia("(hover: none)");
/** Time in which a displayed score counts up or down to a new value, in milliseconds. */
const ROLL = 400;
/** A plate above a realm shows less if it is narrower than SHORT, and even less if narrower than SMALL, in pixels. */
const [SHORT, SMALL] = [340, 240];
/**
 * Height of a plate above a realm with one line of facts, of each further line, and of a plate that has all in one line, in
 * pixels.
 */
export const [PLATE, LINE, FLAT] = [48, 18, 40];
/** Height of a plate above a realm that shows only name and score, with the gap below it, in pixels. */
const LOWEST = 32;
/** Distance between two facts in a line, in pixels. */
const BETWEEN = 12;
/**
 * Pixels that a plate has beside its facts: margins and the player's symbol; and if it is narrower than SMALL, margins,
 * and the score or what a page has added, such as a clock. The score has DIGIT pixels for each digit.
 */
const [BESIDE, BESIDE_SMALL, DIGIT] = [46, 18, 10];
/** Pixels that facts of these kinds need in addition to their text: margins, or a dot. @type {Record<string, number>} */
const ADDED = { won: 20, "to-move": 16 };
/** A fact that fills several lines leaves up to this share of each line empty, because lines end with a word. */
const RAGGED = 0.25;
/** Sizes of facts that are tried while a plate cannot grow, as shares of the usual size. */
const FITS = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7];
/** Time for which a change of score is shown, in milliseconds. */
const GAIN = 1200;

/** Measures texts. */
const pen = document.createElement("canvas").getContext("2d");

/** A strip of pieces beside the board, with a title. */
export class Strip {
  constructor() {
    this.holder = svg("g", { class: "layer" });
    this.overlay = svg("g", { class: "marked" });
    this.drawing = svg("svg", { role: "img" }, this.holder, this.overlay);
    this.title = html("figcaption");
    this.node = html("figure", { class: "strip" }, this.title, this.drawing);
  }

  /** @param {Supply} supply */
  show([width, height, title]) {
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("aria-label", title);
    this.title.textContent = this.node.dataset.tip = title;
    this.node.style.setProperty("--w", String(width));
    this.node.style.setProperty("--h", String(height));
  }
}

/** The panel of a player: symbol, name, facts, strips of pieces, and score. */
class Plate {
  /**
   * @param {number} player
   * @param {Named} named
   */
  constructor(player, { name, side }) {
    this.facts = html("div", { class: "facts" });
    this.strips = html("div", { class: "strips" });
    this.number = html("span", { class: "number" });
    this.unit = html("span", { class: "unit" });
    const who = html(
      "div",
      { class: "name", "data-tip": name },
      html("bdi", {}, name),
      ...(side && side !== name ? [html("span", { class: "side" }, side)] : []),
    );
    this.score = html("div", { class: "score" }, this.number, " ", this.unit);
    /** The button that draws this player's realm large, if it is a chip. */
    this.opener = html("button", {
      class: "opens",
      type: "button",
      hidden: true,
      "data-tip": "",
      "aria-label": `Show ${name}'s part`,
    });
    this.node = html(
      "section",
      { class: `plate of-${player}`, "aria-label": side && side !== name ? `${name}, ${side}` : name },
      chip(player),
      who,
      this.facts,
      this.strips,
      html("slot", { name: `player-${player}` }),
      this.score,
      this.opener,
    );
    /** @type {PlateData | undefined} */
    this.shown = undefined;
    this.value = NaN;
    this.rolling = 0;
    /** The facts now, and the longest facts so far, for which space is reserved. @type {[now: Fact[], longest: Fact[]]} */
    this.reserved = [[], []];
    /** Whether the longest facts have become longer since the last measurement. */
    this.hasGrown = false;
    /** Widths of the facts in `reserved`, and of what stands beside them if the plate is narrow, in pixels. */
    this.sizes = { facts: [[0], [0]], beside: 0 };
  }

  /** Measures the facts, and what stands beside them. */
  measure() {
    this.hasGrown = false;
    this.facts.style.removeProperty("--fit");
    const added = this.node.querySelector("slot")?.assignedElements()[0];
    const beside = added instanceof HTMLElement ? added.offsetWidth : 0;
    const score = DIGIT * String(this.shown?.[0] ?? "").length;
    const { fontSize, fontFamily } = getComputedStyle(this.facts);
    const facts = this.reserved.map((one) => widthsOf(one, `${fontSize} ${fontFamily}`));
    this.sizes = { facts, beside: Math.max(beside, score) };
  }

  /** Makes the facts so small that they fit into the plate, which keeps its size while a person composes a turn. */
  fit() {
    const { facts } = this;
    FITS.find((share) => {
      facts.style.setProperty("--fit", `${share}`);
      const last = facts.lastElementChild;
      return !last || last.getBoundingClientRect().bottom <= facts.getBoundingClientRect().bottom + 0.5;
    });
  }

  /** Returns the number of lines that the facts need, or have needed before. @param {number} width of the plate */
  lines(width) {
    const { facts, beside } = this.sizes;
    const free = width - (width < SMALL ? BESIDE_SMALL + beside : BESIDE);
    return Math.max(...facts.map((one) => linesOf(one, Math.max(1, free))));
  }

  /**
   * @param {PlateData} plate
   * @param {number} ms
   */
  show(plate, ms) {
    const [score, unit, facts] = plate;
    this.score.hidden = score === null;
    if (score !== null && score !== this.shown?.[0]) this.roll(score, ms);
    if (unit !== this.shown?.[1]) this.unit.textContent = unit;
    if (JSON.stringify(facts) !== JSON.stringify(this.shown?.[2])) this.tell(facts);
    for (const kind of ["to-move", "won", "out"])
      this.node.classList.toggle(
        kind,
        facts.some((fact) => fact[2] === kind),
      );
    this.shown = plate;
  }

  /** Shows facts about the player. The tip contains all facts, even those that are cut off. @param {Fact[]} facts */
  tell(facts) {
    const [now, longest] = [facts, this.reserved[1]].map((one) => one.map(([text]) => text).join(" ").length);
    this.hasGrown ||= now > longest;
    this.reserved = [facts, now > longest ? facts : this.reserved[1]];
    const isTapped = tapped.matches;
    this.facts.replaceChildren(...facts.map((fact) => factual(fact, !isTapped)));
    // On a touch screen, a tap on the plate shows the tip.
    if (isTapped)
      this.node.dataset.tip = facts.map(([text, title]) => (title ? `${text}: ${title}` : text)).join(" · ");
    else this.facts.dataset.tip = facts.map(([text]) => text).join(" · ");
  }

  /**
   * Changes the displayed score.
   * @param {number} score
   * @param {number} ms 0 to change it at once; otherwise it counts up or down
   */
  roll(score, ms) {
    cancelAnimationFrame(this.rolling);
    const [from, start] = [this.value, performance.now()];
    if (!ms || Number.isNaN(from)) return this.count(score);
    this.gain(score - from);
    const tick = (/** @type {number} */ now) => {
      const done = Math.min(1, Math.max(0, (now - start) / ROLL));
      this.count(Math.round(from + (score - from) * (1 - (1 - done) ** 3)));
      if (done < 1) this.rolling = requestAnimationFrame(tick);
    };
    this.rolling = requestAnimationFrame(tick);
  }

  /** Shows for a moment by how much the score has changed. @param {number} by */
  gain(by) {
    const said = html("span", { class: "gain", "aria-hidden": "true" }, `${by < 0 ? "−" : "+"}${Math.abs(by)}`);
    this.score.querySelector(".gain")?.remove();
    this.score.append(said);
    const way = [
      { opacity: 0, transform: "translateY(8px)" },
      { opacity: 1, transform: "none", offset: 0.15 },
      { opacity: 1, offset: 0.7 },
      { opacity: 0 },
    ];
    said.animate(way, { duration: GAIN, easing: "ease-out" }).onfinish = () => said.remove();
  }

  /** Displays a score. @param {number} value */
  count(value) {
    this.value = value;
    this.number.textContent = String(value);
  }
}

/** Returns the widths of facts in one line each, in pixels. @param {Fact[]} facts @param {string} font */
function widthsOf(facts, font) {
  return facts.map(([text, , kind]) => {
    if (!pen) return 0;
    pen.font = `${kind in ADDED ? 600 : 400} ${font}`;
    return Math.ceil(pen.measureText(text).width) + 2 + (ADDED[kind] ?? 0);
  });
}

/** Returns the number of lines that facts fill; at least 1. @param {number[]} widths of the facts @param {number} free */
function linesOf(widths, free) {
  let [lines, used] = [1, 0];
  for (const width of widths) {
    if (used && used + BETWEEN + width > free) [lines, used] = [lines + 1, 0];
    if (width > free) lines += Math.ceil(width / ((1 - RAGGED) * free)) - 1;
    used = width > free ? free : used + (used && BETWEEN) + width;
  }
  return lines;
}

/** Returns the element of a fact. @param {Fact} fact @param {boolean} isButton whether it has a tip of its own */
function factual([text, title, kind], isButton) {
  // Whose turn it is is a mark; its words are for screen readers.
  if (kind === "to-move")
    return html(
      "span",
      { class: `fact ${kind}`, ...(isButton ? { "data-tip": text } : {}) },
      html("span", { class: "spoken" }, text),
    );
  if (!title || !isButton) return html("span", { class: `fact ${kind}` }, text);
  return html("button", { class: `fact ${kind}`, type: "button", "data-tip": title, "aria-description": title }, text);
}

/** All plates and strips of a board. */
export class Plates {
  /**
   * @param {HTMLElement} above element for plates above the board
   * @param {HTMLElement} below element for plates below the board
   * @param {HTMLElement} common element for the strips that belong to no player
   */
  constructor(above, below, common) {
    this.above = above;
    this.below = below;
    this.common = common;
    /** @type {Plate[]} */
    this.plates = [];
    /** @type {Map<string, Strip>} */
    this.strips = new Map();
    this.flipped = false;
    /** Whether each plate shows only name and score. */
    this.areSmall = false;
    /** @type {HTMLElement | undefined} element for the plates, if each is above its player's realm */
    this.seats = undefined;
    /** Function that is called if a person opens a player's realm, which is a chip. @type {(player: number) => void} */
    this.open = () => {};
  }

  /** Creates the plates of these players. Plates of players with the same name have a class. @param {Named[]} players */
  name(players) {
    this.plates = players.map((named, player) => new Plate(player, named));
    this.plates.forEach(({ node }, player) => {
      const isTwin = players.some(({ name }, other) => other !== player && name === players[player]?.name);
      node.classList.toggle("twin", isTwin);
    });
    this.plates.forEach(({ opener }, player) => opener.addEventListener("click", () => this.open(player)));
    this.seat();
  }

  /**
   * Puts the plates in place: above the players' realms if there are any; otherwise one below and one above the board for
   * two players, and in a row above the board for more players.
   */
  seat() {
    const nodes = this.plates.map(({ node }) => node);
    if (this.seats) {
      this.seats.replaceChildren(...nodes);
      for (const holder of [this.above, this.below]) holder.replaceChildren();
      return;
    }
    for (const node of nodes) node.removeAttribute("style");
    if (this.flipped) nodes.reverse();
    this.above.replaceChildren(...(nodes.length === 2 ? [nodes[1]] : nodes));
    this.below.replaceChildren(...(nodes.length === 2 ? [nodes[0]] : []));
  }

  /** Whether a plate may need more space than at the last measurement. */
  get haveGrown() {
    return this.plates.some((plate) => plate.hasGrown);
  }

  /** Measures all plates again. Must be called before `height`. */
  measure() {
    for (const plate of this.plates) plate.measure();
  }

  /** Fits the facts into all plates. Must be called if the plates keep their size. */
  fit() {
    for (const plate of this.plates) plate.fit();
  }

  /**
   * Returns the height of a player's plate above a realm and the gap below it.
   * @param {number} player
   * @param {number} width width of the plate
   * @param {boolean} isFlat whether the plate has one line
   */
  height(player, width, isFlat) {
    if (this.areSmall) return LOWEST;
    if (isFlat) return width < SMALL ? PLATE : FLAT;
    return PLATE + LINE * ((this.plates[player]?.lines(width) ?? 1) - 1);
  }

  /**
   * Puts a player's plate above the player's realm.
   * @param {number} player
   * @param {import("../layout/realms.js").Place} place
   */
  stand(player, { x, y, width, head, inside }) {
    const { node, opener } = this.plates[player] ?? {};
    if (!node || !opener) return;
    node.classList.toggle("chipped", inside !== undefined);
    opener.hidden = !inside;
    node.classList.toggle("short", width < SHORT);
    node.classList.toggle("small", width < SMALL);
    for (const [name, value] of Object.entries({ left: x, top: y, width, height: inside?.[1] ?? head - 4 }))
      node.style.setProperty(name, `${value}px`);
  }

  /**
   * Shows the panels and strips of a picture.
   * @param {Picture} picture
   * @param {number} ms 0 to change scores at once; otherwise they count up or down
   */
  show({ panels, supplies }, ms) {
    for (const name of this.strips.keys()) if (!(name in supplies)) this.strips.delete(name);
    for (const [name, supply] of Object.entries(supplies)) {
      const strip = this.strips.get(name) ?? new Strip();
      this.strips.set(name, strip);
      strip.show(supply);
    }
    this.plates.forEach((plate, player) => {
      const data = panels.plates[player];
      if (!data) return;
      plate.show(data, ms);
      lay(plate.strips, this.stripsOf(data[3]));
    });
    lay(this.common, this.stripsOf(panels.supplies));
  }

  /** Returns the elements of strips. @param {string[]} names names of the strips */
  stripsOf(names) {
    return names.map((name) => this.strips.get(name)?.node).filter((node) => node !== undefined);
  }
}

/**
 * Sets the children of an element. Does nothing if it has the same children already.
 * @param {HTMLElement} holder
 * @param {HTMLElement[]} nodes
 */
function lay(holder, nodes) {
  if (nodes.length !== holder.children.length || nodes.some((node, i) => holder.children[i] !== node))
    holder.replaceChildren(...nodes);
}
