// @ts-check
// The part of a tournament's page about a person's own bots: a form that enters a bot, and the list of entered bots.

import { element, foreign } from "../../../../../viewer/static/player/elements.js";
import { $, choice, part } from "../../dom.js";
import { isSure } from "../sure.js";

/**
 * A bot of this person in the tournament. `number`: its player number. `problem`: the latest fault with which it has
 * ended a match, "" for none; `match`: id of that match's table.
 * @typedef {{id: string, number: number, name: string, version: number, state: string, problem: string,
 *   match: string}} EnteredBot
 */

export class EnteredBots {
  /** @param {(change: string, bot: string) => unknown} change sends a change of the tournament to the site */
  constructor(change) {
    this.change = change;
    this.shown = "";
    $("bots")?.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      change("enter", choice($("bots", HTMLFormElement), "bot").value);
    });
  }

  /**
   * Shows the entered bots, and the form if it can be used.
   * @param {EnteredBot[]} bots
   * @param {boolean} canEnter whether another bot can be entered
   * @param {boolean} isActive whether bots can be withdrawn
   */
  show(bots, canEnter, isActive) {
    const shown = JSON.stringify([bots, canEnter, isActive]);
    if (shown === this.shown) return; // otherwise, a button that waits for its second click would be replaced
    this.shown = shown;
    $("entered").hidden = !bots.length;
    part($("entered"), "ul").replaceChildren(...bots.map((bot) => this.line(bot, isActive && bot.state === "playing")));
    if ($("bots")) this.offer(bots, canEnter);
  }

  /** Offers in the form the bots that do not take part. @param {EnteredBot[]} bots @param {boolean} canEnter */
  offer(bots, canEnter) {
    const gone = bots.filter((bot) => bot.state !== "left").map((bot) => bot.id);
    const select = choice($("bots", HTMLFormElement), "bot");
    for (const option of select.options) option.disabled = gone.includes(option.value);
    const free = [...select.options].find((option) => !option.disabled);
    if (select.selectedOptions[0]?.disabled && free) free.selected = true;
    $("bots").hidden = !canEnter || !free;
  }

  /** The line of one bot in the list. @param {EnteredBot} bot @param {boolean} canWithdraw */
  line(bot, canWithdraw) {
    const state = { playing: "", left: " · withdrawn", out: " · out, because it failed twice before its first reply" };
    const words = element("div", {}, element("a", { href: `/bots/${bot.id}` }, foreign(bot.name)));
    words.append(element("small", {}, `version ${bot.version}${state[/** @type {"left"} */ (bot.state)] ?? ""}`));
    if (bot.problem) {
      const link = element("a", { href: `/m/${bot.match}` }, "See the match");
      words.append(element("small", { className: "wrong" }, `It lost a match by a fault: ${bot.problem}. `, link));
    }
    if (!canWithdraw) return element("li", {}, words);
    const button = element("button", { type: "button" }, "Withdraw");
    button.addEventListener("click", () => isSure(button) && this.change("withdraw", bot.id));
    return element("li", {}, words, button);
  }
}
