// @ts-check
// The part of a bot's page about its league: the bot's standing, and the button that submits a version.

import { element, foreign } from "../../../../viewer/static/player/elements.js";
import { capital } from "../../../../viewer/static/player/text/phrases.js";
import { $ } from "../dom.js";
import { Following, get, toldOf } from "./asking.js";
import { linked } from "./lines.js";

/**
 * A bot's place in its league; only `game` if the bot has not entered. `number`: its entry. `place`: its place in
 * words. `here`, `enough`: matches in this division, and how many it needs for a promotion. `placed`: whether it has
 * played so many matches that it stays in this division. `boss`: the built-in opponent to beat for a promotion; null in
 * the highest division.
 * @typedef {{game: string, number?: number, version: number, division: string, rating: number, matches: number, place: string,
 *   here: number, enough: number, placed: boolean, boss: {name: string, rating: number, matches: number} | null,
 *   promotions: {to: string, reason: string}[]}} Place
 */

const LOOK_MS = 2000;

export class Standing {
  /**
   * @param {string} bot the bot's address
   * @param {{file: string, go: (line: number) => void, version: () => Promise<number>, fail: (error: unknown) => void}} ide
   */
  constructor(bot, ide) {
    this.bot = bot;
    this.ide = ide;
    this.following = new Following(bot);
    this.timer = 0;
    $("submit").addEventListener("click", () => void this.submit());
  }

  async submit() {
    $("submit", HTMLButtonElement).disabled = true;
    try {
      const version = await this.ide.version();
      await this.following.begin({ kind: "submit", version }, (trial) => {
        $("submit-status").replaceChildren(
          trial.state === "done" ? `Version ${trial.version} plays in the league.` : toldOf(trial),
        );
        const wrong = trial.state === "failed" && trial.told.step === "compiling";
        $("submit-problem").hidden = !wrong;
        if (wrong) $("submit-problem").replaceChildren(...linked(trial.told.problem, this.ide.file, this.ide.go));
      });
      await this.look();
    } catch (error) {
      this.ide.fail(error);
    } finally {
      $("submit", HTMLButtonElement).disabled = false;
    }
  }

  /** Requests the bot's standing and shows it; repeats this as long as the bot plays its placement matches. */
  async look() {
    clearTimeout(this.timer);
    try {
      /** @type {Place} */
      const place = await get(`${this.bot}/league`);
      this.show(place);
      if (place.number === undefined || place.placed) return;
    } catch {
      // the site is restarting: the next attempt may succeed
    }
    this.timer = window.setTimeout(() => void this.look(), LOOK_MS);
  }

  /** Shows the bot's place in the league. @param {Place} place */
  show(place) {
    const { number, division, rating, here, enough, boss, placed } = place;
    $("league-none").hidden = number !== undefined;
    $("league-place").hidden = number === undefined;
    if (number === undefined) return;
    const progress = element("progress", {
      max: enough,
      value: Math.min(here, enough),
      "aria-label": "Placement matches",
    });
    const rows = [
      ["Place", place.place],
      ["Division", capital(division)],
      ["Rating", `${rating.toFixed(1)} after ${place.matches} matches`],
      ["Boss to beat", boss ? `${boss.name}, ${boss.rating.toFixed(1)}` : "none: this is the top division"],
      [
        "Matches here",
        placed
          ? `${here}, placement is over`
          : here < enough
            ? `${here} of ${enough} before it may be promoted`
            : `${here}: it must beat the boss now`,
      ],
    ];
    $("league-place").replaceChildren(
      element(
        "dl",
        {},
        ...rows.flatMap(([what, value]) => [element("dt", {}, what), element("dd", {}, foreign(value))]),
      ),
      ...(placed ? [] : [progress]),
      ...place.promotions.map(({ to, reason }) =>
        element("p", { className: "promoted" }, `Promoted to ${to}: `, foreign(reason)),
      ),
      element(
        "p",
        {},
        element("a", { href: `/leagues/${place.game}/bots/${number}` }, "Rating curve and matches"),
        " · ",
        element("a", { href: `/leagues/${place.game}` }, "The league"),
      ),
    );
  }
}
