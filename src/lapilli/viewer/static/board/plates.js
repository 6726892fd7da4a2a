// @ts-check
// The players' plates beside a board, and the strips on which pieces lie.

import { chip, html, svg } from "./drawing.js";

/** @typedef {import("./pictures.js").Picture} Picture */
/** @typedef {import("./pictures.js").Plate} PlateData */
/** @typedef {import("./pictures.js").Fact} Fact */
/** @typedef {import("./pictures.js").Supply} Supply */
/** @typedef {{name: string, side: string}} Named */

/** A finger points at nothing. */
const tapped = matchMedia("(hover: none)");
/** How long a score rolls from one value to another, in milliseconds. */
const ROLL = 400;
/** A plate over a realm that is less wide shows less, in pixels. */
const [SHORT, SMALL] = [340, 240];
/** How long it is told what has been won. */
const GAIN = 1200;

/** A strip: a small drawing with a title. */
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

/** A player: chip, name, how it stands, what it has, its score. */
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
    this.node = html(
      "section",
      { class: `plate of-${player}`, "aria-label": side && side !== name ? `${name}, ${side}` : name },
      chip(player),
      who,
      this.facts,
      this.strips,
      html("slot", { name: `player-${player}` }),
      this.score,
    );
    /** @type {PlateData | undefined} */
    this.shown = undefined;
    this.value = NaN;
    this.rolling = 0;
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

  /** @param {Fact[]} facts those that have no room are told with the others when somebody points at them */
  tell(facts) {
    const isTapped = tapped.matches;
    this.facts.replaceChildren(...facts.map((fact) => factual(fact, !isTapped)));
    // A finger hits the whole plate.
    if (isTapped)
      this.node.dataset.tip = facts.map(([text, title]) => (title ? `${text}: ${title}` : text)).join(" · ");
    else this.facts.dataset.tip = facts.map(([text]) => text).join(" · ");
  }

  /**
   * @param {number} score
   * @param {number} ms
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

  /** Shows for a moment what a player has won or lost. @param {number} by */
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

  /** @param {number} value */
  count(value) {
    this.value = value;
    this.number.textContent = String(value);
  }
}

/** @param {Fact} fact @param {boolean} isButton whether its explanation is shown when it is pointed at */
function factual([text, title, kind], isButton) {
  if (!title || !isButton) return html("span", { class: `fact ${kind}` }, text);
  return html("button", { class: `fact ${kind}`, type: "button", "data-tip": title, "aria-description": title }, text);
}

export class Plates {
  /**
   * @param {HTMLElement} above
   * @param {HTMLElement} below
   * @param {HTMLElement} common for the strips that belong to nobody
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
    /** @type {HTMLElement | undefined} what holds plates that stand over their players' realms */
    this.seats = undefined;
  }

  /** @param {Named[]} players */
  name(players) {
    this.plates = players.map((named, player) => new Plate(player, named));
    this.seat();
  }

  /** Two sit on opposite sides, the first one below; more sit in a row. Who has a realm of their own sits there. */
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

  /**
   * A player's plate stands over a realm.
   * @param {number} player
   * @param {import("./realms.js").Place} place
   * @param {number} height
   */
  stand(player, { x, y, width }, height) {
    const node = this.plates[player]?.node;
    if (!node) return;
    node.classList.toggle("short", width < SHORT);
    node.classList.toggle("small", width < SMALL);
    for (const [name, value] of Object.entries({ left: x, top: y, width, height: height - 4 }))
      node.style.setProperty(name, `${value}px`);
  }

  /**
   * @param {Picture} picture
   * @param {number} ms how long changes may take
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

  /** @param {string[]} names */
  stripsOf(names) {
    return names.map((name) => this.strips.get(name)?.node).filter((node) => node !== undefined);
  }
}

/**
 * Makes an element hold these, without touching them where it does so already.
 * @param {HTMLElement} holder
 * @param {HTMLElement[]} nodes
 */
function lay(holder, nodes) {
  if (nodes.length !== holder.children.length || nodes.some((node, i) => holder.children[i] !== node))
    holder.replaceChildren(...nodes);
}
