// @ts-check
// Does it still beat the last version? Two versions, and how a comparison of them stands.

import { element } from "../../../viewer/static/player/elements.js";
import { Following, toldOf } from "./asking.js";

/** @typedef {import("./asking.js").Trial} Trial */

export class Comparing {
  /**
   * @param {HTMLElement} page
   * @param {string} bot the bot's address
   * @param {(error: unknown) => void} fail
   */
  constructor(page, bot, fail) {
    this.following = new Following(bot);
    this.fail = fail;
    /** @type {(id: string) => any} */
    this.$ = (id) => page.querySelector(`#${id}`);
    this.$("compare-start").addEventListener("click", () => void this.begin());
    this.$("compare-stop").addEventListener("click", () => void this.following.stop().catch(fail));
  }

  /** @param {{number: number, when: string}[]} versions the last first */
  offer(versions) {
    const chosen = [this.$("compare-new"), this.$("compare-old")];
    chosen.forEach((select, place) => {
      const before = select.dataset.touched ? select.value : "";
      select.replaceChildren(...versions.map(({ number, when }) => element("option", { value: String(number) }, `Version ${number} · ${when}`)));
      select.value = before || String(versions[Math.min(place, versions.length - 1)]?.number ?? "");
      select.onchange = () => (select.dataset.touched = "yes");
    });
    this.$("compare-start").disabled = versions.length < 2;
    this.$("compare-none").hidden = versions.length >= 2;
  }

  async begin() {
    const [version, other] = [Number(this.$("compare-new").value), Number(this.$("compare-old").value)];
    await this.following.begin({ kind: "compare", version, other }, (trial) => this.show(trial)).catch(this.fail);
  }

  /** @param {string} id */
  async goOn(id) {
    await this.following.follow(id, (trial) => this.show(trial)).catch(this.fail);
  }

  /** @param {Trial} trial */
  show(trial) {
    const { told, state } = trial;
    const isOpen = state === "waiting" || state === "running";
    this.$("compare-stop").hidden = !isOpen;
    this.$("compare-start").hidden = isOpen;
    const verdict = told.sentence && !isOpen ? told.sentence : "";
    const going = isOpen && told.matches ? `Playing: ${told.matches} matches so far` : toldOf(trial);
    this.$("compare-status").textContent = verdict || going;
    this.$("compare-problem").textContent = state === "failed" && told.step === "compiling" ? told.problem : "";
    this.$("compare-problem").hidden = !this.$("compare-problem").textContent;
    const has = told.elo !== undefined;
    this.$("compare-figures").hidden = !has;
    if (!has) return;
    this.$("compare-what").textContent = `Version ${trial.version} against version ${trial.other}`;
    this.$("compare-score").textContent = `${told.wins} won, ${told.draws} drawn, ${told.losses} lost`;
    this.$("compare-elo").textContent = `${signed(told.elo)} (${signed(told.elo_low)} to ${signed(told.elo_high)})`;
    const [low, high] = told.llr_bounds;
    const meter = this.$("compare-llr");
    [meter.min, meter.max, meter.value] = [low, high, Math.min(high, Math.max(low, told.llr))];
    this.$("compare-llr-text").textContent = `${told.llr.toFixed(2)}, between ${low.toFixed(2)} (not better) and ${high.toFixed(2)} (better)`;
  }
}

/** @param {number} elo */
const signed = (elo) => `${elo > 0 ? "+" : ""}${Math.round(elo)}`;
