// @ts-check
// Comparisons of a version with another version, a level or another bot: starts them, and shows their results.

import { element, foreign } from "../../../../viewer/static/player/elements.js";
import { $, part } from "../dom.js";
import { Following, get, toldOf } from "./asking.js";
import { optionsOf } from "./versions.js";

/** @typedef {import("./asking.js").Trial} Trial */

export class Comparing {
  /**
   * @param {string} bot the bot's address
   * @param {string} usual the level to compare with as long as the bot has only one version
   * @param {(error: unknown) => void} fail
   */
  constructor(bot, usual, fail) {
    this.following = new Following(bot);
    this.told = "";
    this.bot = bot;
    this.usual = usual;
    this.fail = fail;
    $("compare-start").addEventListener("click", () => void this.begin());
    $("compare-stop").addEventListener("click", () => void this.following.stop().catch(fail));
  }

  /**
   * Lists the versions in both fields of the form.
   * @param {import("./versions.js").Version[]} versions the newest first
   */
  offer(versions) {
    ["compare-new", "compare-old"].forEach((id, place) => {
      const select = $(id, HTMLSelectElement);
      const before = select.dataset.touched ? select.value : "";
      (place ? $("compare-versions") : select).replaceChildren(...optionsOf(versions));
      if (before || versions[place]) select.value = before || String(versions[place].number);
      else select.value = this.usual;
      select.onchange = () => (select.dataset.touched = "yes");
    });
  }

  async begin() {
    const version = Number($("compare-new", HTMLSelectElement).value);
    const {
      value,
      selectedOptions: [chosen],
    } = $("compare-old", HTMLSelectElement);
    const against = chosen.parentElement === $("compare-versions") ? { other: Number(value) } : { against: value };
    await this.following.begin({ kind: "compare", version, ...against }, (trial) => this.show(trial)).catch(this.fail);
  }

  /** Shows a comparison, and its progress until it ends. @param {string} id */
  async goOn(id) {
    await this.following.follow(id, (trial) => this.show(trial)).catch(this.fail);
  }

  /** Lists earlier comparisons with their results. A click on one shows it again. */
  async list() {
    try {
      /** @type {{id: string, version: number, against: string, verdict: string, state: string, when: string}[]} */
      const found = await get(`${this.bot}/comparisons`);
      const rows = found.map(({ id, version, against, verdict, state, when }) => {
        const name = element(
          "button",
          { type: "button", className: "line", onclick: () => void this.goOn(id) },
          `Version ${version} against `,
          foreign(against),
        );
        return element("li", {}, name, ` ${verdict || state} `, element("small", {}, when));
      });
      $("compare-earlier").hidden = found.length < 2;
      part($("compare-earlier"), "ul").replaceChildren(...rows);
    } catch {
      // the list will be loaded again when the next comparison begins or ends
    }
  }

  /** Shows the state and the results of a comparison. @param {Trial} trial */
  show(trial) {
    const { told, state } = trial;
    if (this.told !== trial.id + state) void this.list();
    this.told = trial.id + state;
    const isOpen = state === "waiting" || state === "running";
    $("compare-stop").hidden = !isOpen;
    $("compare-start").hidden = isOpen;
    const verdict = told.sentence && !isOpen ? told.sentence : "";
    const going = isOpen && told.matches ? `Playing: ${told.matches} matches so far` : toldOf(trial);
    $("compare-status").textContent = verdict || going;
    $("compare-problem").textContent = state === "failed" && told.step === "compiling" ? told.problem : "";
    $("compare-problem").hidden = !$("compare-problem").textContent;
    const has = told.elo !== undefined;
    $("compare-figures").hidden = !has;
    if (!has) return;
    $("compare-what").textContent = `Version ${trial.version} against ${trial.against}`;
    $("compare-score").textContent = `${told.wins} won, ${told.draws} drawn, ${told.losses} lost`;
    $("compare-elo").textContent = `${signed(told.elo)} (${signed(told.elo_low)} to ${signed(told.elo_high)})`;
    const [low, high] = told.llr_bounds;
    const meter = $("compare-llr", HTMLMeterElement);
    [meter.min, meter.max, meter.value] = [low, high, Math.min(high, Math.max(low, told.llr))];
    $("compare-llr-text").textContent =
      `${told.llr.toFixed(2)}, between ${low.toFixed(2)} (not better) and ${high.toFixed(2)} (better)`;
  }
}

/** Returns a rounded difference of Elo with its sign. @param {number} elo */
const signed = (elo) => `${elo > 0 ? "+" : ""}${Math.round(elo)}`;
