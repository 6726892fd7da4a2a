// @ts-check
// A puzzle: the turn is chosen on the board, judged by the site, and the line that follows is shown.

import { Solving, analysisOf } from "./solving.js";
import { listen } from "./study.js";

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

class Puzzle {
  constructor() {
    this.data = JSON.parse($("place").textContent);
    this.place = { game: this.data.game, setup: this.data.setup, moves: [] };
    this.solving = new Solving((turn) => void this.answer(turn));
    this.path = `/puzzles/${this.data.game}/${this.data.puzzle}`;
    $("analyse").href = analysisOf(this.place);
    $("solution").addEventListener("click", () => void this.answer(""));
    $("again").addEventListener("click", () => void this.again());
    void this.begin();
  }

  async begin() {
    if (await this.solving.ask(this.place, this.data.player)) this.solving.say("Your turn");
  }

  async again() {
    $("again").hidden = true;
    $("solution").hidden = false;
    $("why").textContent = "";
    await this.begin();
  }

  /** @param {string} reply "" for who wants to be told */
  async answer(reply) {
    $("solution").hidden = true;
    this.solving.say(reply ? "Looking at it …" : "");
    await listen(this.path, { reply }, (told) => void this.judged(told));
  }

  /** @param {any} told */
  async judged(told) {
    if (told.problem) {
      this.solving.say(told.problem, "bad");
      await this.solving.again();
      return;
    }
    const percent = (/** @type {number} */ value) => `${Math.round(100 * value)} %`;
    if (told.good) this.solving.say("Solved: that is it.", "good");
    else if (told.shown) this.solving.say("This is the turn.");
    else
      this.solving.say(`Not the best: it leads to ${percent(told.value)}, the best to ${percent(told.best)}.`, "bad");
    $("why").textContent =
      told.good || told.shown
        ? "The board shows what may follow."
        : "The board shows what may follow your turn. Try again, or look at the solution.";
    $("again").hidden = told.good;
    $("solution").hidden = told.good || told.shown;
    $("next").classList.toggle("button", told.good || told.shown);
    if (told.counted)
      [$("rating").textContent, $("solved").textContent] = [told.rating, `${told.solved} of ${told.tries}`];
    if (told.counted)
      $("counted").textContent =
        `Your rating is ${told.rating} now, this puzzle's ${told.hard}.${told.streak > 1 ? ` ${told.streak} days on end.` : ""}`;
    await this.solving.show(told.good || told.shown ? told.line : told.refutation);
  }
}

Object.assign(window, { lapilliPuzzle: new Puzzle() });
