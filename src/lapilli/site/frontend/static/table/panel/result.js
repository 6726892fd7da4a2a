// @ts-check
// How a finished match was played: what it has changed of the ratings, and, once the site's engine has analysed the
// match, each player's accuracy, the course of the winning chances, and the turn that changed them most.

import { percent, rounded, signOfMark } from "../../../../../viewer/static/analysis/marks.js";
import { Chart } from "../../../../../viewer/static/player/panels/chart.js";
import { element, signOf } from "../../../../../viewer/static/player/elements.js";
import { listen } from "../../study/study.js";

/** @typedef {import("../messages.js").TableStatus} TableStatus */
/** @typedef {import("../../study/analysis/course.js").Mistake} Mistake */
/** @typedef {{name: string, side: string}} Named */
/**
 * The analysis of a match, with the keys that `reviewed` in study/mistakes.py describes.
 * @typedef {{accuracy: (number | null)[], values: ((number | null)[] | null)[], turns: number[], mistakes: Mistake[]}}
 *   Judgement
 */

/** A turn is the turning point of a match if it costs its player the lead, and at least this much of the winning chances. */
const TURNING = 0.2;

export class Result {
  /**
   * @param {HTMLElement} node
   * @param {string} match id of the match
   * @param {(turn: number) => void} go shows a turn on the board
   */
  constructor(node, match, go) {
    this.node = node;
    this.match = match;
    this.go = go;
    this.isAsked = false;
    /** The person's player number, if the person has played. @type {number | null} */
    this.seat = null;
    /** @type {Judgement | undefined} */
    this.judgement = undefined;
  }

  /**
   * Shows the result of a finished match. For somebody who has played, also requests the match's analysis.
   * @param {TableStatus | undefined} now
   * @param {Named[]} players
   * @param {number | null} seat the person's player number; null for a person who watches
   */
  show(now, players, seat) {
    this.seat = seat;
    const judges = Boolean(now?.outcome) && seat !== null && "judged" in this.node.dataset;
    this.node.hidden = !(judges || (now?.outcome && Object.keys(now.ratings).length));
    if (this.node.hidden || !now) return;
    this.list(now.ratings, players, judges);
    if (judges && !this.isAsked) void this.judge(() => this.show(now, players, seat));
  }

  /**
   * Lists each player's accuracy and rating, and the turning point.
   * @param {Record<string, string>} ratings changes of ratings in words, by player
   * @param {Named[]} players
   * @param {boolean} judges whether the match is analysed
   */
  list(ratings, players, judges) {
    const label = (/** @type {string} */ text) => element("small", {}, text);
    const exact = players.flatMap(({ name }, player) => {
      const known = this.judgement ? this.judgement.accuracy[player] : undefined;
      const text = typeof known === "number" ? rounded(known) : this.judgement ? "–" : "…";
      return [signOf(player, name), element("b", {}, text)];
    });
    const changes = Object.entries(ratings).flatMap(([player, text]) => [
      signOf(Number(player), players[Number(player)].name),
      element("span", {}, text),
    ]);
    this.node
      .querySelector("ul")
      ?.replaceChildren(
        ...(changes.length ? [element("li", {}, label("Rating"), ...changes)] : []),
        ...(judges ? [element("li", {}, label("Accuracy"), ...exact)] : []),
        ...this.turning(),
      );
  }

  /** The turn that changed the winning chances most, as a list item with a button that shows it. */
  turning() {
    const worst = this.worst;
    if (!worst) return [];
    const turn = (this.judgement?.turns[worst.moves] ?? 0) + 1;
    const title = `Turn ${turn}: winning chance from ${percent(worst.before)} to ${percent(worst.after)}`;
    const button = element(
      "button",
      { type: "button", title, onclick: () => this.go(turn) },
      signOfMark(worst.mark),
      element("span", {}, "Turning point: ", element("b", {}, `turn ${turn}`)),
    );
    return [element("li", {}, button)];
  }

  /** The worst mistake that has cost its player the lead, and has changed the winning chances much. */
  get worst() {
    const even = 1 / (this.judgement?.accuracy.length || 1);
    const loss = (/** @type {Mistake} */ { before, after }) => before - after;
    const turned = (this.judgement?.mistakes ?? []).filter(
      (one) => loss(one) >= TURNING && one.before >= even && one.after < even,
    );
    return turned.sort((one, other) => loss(other) - loss(one))[0];
  }

  /** Requests the analysis of the match. @param {() => void} done is called when it has come */
  async judge(done) {
    this.isAsked = true;
    this.node.ariaBusy = "true";
    const going = new AbortController();
    addEventListener("pagehide", () => going.abort(), { once: true });
    /** @type {any} */
    let told = {};
    try {
      await listen(`/m/${this.match}/mistakes`, {}, (one) => (told = one), going.signal);
    } catch {
      told = {}; // the rest of the page does not need the analysis
    }
    this.node.ariaBusy = null;
    this.judgement = { accuracy: [], values: [], turns: [], mistakes: [], ...told };
    this.plot();
    done();
  }

  /** Draws the course of the winning chances. Of two players, only the person's own line: the other mirrors it. */
  plot() {
    const { values, turns } = /** @type {Judgement} */ (this.judgement);
    const figure = /** @type {HTMLElement} */ (this.node.querySelector("figure"));
    const count = Math.max(0, ...values.map((row) => row?.length ?? 0));
    figure.hidden = values.length < 2 || !count;
    if (figure.hidden) return;
    const chart = new Chart(figure, {
      label: "Winning chances, turn by turn",
      words: percent,
      go: (at) => this.go(turns[at]),
    });
    const own = count === 2 ? this.seat : null;
    const unknown = Array.from({ length: count }, () => null);
    const last = values.findLastIndex((row) => row?.some((value) => value !== null));
    const shown = (/** @type {(number | null)[] | null} */ row) =>
      (row ?? unknown).map((value, player) => (own === null || player === own ? value : null));
    const rows = values.map((row, at) => /** @type {[number, (number | null)[]]} */ ([at, shown(row)]));
    chart.plot(rows, { last, low: 0, high: 1, levels: [0, 0.5, 1] });
    chart.point(last, own === null ? "Winning chances" : "Your chance to win", true);
    const { worst } = this;
    if (!worst) return;
    const after = (own === null ? null : values[worst.moves + 1]?.[own]) ?? worst.after;
    chart.put(worst.moves + 1, after, element("span", { className: "dot" }, signOfMark(worst.mark)));
  }
}
