// @ts-check
// The mistakes of one side of a match, as exercises: shows the position before each mistake, and asks for a better
// turn.

import { counted, drawn, percent, rounded, signOfMark, together } from "../../../../viewer/static/analysis/marks.js";
import { element } from "../../../../viewer/static/player/elements.js";
import { Chart } from "../../../../viewer/static/player/panels/chart.js";
import { $ } from "../dom.js";
import { listSteps, Solving, verdictOf } from "./solving.js";
import { analysisOf, listen } from "./study.js";

/**
 * A turn that the analysis marks as bad, with the data that `reviewed` in study/mistakes.py describes.
 * @typedef {{player: number, mark: string, before: number, after: number, moves: number, reply: string, best: string,
 *   instead: string, played: string[][], better: string[][], playedWords: string, words: string, reason: string}} Mistake
 */

/** Keys that press a button of the page. @type {Record<string, string>} */
const KEYS = { n: "next", b: "before", s: "solution", r: "again" };

class Mistakes {
  constructor() {
    this.data = JSON.parse($("place").textContent);
    this.solving = new Solving((turn) => void this.answer(turn), this.data.names);
    /** @type {Mistake[]} */
    this.all = [];
    /** @type {Mistake[]} */
    this.these = [];
    /** @type {(number | null)[]} */
    this.accuracy = [];
    /** Numbers of inaccuracies, which are no exercises, by player. @type {number[]} */
    this.inaccuracies = [];
    /** Each player's winning chance after each number of turns. @type {((number | null)[] | null)[]} */
    this.values = [];
    /** The turn that the match has reached after each number of moves. @type {number[]} */
    this.turns = [];
    /** @type {Chart | undefined} */
    this.chart = undefined;
    this.at = 0;
    /** Mistakes for which the person has found a better turn. @type {Set<Mistake>} */
    this.found = new Set();
    /** Ends the request for the verdict on the person's turn. @type {AbortController | undefined} */
    this.judging = undefined;
    addEventListener("keydown", (event) => this.press(event));
    $("side").addEventListener("change", () => void this.choose(this.player));
    $("next").addEventListener("click", () => void this.go(this.at + 1));
    $("before").addEventListener("click", () => void this.go(this.at - 1));
    $("again").addEventListener("click", () => void this.go(this.at));
    $("solution").addEventListener("click", () => void this.solution());
    $("other").addEventListener("click", () => void this.choose(this.other()));
    void this.begin();
  }

  async begin() {
    this.solving.say("The engine looks for mistakes …");
    await this.solving.study.go({ ...this.data, moves: [] }, { whole: true });
    this.solving.study.plays = false;
    this.solving.study.offer();
    try {
      await listen(`/m/${this.data.match}/mistakes`, {}, (told) => this.hear(told));
    } catch {
      this.solving.say("The site cannot be reached. Reload the page to try again.", "bad");
    }
  }

  /** Names a mistake by the number of its turn, as the match does, such as "Turn 5: a blunder". @param {Mistake} one */
  called(one) {
    return `Turn ${this.turns[one.moves] + 1}: a ${one.mark}`;
  }

  /** Receives the progress or the result of the match's analysis. @param {any} told */
  hear(told) {
    if (told.problem) return this.solving.say(told.problem, "bad");
    if (told.of !== undefined) {
      $("progress", HTMLProgressElement).max = told.of;
      $("progress", HTMLProgressElement).value = told.done;
      return this.solving.say(`The engine looks for mistakes: turn ${told.done} of ${told.of} …`);
    }
    $("progress").hidden = true;
    $("found").hidden = false;
    const isSmall = (/** @type {Mistake} */ { mark }) => mark === "inaccuracy";
    this.all = told.mistakes.filter((/** @type {Mistake} */ one) => !isSmall(one));
    this.inaccuracies = this.data.sides.map(
      (/** @type {string} */ _, /** @type {number} */ player) =>
        told.mistakes.filter((/** @type {Mistake} */ one) => isSmall(one) && one.player === player).length,
    );
    [this.accuracy, this.values, this.turns] = [told.accuracy, told.values, told.turns];
    const counts = this.data.sides.map(
      (/** @type {string} */ _, /** @type {number} */ player) => this.all.filter((one) => one.player === player).length,
    );
    for (const [player, option] of [...$("side", HTMLSelectElement).options].entries())
      option.textContent += `: ${counts[player]}`;
    const some = counts.findIndex((/** @type {number} */ count) => count > 0);
    return void this.choose(this.data.own ?? Math.max(0, some));
  }

  /** The number of the side whose mistakes are shown. */
  get player() {
    return Number($("side", HTMLSelectElement).value);
  }

  /** The first other side with mistakes; -1 if there is none. */
  other() {
    return this.data.sides.findIndex(
      (/** @type {string} */ _, /** @type {number} */ player) =>
        player !== this.player && this.all.some((one) => one.player === player),
    );
  }

  /** Shows the mistakes of a side. @param {number} player */
  async choose(player) {
    $("side", HTMLSelectElement).value = String(player);
    this.these = this.all.filter((one) => one.player === player);
    const accuracy = this.accuracy[player];
    $("accuracy").textContent = typeof accuracy === "number" ? `Accuracy ${accuracy.toFixed(0)} %` : "";
    this.plot();
    await this.go(0);
  }

  /** Draws the graph of the match's winning chances, with this side's mistakes. A click goes to the nearest mistake. */
  plot() {
    const figure = $("graph");
    figure.replaceChildren();
    figure.hidden = !this.values.some((row) => row);
    const distance = (/** @type {Mistake} */ { moves }, /** @type {number} */ at) => Math.abs(moves + 1 - at);
    this.chart = new Chart(figure, {
      label: "Winning chances, turn by turn",
      words: percent,
      go: (at) => {
        if (!this.these.length) return;
        const near = this.these.reduce((best, one) => (distance(one, at) < distance(best, at) ? one : best));
        void this.go(this.these.indexOf(near));
      },
    });
    const unknown = this.data.sides.map(() => null);
    const rows = this.values.map((row, at) => /** @type {[number, (number | null)[]]} */ ([at, row ?? unknown]));
    this.chart.plot(rows, { last: rows.length - 1, low: 0, high: 1, levels: [0, 0.5, 1] });
    for (const one of this.these) {
      const after = this.values[one.moves + 1]?.[one.player] ?? one.after;
      this.chart.put(one.moves + 1, after, element("span", { className: "dot" }, signOfMark(one.mark)));
    }
  }

  /** Shows a mistake. @param {number} at index in the list of this side's mistakes */
  async go(at) {
    this.judging?.abort();
    this.judging = undefined;
    const one = this.these[at];
    this.at = Math.min(at, this.these.length);
    for (const id of ["again", "solution", "next", "said", "over"]) $(id).hidden = true;
    $("before").hidden = !this.these.length;
    $("before", HTMLButtonElement).disabled = this.at === 0;
    $("why").textContent = "";
    this.draw();
    if (!one) return void this.end();
    this.chart?.point(one.moves + 1, "Winning chances in the match", true);
    const place = { game: this.data.game, setup: this.data.setup, moves: this.data.moves.slice(0, one.moves) };
    $("analyse", HTMLAnchorElement).href = analysisOf(place);
    const name = one.player === this.data.own ? "You" : this.data.names[one.player];
    $("title").replaceChildren(signOfMark(one.mark), ` ${this.called(one)}`);
    $("said").hidden = false;
    $("whose").textContent = `${name} played`;
    $("played").textContent = one.playedWords || "No turn: the time was up";
    $("after").textContent = percent(one.after);
    $("kept").textContent = percent(one.before);
    this.tellBetter("");
    $("solution").hidden = $("next").hidden = false;
    $("solution", HTMLButtonElement).disabled = true;
    const isShown = await this.solving.ask(place, one.player, drawn(one.played, "bad"));
    if (!isShown || this.these[this.at] !== one) return undefined;
    $("solution", HTMLButtonElement).disabled = false;
    return this.solving.say("Find a better move");
  }

  /** Sends the person's turn to the site, which judges it. @param {string} reply */
  async answer(reply) {
    const one = this.these[this.at];
    if (reply === one.reply) {
      this.solving.say("That is the move that was played. Look for another one.", "bad");
      return this.ended(false);
    }
    this.solving.say("Checking …");
    $("solution").hidden = true;
    const { place } = this.solving;
    const judging = (this.judging = new AbortController());
    try {
      await listen(
        "/analyse/answer",
        { ...place, player: one.player, reply, best: one.best },
        (told) => this.judging === judging && void this.judged(one, told),
        judging.signal,
      );
    } catch {
      if (this.judging === judging) void this.judged(one, { problem: "The site cannot be reached. Try again." });
    }
    return undefined;
  }

  /** Shows the verdict on the person's turn. @param {Mistake} one @param {any} told */
  async judged(one, told) {
    if (told.problem) {
      this.solving.say(told.problem, "bad");
      return this.ended(false);
    }
    this.solving.say(verdictOf(told), told.good ? "good" : "bad");
    if (told.good) this.found.add(one);
    $("why").textContent = told.good ? one.reason : "";
    this.ended(told.good);
    await this.solving.show(told.good ? told.line : told.refutation);
    return undefined;
  }

  async solution() {
    const one = this.these[this.at];
    this.solving.say("This is the better move");
    $("why").textContent = one.reason;
    this.tellBetter(one.words);
    this.ended(true);
    const signs = together([drawn(one.better, "best"), drawn(one.played, "bad")]);
    await this.solving.show([one.instead], { from: 0, signs });
  }

  /** Shows the better turn in words. @param {string} words "" while the person looks for it */
  tellBetter(words) {
    $("better").textContent = words || "?";
    $("better").classList.toggle("muted", !words);
  }

  /** Shows the buttons that are useful after an answer. @param {boolean} isDone whether the exercise is solved */
  ended(isDone) {
    $("again").hidden = false;
    $("solution").hidden = isDone;
    this.draw();
    $("next").classList.toggle("button", isDone);
  }

  /** Shows that there is no further mistake, and where one can go on. */
  async end() {
    const [count, found] = [this.these.length, this.these.filter((one) => this.found.has(one)).length];
    this.solving.stop();
    this.solving.study.plays = false;
    this.solving.study.offer();
    $("over").hidden = false;
    $("result").textContent = count ? `You found ${found} of ${count} better moves` : this.summary();
    this.solving.say(count ? "That was the last one." : "No mistakes found.", "good");
    const other = this.other();
    $("other").hidden = other < 0;
    $("whole").classList.toggle("quiet", other >= 0);
    if (other >= 0) $("other").textContent = `Mistakes of ${this.data.names[other]}`;
    if (count) return;
    this.chart?.point(this.data.moves.length, "Winning chances in the match", true);
    await this.solving.study.go(this.data);
  }

  /** How well a side without mistakes has played, in a sentence. */
  summary() {
    const { player } = this;
    const [accuracy, small] = [this.accuracy[player], this.inaccuracies[player]];
    const who = player === this.data.own ? "You" : this.data.names[player];
    const how = typeof accuracy === "number" ? ` played with an accuracy of ${rounded(accuracy)}` : " made no mistake";
    return `${who}${how}${small ? `, with ${counted(small, "inaccuracy")}` : ""}`;
  }

  /** Draws the row of this side's mistakes. */
  draw() {
    const steps = this.these.map((one) => {
      const title = this.called(one);
      return { title, label: title, done: this.found.has(one), sign: signOfMark(one.mark) };
    });
    $("steps").hidden = steps.length < 2;
    $("next").classList.remove("button");
    listSteps(steps, this.at, (at) => void this.go(at));
  }

  /** Presses the button of a key. @param {KeyboardEvent} event */
  press(event) {
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    const button = $(KEYS[event.key] ?? "", HTMLButtonElement);
    if (!button || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (button.hidden || button.disabled || target.closest("input, textarea, select")) return;
    button.click();
  }
}

Object.assign(window, { lapilliMistakes: new Mistakes() });
