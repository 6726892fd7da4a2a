// @ts-check
/**
 * The options of a <lapilli-player>. They are stored for the next visit. Options without effect on a film are hidden.
 */

import { element } from "../elements.js";
import { remembered, rememberedSwitch } from "../memory.js";

/** @typedef {import("../film/reel.js").Film} Film */

export class Options {
  /** @param {import("../player.js").Player} player */
  constructor(player) {
    this.player = player;
    const { board } = player;
    const $ = (/** @type {string} */ id) => player.$(id);
    rememberedSwitch($("flip"), (pressed) => (board.flipped = pressed));
    // Until a person chooses, the board itself decides between flat board and globe, and the button shows its decision.
    board.addEventListener("view", () => $("globe").setAttribute("aria-pressed", String(board.view === "globe")));
    rememberedSwitch($("globe"), (pressed) => (board.view = pressed ? "globe" : "board"));
    rememberedSwitch($("panel"), (pressed) => player.toggleAttribute("alone", pressed));
    remembered($("labels"), (shown) => this.hide("names", !shown));
    remembered($("lastmove"), (shown) => this.hide("last", !shown));
    remembered($("letters"), (shown) => board.toggleAttribute("letters", shown));
    $("authors").checked = player.hasAttribute("authors");
    remembered($("authors"), (shown) => {
      player.toggleAttribute("authors", shown);
      player.place();
    });
    remembered($("raw"), (shown) => player.toggleAttribute("raw", shown));
    remembered($("sound"), (on) => (player.isLoud = on));
    remembered($("speed"), (speed) => (player.playback.speed = Number(speed)));
    remembered($("reveal"), (shown) => {
      player.isOpen = shown;
      if (player.at >= 0) player.showPlace();
    });
    remembered($("theme"), (theme) => {
      if (theme) document.documentElement.dataset.theme = theme;
      else delete document.documentElement.dataset.theme;
    });
  }

  /** Flips the board without storing this as the person's choice. @param {boolean} flipped */
  turn(flipped) {
    this.player.$("flip").setAttribute("aria-pressed", String(flipped));
    this.player.board.flipped = flipped;
  }

  /**
   * Hides or shows the names of places, or the marks of the last move.
   * @param {"names" | "last"} what
   * @param {boolean} hidden
   */
  hide(what, hidden) {
    if (hidden) this.player.board.setAttribute(what, "off");
    else this.player.board.removeAttribute(what);
  }

  /** Shows only the options that have an effect on a film. @param {Film} film */
  offer(film) {
    const has = classesOf(film);
    this.player.$("lettering").hidden = ![...has].some((classes) => classes.includes("lapilli-letter"));
    const debugging = [...has]
      .map((classes) => classes.includes("lapilli-debug") && classes.match(/player-(\d)/)?.[1])
      .filter(Boolean);
    this.player.$("debugs").replaceChildren(
      ...[...new Set(debugging)].sort().map((player) => {
        const box = element("input", { type: "checkbox", checked: true });
        box.addEventListener("change", () => this.hideDebugs());
        box.dataset.player = String(player);
        return element(
          "label",
          { className: "detail" },
          box,
          ` Debug drawings of ${film.players[Number(player)].side}`,
        );
      }),
    );
  }

  hideDebugs() {
    /** @type {HTMLInputElement[]} */
    const hidden = [...this.player.$("debugs").querySelectorAll("input:not(:checked)")];
    this.player.board.setAttribute("hide-debug", hidden.map((box) => box.dataset.player).join(" "));
  }
}

/** Returns the values of the attribute `class` of all shapes in a film. @param {Film} film */
function classesOf({ frames }) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const { changed = [], placed = [] } of frames)
    for (const shape of [...changed, ...placed.map(([, one]) => one)]) found.add(shape[3]);
  return found;
}
