// @ts-check
// The graph of a line: each player's winning chance in each position, and the turns that an engine marks as mistakes.

import { counted, MARKS, percent, rounded, signOfMark } from "../../../../../viewer/static/analysis/marks.js";
import { Chart } from "../../../../../viewer/static/player/panels/chart.js";
import { element } from "../../../../../viewer/static/player/elements.js";
import { capital } from "../../../../../viewer/static/player/text/phrases.js";
import { $ } from "../../dom.js";
import { listen } from "../study.js";

/** @typedef {import("../study.js").Place} Place */
/** @typedef {import("./tree.js").Node} Node */
/**
 * A turn that the analysis marks as bad. `mark`: such as "mistake". `before`, `after`: the player's expected score
 * before and after the turn. `moves`: number of turns before it. `words`: the best turn in words.
 * @typedef {{player: number, mark: string, before: number, after: number, moves: number, words: string,
 *   reason: string}} Mistake
 */

export class Course {
  /** @param {(node: Node) => void} go is called with the turn that was chosen on the graph */
  constructor(go) {
    this.go = go;
    this.match = "";
    /** @type {{side: string}[]} */
    this.players = [];
    /** The nodes of the judged line, from the start on. @type {Node[]} */
    this.nodes = [];
    /** @type {Map<Node, Mistake>} */
    this.mistakes = new Map();
    /** @type {((number | null)[] | null)[]} */
    this.values = [];
    /** @type {AbortController | undefined} */
    this.going = undefined;
    /** @type {Chart | undefined} */
    this.chart = undefined;
    addEventListener("pagehide", () => this.going?.abort());
  }

  /**
   * Clears the graph, because another line is shown.
   * @param {{side: string}[]} players
   * @param {string} match id of the site's match with this line; "" if it is not a match of the site
   */
  begin(players, match) {
    this.going?.abort();
    [this.players, this.match, this.nodes, this.values] = [players, match, [], []];
    this.mistakes.clear();
    $("graph").hidden = $("marks").hidden = true;
    $("judge").hidden = false;
    $("judged").textContent = "";
  }

  /**
   * Requests the engine's judgement of every turn of a line, and shows the results.
   * @param {Place} place the end of the line
   * @param {Node} root
   * @param {Node} end the node of that place
   */
  async judge(place, root, end) {
    const isWholeMatch = this.match !== "";
    if (!place.moves.length) return this.say("Play or open some turns first.");
    this.going?.abort();
    const going = (this.going = new AbortController());
    $("judge").hidden = true;
    const [path, data] = isWholeMatch ? [`/m/${this.match}/mistakes`, {}] : ["/analyse/review", place];
    this.match = ""; // another line is not that match
    try {
      await listen(path, data, (told) => this.going === going && this.hear(told, [root, ...end.path()]), going.signal);
    } catch (problem) {
      if (/** @type {Error} */ (problem).name !== "AbortError") this.say("The engine cannot be reached.");
    }
    $("judge").hidden = this.nodes.includes(end);
    return undefined;
  }

  /** Receives the progress or the result of the analysis. @param {any} told @param {Node[]} nodes nodes of the line */
  hear(told, nodes) {
    if (told.problem) return this.say(`${capital(told.problem)}.`);
    if (told.of !== undefined) return this.say(`Turn ${told.done} of ${told.of} …`);
    [this.nodes, this.values] = [nodes, told.values];
    this.mistakes = new Map(told.mistakes.map((/** @type {Mistake} */ one) => [nodes[one.moves + 1], one]));
    this.plot(told.accuracy);
    return this.say("");
  }

  /** Draws the graph and the counts of mistakes. @param {(number | null)[]} accuracy each player's accuracy */
  plot(accuracy) {
    const figure = $("graph");
    figure.replaceChildren();
    figure.hidden = $("marks").hidden = false;
    this.chart = new Chart(figure, {
      label: "Winning chances, turn by turn",
      words: percent,
      go: (at) => this.go(this.nodes[Math.min(at, this.nodes.length - 1)]),
    });
    const unknown = this.players.map(() => null);
    const rows = this.values.map((row, at) => /** @type {[number, (number | null)[]]} */ ([at, row ?? unknown]));
    this.chart.plot(rows, { last: this.nodes.length - 1, low: 0, high: 1, levels: [0, 0.5, 1] });
    for (const [node, one] of this.mistakes) {
      const title = `Turn ${one.moves + 1}: ${this.sentence(one)}`;
      const dot = element(
        "button",
        { type: "button", className: "dot", title, tabIndex: -1, ariaLabel: title, onclick: () => this.go(node) },
        signOfMark(one.mark),
      );
      this.chart.put(one.moves + 1, this.values[one.moves + 1]?.[one.player] ?? one.after, dot);
    }
    const all = [...this.mistakes.values()];
    const counts = MARKS.map((mark) => {
      const count = all.filter((one) => one.mark === mark).length;
      return element("span", {}, signOfMark(mark), ` ${counted(count, mark)}`);
    });
    const exact = this.players.flatMap(({ side }, player) => {
      const known = accuracy[player];
      return typeof known === "number" ? [`${side} ${rounded(known)}`] : [];
    });
    $("marks").replaceChildren(
      ...counts,
      ...(exact.length ? [element("span", {}, `Accuracy: ${exact.join(", ")}`)] : []),
    );
  }

  /** A marked turn in a sentence. @param {Mistake} one */
  sentence({ player, mark, before, after, words, reason }) {
    const { side } = this.players[player];
    const drop = `${side}'s winning chance drops from ${percent(before)} to ${percent(after)}`;
    return `${capital(mark)}: ${drop}. ${reason}${reason && " "}Better: ${words}.`;
  }

  /** Marks a turn on the graph, and shows the engine's judgement of the turn. @param {Node} node */
  point(node) {
    const at = this.nodes.indexOf(node);
    const one = this.mistakes.get(node);
    if (this.nodes.length) this.say(one ? this.sentence(one) : "");
    $("judge").hidden = at >= 0;
    if (!this.chart || !this.nodes.length) return;
    const row = at < 0 ? undefined : this.values[at];
    const known = this.players.flatMap(({ side }, player) => {
      const value = row?.[player];
      return typeof value === "number" ? [`${side} ${percent(value)}`] : [];
    });
    const where = known.length ? `Winning chances: ${known.join(", ")}` : "Winning chances";
    this.chart.point(Math.max(0, at), at < 0 ? "This turn is not on the judged line" : where, true);
  }

  /** The mark of a turn. @param {Node} node @returns {string} "" if the turn has no mark */
  markOf(node) {
    return this.mistakes.get(node)?.mark ?? "";
  }

  /**
   * The next or previous marked turn.
   * @param {Node} node
   * @param {number} by 1 for the next one, -1 for the previous one
   */
  marked(node, by) {
    const at = this.nodes.indexOf(node);
    const marked = this.nodes.map((one, number) => (this.mistakes.has(one) ? number : -1)).filter((one) => one >= 0);
    const found = by > 0 ? marked.find((number) => number > at) : marked.findLast((number) => number < at);
    return found === undefined ? undefined : this.nodes[found];
  }

  /** Shows the judgement of a turn, the progress of the analysis, or an error. @param {string} text "" for nothing */
  say(text) {
    $("judged").textContent = text;
  }
}
