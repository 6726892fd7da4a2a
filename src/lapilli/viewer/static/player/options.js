// @ts-check
/** What people choose to see and hear. It is kept for the next time; what a film has none of is not offered. */

import { element } from "./elements.js";
import { remembered, rememberedSwitch } from "./memory.js";

/** @typedef {import("./reel.js").Film} Film */

export class Options {
  /** @param {import("./player.js").Player} player */
  constructor(player) {
    this.player = player;
    const { board } = player;
    const $ = (/** @type {string} */ id) => player.$(id);
    rememberedSwitch($("flip"), (pressed) => (board.flipped = pressed));
    // Until somebody chooses, the board shows what fits its room.
    board.addEventListener("view", () => $("globe").setAttribute("aria-pressed", String(board.view === "globe")));
    rememberedSwitch($("globe"), (pressed) => (board.view = pressed ? "globe" : "board"));
    rememberedSwitch($("panel"), (pressed) => player.toggleAttribute("alone", pressed));
    remembered($("labels"), (shown) => this.hide("names", !shown));
    remembered($("lastmove"), (shown) => this.hide("last", !shown));
    remembered($("letters"), (shown) => board.toggleAttribute("letters", shown));
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

  /** Turns the board, whatever was chosen before. @param {boolean} flipped */
  turn(flipped) {
    this.player.$("flip").setAttribute("aria-pressed", String(flipped));
    this.player.board.flipped = flipped;
  }

  /**
   * @param {"names" | "last"} what
   * @param {boolean} hidden
   */
  hide(what, hidden) {
    if (hidden) this.player.board.setAttribute(what, "off");
    else this.player.board.removeAttribute(what);
  }

  /** What there is to choose in a film. @param {Film} film */
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
        return element("label", {}, box, ` Debug drawings of ${film.players[Number(player)].side}`);
      }),
    );
  }

  hideDebugs() {
    /** @type {HTMLInputElement[]} */
    const hidden = [...this.player.$("debugs").querySelectorAll("input:not(:checked)")];
    this.player.board.setAttribute("hide-debug", hidden.map((box) => box.dataset.player).join(" "));
  }
}

/** The classes of all shapes, as they are written. @param {Film} film */
function classesOf({ frames }) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const { changed = [], placed = [] } of frames)
    for (const shape of [...changed, ...placed.map(([, one]) => one)]) found.add(shape[3]);
  return found;
}
