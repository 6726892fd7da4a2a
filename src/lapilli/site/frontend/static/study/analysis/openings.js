// @ts-check
// The panel of openings: shows which turns were played in a position, in engines' matches or in matches of this site.

import { percent } from "../../../../../viewer/static/analysis/marks.js";
import { store, stored } from "../../../../../viewer/static/board/storage.js";
import { element, unseen } from "../../../../../viewer/static/player/elements.js";
import { ask, inBrief } from "../study.js";
import { fitLine, tellWhole, unfolding } from "./whole_line.js";

/** @typedef {import("../study.js").Place} Place */
/**
 * Played: a turn, its words and the clicks that play it, and how the matches with this turn ended for its player.
 * Found: the turns that were played in a position by engines and on this site. `origin`: number of the engines'
 * matches, and the engines' limit of nodes per turn.
 * @typedef {{reply: string, words: import("../study.js").Words, ways: string[][], results: [won: number, drawn: number,
 *   lost: number]}} Played
 * @typedef {{player: number, origin: [matches: number, nodes: number], engines: Played[], site: Played[]}} Found
 */

/** Key in the browser's storage: whether the panel is open, and whether it shows matches of engines or of this site. */
const KEY = "lapilli-openings";
const NUMBER = new Intl.NumberFormat("en");

/** A turn is played often if it was played at least this share as often as the most frequent turn. */
const OFTEN = 0.2;
/** The smallest share of a bar in which its percentage can be read. */
const LEGIBLE = 0.12;

/** The sum of numbers. @param {number[]} numbers */
const sumOf = (numbers) => numbers.reduce((sum, one) => sum + one, 0);

/** The share of matches that were won. @param {number[]} results */
const shareOf = (results) => results[0] / sumOf(results);

/** Formats results, such as "won 50 %, drawn 25 %, lost 25 %". @param {number[]} results */
function inWords(results) {
  const matches = sumOf(results);
  return ["won", "drawn", "lost"].map((how, at) => `${how} ${percent(results[at] / matches)}`).join(", ");
}

export class Openings {
  /**
   * @param {HTMLElement} panel
   * @param {import("./views.js").Views} views
   * @param {(turn: string) => void} play is called with the turn that was clicked
   * @param {(ways?: string[][]) => void} point is called with the clicks of the turn that is pointed at, and without an
   *   argument when no turn is pointed at
   */
  constructor(panel, views, play, point) {
    this.panel = panel;
    this.views = views;
    this.play = play;
    this.point = point;
    /** @type {{name: string, side: string}[]} */
    this.players = [];
    /** @type {Place | undefined} */
    this.place = undefined;
    /** @type {Found | undefined} */
    this.found = undefined;
    const { isOpen, whose } = stored(KEY) ?? {};
    /** @type {"engines" | "site"} */
    this.whose = whose === "site" ? "site" : "engines";
    this.wasOpen = (isOpen === true && !views.panel.hasAttribute("data-study")) || location.hash === `#${panel.id}`;
    for (const button of this.buttons)
      button.addEventListener("click", () => {
        this.whose = button.value === "site" ? "site" : "engines";
        this.remember();
        this.draw();
      });
  }

  /** An element of the panel. @param {string} name @returns {any} */
  part(name) {
    return this.panel.querySelector(`[data-part=${name}]`);
  }

  /** The buttons that choose whose matches are counted. @returns {HTMLButtonElement[]} */
  get buttons() {
    return [...this.part("whose").querySelectorAll("button")];
  }

  /** Whether the panel's view is shown. */
  get isOpen() {
    return this.views.shown === this.panel.id;
  }

  /**
   * Offers the view if the game has counted turns.
   * @param {boolean} areThere whether it has some
   * @param {boolean} restores whether to show the view if it was shown when the page was last closed
   */
  offer(areThere, restores) {
    for (const button of this.views.buttons) if (button.value === this.panel.id) button.hidden = !areThere;
    if (areThere && this.wasOpen && restores) this.views.show(this.panel.id);
    else if (!areThere && this.isOpen) this.views.show("engine");
    this.wasOpen = false;
  }

  /** Stores whether the view is shown, and loads the turns if it is. */
  viewed() {
    this.remember();
    void this.look();
  }

  remember() {
    store(KEY, { isOpen: this.isOpen, whose: this.whose });
  }

  /**
   * Shows the turns that were played in a position. Loads them when the view is shown.
   * @param {Place} place
   * @param {{name: string, side: string}[]} players
   */
  show({ game, setup, moves }, players) {
    [this.place, this.players, this.found] = [{ game, setup, moves }, players, undefined];
    void this.look();
  }

  async look() {
    const { place } = this;
    if (!place || !this.isOpen || this.found) return;
    try {
      const found = await ask("/analyse/openings", place);
      if (place !== this.place) return; // another position is shown meanwhile
      this.found = found;
      this.draw();
    } catch (problem) {
      if (place === this.place) this.say(/** @type {Error} */ (problem).message);
    }
  }

  draw() {
    const { found, whose } = this;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.value === whose));
    if (!found) return;
    const played = found[whose];
    const none = found.player < 0 ? "There is no turn to play here." : "No turn from this position was counted.";
    const about = `${NUMBER.format(found.origin[0])} matches`;
    this.say(played.length ? "" : none);
    this.part("about").textContent = whose === "engines" ? about : "Finished matches";
    const total =
      whose === "engines" && !this.place?.moves.length
        ? found.origin[0]
        : sumOf(played.flatMap(({ results }) => results));
    const rows = played.map((one) => {
      const row = element("li", {}, this.row(one, found.player, total));
      unfolding(row, (isWhole) => this.point(isWhole ? one.ways : undefined));
      tellWhole(row, one.words, this.players);
      return row;
    });
    this.part("rows").replaceChildren(...rows);
    rows.forEach(fitLine);
    this.advise(played, found.player);
    this.part("columns").hidden = !played.length;
  }

  /**
   * Says which turn is played most, and which of the turns that are played often wins most.
   * @param {Played[]} played the most frequent turn first
   * @param {number} player the player of the turns
   */
  advise(played, player) {
    const [most] = played;
    this.part("advice").hidden = !most;
    if (!most) return;
    const often = played.filter(({ results }) => sumOf(results) >= OFTEN * sumOf(most.results));
    const best = often.reduce((one, other) => (shareOf(other.results) > shareOf(one.results) ? other : one));
    const side = this.players[player]?.side ?? "";
    const [wins, less] = [best, most].map(({ results }) => percent(shareOf(results)));
    this.part("advice").textContent =
      best === most
        ? `Most play the first of these turns. It wins ${less} of the matches for ${side}.`
        : `Most play the first of these turns, but turn ${played.indexOf(best) + 1} wins more for ${side}: ${wins}, not ${less}.`;
  }

  /** Shows a text instead of turns. @param {string} text "" for no text */
  say(text) {
    this.part("none").textContent = text;
    if (text) this.part("rows").replaceChildren();
    if (text) this.part("advice").hidden = true;
  }

  /**
   * The row of a turn.
   * @param {Played} one
   * @param {number} player the player of the turn
   * @param {number} total number of matches in which a turn was played here
   */
  row({ reply, words, ways, results }, player, total) {
    const matches = sumOf(results);
    const other = this.players.length === 2 ? `p${1 - player}` : "";
    const parts = [`p${player}`, "drawn", other].map((kind, at) => {
      const part = element("i", { className: kind });
      part.style.flexGrow = String(results[at]);
      if (results[at] >= LEGIBLE * matches) part.append(percent(results[at] / matches));
      return part;
    });
    return element(
      "button",
      {
        type: "button",
        className: "line",
        title: `${inWords(results)}. Click to play the turn.`,
        onclick: () => this.play(reply),
        onpointerenter: () => this.point(ways),
        onpointerleave: () => this.point(),
        onfocus: () => this.point(ways),
        onblur: () => this.point(),
      },
      element("b", { className: "words" }, ...inBrief(words, this.players)),
      element(
        "small",
        {},
        matches / total < 0.005 ? "< 1\u00a0%" : percent(matches / total),
        unseen(` of the matches: ${inWords(results)}`),
      ),
      element("span", { className: "shares", ariaHidden: "true" }, ...parts),
    );
  }
}
