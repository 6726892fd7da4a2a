// @ts-check
// A puzzle: the person chooses a turn on the board, the site judges it, and the board shows the line that follows.

import { element } from "../../../../viewer/static/player/elements.js";
import { $ } from "../dom.js";
import { Solving, verdictOf } from "./solving.js";
import { analysisOf, listen } from "./study.js";

class Puzzle {
  constructor() {
    this.data = JSON.parse($("place").textContent);
    /** @type {import("./study.js").Place} */
    this.place = { game: this.data.game, setup: this.data.setup, moves: [] };
    this.solving = new Solving((turn) => void this.answer(turn));
    /** @type {string[]} the solution's turns that were found, as the site sent them */
    this.found = [];
    this.path = `/puzzles/${this.data.game}/${this.data.puzzle}`;
    $("analyse", HTMLAnchorElement).href = analysisOf(this.place);
    $("solution").addEventListener("click", () => this.giveUp());
    $("give-up").addEventListener("click", () => void this.answer(""));
    $("go-on").addEventListener("click", () => this.askWhetherSure(false));
    $("again").addEventListener("click", () => void this.again());
    void this.begin();
  }

  async begin() {
    const { turns, player } = this.data;
    const which = turns > 1 ? ` (${this.found.length + 1} of ${turns})` : "";
    if (await this.solving.ask(this.place, player)) this.solving.say(`Find the best turn${which}`);
  }

  /**
   * Plays what follows the turn that was found, and asks for the next one.
   * @param {{next: string[], found: string[]}} told
   */
  async goOn({ next, found }) {
    this.found = found;
    this.place = { ...this.place, moves: [...this.place.moves, ...next] };
    $("why").textContent = "";
    $("solution").hidden = false;
    if (await this.solving.ask(this.place, this.data.player, undefined, { step: true }))
      this.solving.say(`Right! Now find turn ${found.length + 1} of ${this.data.turns}.`, "good");
  }

  async again() {
    $("again").hidden = true;
    $("solution").hidden = false;
    $("why").textContent = "";
    await this.begin();
  }

  /** Shows the solution. If this would lower the person's rating, asks for confirmation first. */
  giveUp() {
    if ($("solution").dataset.costs) this.askWhetherSure(true);
    else void this.answer("");
  }

  /** Shows or hides the question whether to give up. @param {boolean} asks */
  askWhetherSure(asks) {
    $("sure").hidden = !asks;
    $("solution").hidden = asks;
    if (asks) $("go-on").focus();
  }

  /** Sends the person's turn to the site. @param {string} reply "" to see the solution */
  async answer(reply) {
    $("sure").hidden = true;
    $("solution").hidden = true;
    this.solving.say(reply ? "Checking …" : "");
    await listen(this.path, { reply, found: this.found }, (told) => void this.judged(told));
  }

  /** Shows the site's verdict. @param {any} told */
  async judged(told) {
    if (told.problem) {
      this.solving.say(told.problem, "bad");
      await this.solving.again();
      return;
    }
    if (told.next) {
      await this.goOn(told);
      return;
    }
    const isOver = told.good || told.shown;
    if (told.good) this.solving.say("Solved!", "good");
    else if (told.shown) this.solving.say("This is the solution.");
    else this.solving.say(verdictOf(told), "bad");
    const more = "Step through what may follow";
    $("why").textContent = !isOver ? `${more} your move, or try again.` : told.line.length > 1 ? `${more}.` : "";
    $("again").hidden = told.good;
    $("solution").hidden = isOver;
    delete $("solution").dataset.costs;
    $("next").classList.toggle("quiet", !isOver);
    $("theme").textContent = this.data.theme;
    $("theme").hidden = /** @type {HTMLElement} */ ($("theme").previousElementSibling).hidden = false;
    $("stake").hidden = true;
    $("task").hidden = isOver || this.data.turns === 1;
    if (told.counted) {
      /** @type {HTMLElement} */ (document.querySelector(".own-figures")).hidden = false;
      $("streak").textContent = `${told.streak} day${told.streak === 1 ? "" : "s"}`;
      const gained = told.rating - Number($("rating").textContent);
      const points = element(
        "b",
        { className: gained < 0 ? "bad" : "good" },
        `${gained < 0 ? "−" : "+"}${Math.abs(gained)}`,
      );
      $("counted").replaceChildren(points, ` Your rating is ${told.rating}. This puzzle's is ${told.hard}.`);
      [$("rating").textContent, $("solved").textContent] = [told.rating, `${told.solved} of ${told.tries}`];
    }
    await this.solving.show(isOver ? told.line : told.refutation);
  }
}

Object.assign(window, { lapilliPuzzle: new Puzzle() });
