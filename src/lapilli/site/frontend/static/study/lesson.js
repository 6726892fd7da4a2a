// @ts-check
// A tutorial: positions with instructions, one after the other. The browser stores which steps are done.

import { element } from "../../../../viewer/static/player/elements.js";
import { $ } from "../dom.js";
import { listSteps, Solving } from "./solving.js";
import { stepsDone, storeStepsDone } from "./steps_done.js";
import { ask } from "./study.js";

/** @typedef {{title: string, task: string, say: string, place: import("./study.js").Place, player: number, asked: boolean}} Step */

/** In such windows, the explanation of a step is closed at first, so that the board is in the window. */
const NARROW = matchMedia("(max-width: 860px)");

class Lesson {
  constructor() {
    const { game, steps } = JSON.parse($("place").textContent);
    this.game = game;
    /** @type {Step[]} */
    this.steps = steps;
    /** Indices of the steps that are done. @type {Set<number>} */
    this.done = stepsDone(game);
    this.at = 0;
    this.solving = new Solving((turn) => void this.answer(turn));
    $("next").addEventListener("click", () => void this.next());
    $("before").addEventListener("click", () => void this.go($("over").hidden ? this.at - 1 : this.at));
    $("again").addEventListener("click", () => void this.go(this.at));
    $("show").addEventListener("click", () => void this.answer(""));
    const explain = () => ($("explained", HTMLDetailsElement).open = !NARROW.matches);
    NARROW.addEventListener("change", explain);
    explain();
    const first = this.steps.findIndex((_, number) => !this.done.has(number));
    void this.go(Math.max(0, first));
  }

  remember() {
    this.done.add(this.at);
    storeStepsDone(this.game, this.done);
    this.draw();
  }

  /** Shows a step. @param {number} at index of the step */
  async go(at) {
    this.at = Math.max(0, Math.min(this.steps.length - 1, at));
    const step = this.steps[this.at];
    $("title").textContent = step.title;
    $("task").textContent = step.task || step.say;
    $("say").textContent = step.task ? step.say : "";
    $("explained").hidden = !step.task || !step.say;
    $("count").textContent = `${this.at + 1} of ${this.steps.length}`;
    this.end(false);
    $("again").hidden = true;
    $("why").textContent = "";
    $("show").hidden = !step.asked;
    this.goesOn(!step.asked);
    this.draw();
    if (!(await this.solving.ask(step.place, step.player))) return;
    if (!step.asked) {
      this.solving.study.plays = false;
      this.solving.study.offer();
      if (step.place.moves.length) await this.solving.study.go(step.place, { step: true });
    }
    this.solving.say(step.asked ? "Your turn" : "");
  }

  async next() {
    if (!this.steps[this.at].asked) this.remember();
    if (this.at < this.steps.length - 1) return this.go(this.at + 1);
    return this.end(true);
  }

  /** Shows the end of the tutorial instead of a step, or the step again. @param {boolean} isOver */
  end(isOver) {
    $("over").hidden = !isOver;
    $("step").hidden = $("next").hidden = isOver;
    if (!isOver) return;
    for (const id of ["again", "show"]) $(id).hidden = true;
    this.solving.stop();
    this.solving.say("Well done!", "good");
    $("done").focus();
  }

  /** Sends the person's turn to the site, and shows the verdict. @param {string} reply "" to see the solution */
  async answer(reply) {
    try {
      const told = await ask(`/learn/${this.game}/${this.at}`, { reply });
      $("why").textContent = told.say;
      if (told.good) this.remember();
      this.solving.say(told.good ? "Done" : reply ? "Not quite" : "", told.good ? "good" : reply ? "bad" : "");
      $("again").hidden = told.good || !told.line.length;
      $("show").hidden = told.good || !reply;
      this.goesOn(told.good);
      if (told.line.length) await this.solving.show(told.line);
    } catch (problem) {
      $("why").textContent = /** @type {Error} */ (problem).message;
      await this.solving.again();
    }
  }

  /** Makes the button to the next step the main one when the step is done. Before, it skips the step. @param {boolean} isDone */
  goesOn(isDone) {
    const isLast = this.at === this.steps.length - 1;
    $("next").textContent = isDone ? (isLast ? "Finish" : "Next") : "Skip";
    for (const [name, isSet] of /** @type {[string, boolean][]} */ ([
      ["button", isDone],
      ["quiet", !isDone],
    ]))
      $("next").classList.toggle(name, isSet);
  }

  draw() {
    $("dots").replaceChildren(
      ...this.steps.map((_, number) =>
        element("i", { className: `${this.done.has(number) ? "done" : ""} ${number === this.at ? "now" : ""}` }),
      ),
    );
    const steps = this.steps.map(({ title }, number) => {
      return { title, label: `Step ${number + 1}: ${title}`, done: this.done.has(number) };
    });
    listSteps(steps, this.at, (at) => void this.go(at));
    $("before", HTMLButtonElement).disabled = this.at === 0;
  }
}

Object.assign(window, { lapilliLesson: new Lesson() });
