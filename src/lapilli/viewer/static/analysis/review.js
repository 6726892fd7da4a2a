// @ts-check
/** <lapilli-player> for films with an analysis: shows values over time, the loss in each turn, and better turns. */

import { GLIDE_MS } from "../board/drawing/layers.js";
import { Chart } from "../player/panels/chart.js";
import { element, foreign, searchable, signOf, unseen } from "../player/elements.js";
import { isForOthers } from "../player/controls.js";
import { icon } from "../player/layout.js";
import { Player } from "../player/player.js";
import { calledBy, capital } from "../player/text/phrases.js";
import { counted, drawn, MARKS, percent, proof, rounded, signOfMark } from "./marks.js";
import { REVIEW_STYLE } from "./reviewstyle.js";

/** Where people touch the page with fingers. The marks of the chart are too small for them; the chart itself is not. */
const FINGERS = "(pointer: coarse)";

/** @typedef {import("../player/film/reel.js").Analysis} Analysis */
/** @typedef {import("../player/film/reel.js").Entry} Entry */
/** @typedef {import("../player/film/reel.js").Judged} Judged */

/**
 * Joins the lines of a reply.
 * @param {string} reply
 */
const onOneLine = (reply) => reply.trim().split("\n").join(" / ");

/** Replays a film that has an analysis. */
export class AnalysedPlayer extends Player {
  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(REVIEW_STYLE);
    this.shadowRoot?.adoptedStyleSheets.push(sheet);
    /** @type {number | null} the player whose best turn is on the board instead of the turn played; null for none */
    this.instead = null;
    /** @type {string[]} what each player is called */
    this.called = [];
    /** @type {number[]} indices of the turns that have a mark */
    this.marked = [];
  }

  /** @returns {Analysis} */
  get analysis() {
    return /** @type {Analysis} */ (this.film.analysis);
  }

  layOut() {
    this.instead = null;
    this.called = calledBy(this.film.players);
    super.layOut();
    this.layOutAccuracy();
    this.layOutValues();
    this.layOutReview();
    this.place();
    this.tabs.choose("analysis");
  }

  /** Number of the first picture to show: the end of the marked turn with the greatest loss, if there is one. */
  get beginning() {
    let [found, most] = [-1, 0];
    this.film.turns.forEach(({ judged = [] }, index) => {
      for (const { mark, loss } of judged) if (mark && loss > most) [found, most] = [index, loss];
    });
    return found < 0 ? super.beginning : this.reel.settled(found);
  }

  /** Whether the result and the whole charts are shown: always, because an analysis reveals them anyway. */
  get isWhole() {
    return true;
  }

  /** @returns {[chart: HTMLElement | null, following: HTMLElement]} */
  get graph() {
    return [this.$("values"), this.$("judged")];
  }

  /** Shows each player's accuracy and number of marks. */
  layOutAccuracy() {
    const { accuracy, marks, whole, engine, nodes, ms } = this.analysis;
    const list = element("ul", { id: "accuracy", ariaLabel: "How well they played" });
    this.film.players.forEach((_, player) => {
      const known = accuracy[player];
      const item = element(
        "li",
        {},
        signOf(player, ""),
        element("span", { className: "whose" }, foreign(this.called[player])),
        element("span", { className: "long" }, ": accuracy "),
        known === null ? "not known" : rounded(known),
      );
      for (const [mark, count] of Object.entries(marks[player])) {
        const [number, word] = counted(count, mark).split(" ");
        const facts = { className: "count", title: `${number} ${word}`, hidden: !count };
        item.append(
          element("span", facts, signOfMark(mark), number, element("span", { className: "long" }, ` ${word}`)),
        );
      }
      list.append(item);
    });
    const budget = [nodes && `${nodes.toLocaleString("en")} nodes`, ms && `${ms} ms`].filter(Boolean).join(" or ");
    const by = element("p", { className: "note detail" }, "By ", foreign(engine), `, ${budget} a turn.`);
    const stopped = whole
      ? []
      : [element("p", { className: "note", textContent: "The analysis stops before the end." })];
    this.$("values")?.remove(); // it may be the slider's track
    this.$("accuracy")?.remove(); // it may stand in the header
    this.$("analysis").replaceChildren(
      list,
      ...stopped,
      element("figure", { id: "values" }),
      element("div", { id: "judged" }),
      by,
    );
  }

  /** On a phone held upright, the players' accuracy stands above the board. On phones, the mistakes are where events were. */
  place() {
    super.place();
    const [accuracy, review] = [this.$("accuracy"), this.$("review")];
    if (!accuracy || !review) return;
    const [earlier, later] = this.steps ?? [];
    const isBrief = this.hasAttribute("brief");
    if (isBrief && this.marked.length) {
      this.$("buttons").prepend(earlier);
      this.$("buttons").append(later);
    } else review.prepend(earlier, later);
    for (const step of [earlier, later]) step.hidden = isBrief && !this.marked.length;
    if (isBrief && this.low.matches) this.$("controls").append(review);
    else this.$("controls").after(review);
    if (this.narrow.matches) this.$("result").after(accuracy);
    else this.$("analysis").prepend(accuracy);
  }

  /** The gravest mark of a turn, in words. @param {number} index */
  remark(index) {
    const marked = (this.film.turns[index].judged ?? []).filter(({ mark }) => mark);
    const [gravest] = marked.sort((one, other) => MARKS.indexOf(one.mark ?? "") - MARKS.indexOf(other.mark ?? ""));
    if (!gravest) return "";
    const [before, after] = gravest.chances;
    const name = this.called[gravest.player];
    return `${capital(gravest.mark ?? "")}: ${name}'s winning chance falls from ${percent(before)} to ${percent(after ?? 0)}`;
  }

  layOutValues() {
    const { turns } = this.film;
    const { values } = this.analysis;
    this.values = new Chart(this.$("values"), {
      label: "winning chances over time",
      words: percent,
      go: (at) => this.toTurn(this.reel.turnAt(at)),
    });
    const rows = values.map(
      (row, index) => /** @type {[number, (number | null)[]]} */ ([this.reel.settled(index), row]),
    );
    this.values.plot(rows, { last: this.reel.last, low: 0, high: 1, levels: [0, 0.5, 1] });
    this.marked = [];
    turns.forEach(({ judged = [], turn }, index) => {
      for (const one of judged) {
        const { player, mark } = one;
        if (!mark) continue;
        const [before, after] = one.chances;
        const title = `turn ${turn}: ${this.called[player]}, ${mark}, from ${percent(before)} to ${percent(after ?? 0)}`;
        const dot = this.dot(title, mark, index);
        this.values?.put(this.reel.settled(index), values[index]?.[player] ?? after ?? 0, dot);
        this.marked.push(index);
      }
    });
    Object.assign(this.values.dots, { role: "group", ariaLabel: "Marks" });
  }

  /**
   * Makes the mark of a turn for the chart: a button, or a picture where people touch the chart with fingers.
   * @param {string} title
   * @param {string} mark
   * @param {number} index of the turn
   */
  dot(title, mark, index) {
    const facts = { className: "dot", title, ariaLabel: title };
    if (matchMedia(FINGERS).matches) return element("span", { ...facts, role: "img" }, signOfMark(mark));
    const go = () => this.toTurn(index);
    return element("button", { ...facts, type: "button", tabIndex: -1, onclick: go }, signOfMark(mark));
  }

  layOutLog() {
    super.layOutLog();
    for (const row of this.log?.rows ?? []) {
      const mark = row.player === undefined ? undefined : this.judged(row.index, row.player)?.mark;
      if (!mark) continue;
      row.text = searchable(`${row.text} ${mark}`);
      row.button.querySelector(".ms")?.append(" ", signOfMark(mark), unseen(mark));
    }
  }

  /** Adds the buttons that lead to the previous and next mark, and those that show each player's best turn. */
  layOutReview() {
    /** @param {"markback" | "markforward"} name @param {number} by -1 or 1 @param {string} label */
    const to = (name, by, label) =>
      element("button", {
        type: "button",
        className: `jump mistake${by > 0 ? " onward" : ""}`,
        innerHTML: `${icon(name)}<span class="name">mistake</span>`,
        title: `${label} (${by < 0 ? "shift+" : ""}M)`,
        ariaLabel: label,
        onclick: () => this.toMark(by),
      });
    for (const step of this.steps ?? []) step.remove(); // they may stand between the buttons
    this.steps = [to("markback", -1, "Previous mistake"), to("markforward", 1, "Next mistake")];
    this.switches = this.film.players.map((_, player) =>
      element("button", {
        type: "button",
        ariaPressed: "false",
        hidden: true,
        onclick: () => this.showInstead(this.instead === player ? null : player),
      }),
    );
    this.$("review")?.remove();
    this.$("controls").after(
      element("div", { id: "review", role: "group", ariaLabel: "Analysis" }, ...this.steps, ...this.switches),
    );
    if (!this.$("keys").textContent.includes("shift+M"))
      this.$("keys").append(" M and shift+M lead from mistake to mistake, B shows what was best.");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    super.onKey(event);
    if (this.at < 0 || isForOthers(event, this)) return;
    if (event.key === "b" || event.key === "B") this.showNextInstead();
    else if (event.key === "m" || event.key === "M") this.toMark(event.shiftKey ? -1 : 1);
  }

  /**
   * Returns the analysis of a player's turn; undefined if there is none.
   * @param {number} index index of the turn in the film
   * @param {number} player
   */
  judged(index, player) {
    return this.film.turns[index]?.judged?.find((one) => one.player === player);
  }

  // -- changes when another picture is shown

  /**
   * Returns the index of the next turn with a mark in a direction; undefined if there is none.
   * @param {number} by -1 for backwards, 1 for forwards
   */
  markFrom(by) {
    const now = this.reel.turnAt(this.at);
    return by > 0 ? this.marked.find((index) => index > now) : this.marked.findLast((index) => index < now);
  }

  /** Shows the next turn with a mark. @param {number} by -1 for backwards, 1 for forwards */
  toMark(by) {
    const index = this.markFrom(by);
    if (index !== undefined) this.toTurn(index);
  }

  /**
   * Shows a picture of the film.
   * @param {number} at number of the picture
   * @param {number} glide time in which pieces move, in milliseconds
   */
  show(at, glide) {
    this.instead = null;
    this.removeAttribute("instead");
    this.draw([]);
    super.show(at, glide);
    this.press();
  }

  /** Shows the analysis of a turn. @param {number} index */
  showTurn(index) {
    super.showTurn(index);
    this.steps?.forEach((button, i) => (button.ariaDisabled = String(this.markFrom(i ? 1 : -1) === undefined)));
    this.switches?.forEach((button, player) => {
      const judged = this.judged(index, player);
      const name = this.called[player];
      button.hidden = !judged?.best.length;
      if (button.hidden) return;
      button.textContent = judged?.instead ? `What should ${name} have played?` : `${name} played the best turn found`;
      button.title = judged?.instead ? "Show it on the board (B)" : "";
      button.ariaDisabled = String(!judged?.instead);
    });
    const told = (this.film.turns[index].judged ?? []).map((judged) => {
      const name = foreign(this.called[judged.player]);
      return element("article", {}, element("h3", {}, signOf(judged.player, ""), name), ...this.toldOf(judged));
    });
    const { turn } = this.film.turns[index];
    this.$("judged").replaceChildren(...(told.length ? [element("h2", { textContent: `Turn ${turn}` }), ...told] : []));
  }

  showCharts() {
    super.showCharts();
    const index = this.reel.turnAt(this.at);
    this.values?.point(this.at, this.worth(index), true);
  }

  press() {
    this.switches?.forEach((button, player) => (button.ariaPressed = String(this.instead === player)));
  }

  /** Shows the next player's best turn on the board; after the last player, the turn that was played. */
  showNextInstead() {
    const those = (this.film.turns[this.shownTurn].judged ?? [])
      .filter(({ instead }) => instead)
      .map(({ player }) => player);
    this.showInstead(those[this.instead === null ? 0 : those.indexOf(this.instead) + 1] ?? null);
  }

  /**
   * Shows the position after a player's best turn, instead of the position after the turn that was played.
   * @param {number | null} player null to show the turn that was played
   */
  showInstead(player) {
    this.playback.pause();
    const judged = player === null ? undefined : this.judged(this.shownTurn, player);
    if (!judged?.instead) {
      if (this.instead !== null) this.show(this.at, GLIDE_MS);
      return;
    }
    this.instead = player;
    this.toggleAttribute("instead", true);
    this.$("banner").hidden = true;
    this.board.show(this.picture(), { glide: GLIDE_MS });
    this.draw(judged.best[0][3]);
    const [, after] = judged.chances;
    const rather = after === null ? "" : `, not ${percent(after)}`;
    this.say(`Instead: ${judged.instead.caption} (${percent(judged.best[0][1])}${rather})`);
    this.spellOut();
    this.press();
  }

  /**
   * Draws arrows and dots on the board that show how a turn is played.
   * @param {string[][]} ways for each action of the turn, the keys of the shapes to click
   */
  draw(ways) {
    Object.assign(this.board, drawn(ways, "best", true));
  }

  picture() {
    const instead = this.instead === null ? undefined : this.judged(this.shownTurn, this.instead)?.instead;
    return instead ? this.pictures.seek(this.reel.settled(this.shownTurn)).after(instead) : super.picture();
  }

  /**
   * Returns the values of the chart at a turn, in words. An unknown value is replaced by the last known one before it, but
   * only if there is also a known one after it.
   * @param {number} index
   */
  worth(index) {
    const { values } = this.analysis;
    const told = this.called.map((name, player) => {
      const isLater = values.slice(index).some((row) => row[player] !== null);
      const value = isLater ? values.slice(0, index + 1).findLast((row) => row[player] !== null)?.[player] : undefined;
      return `${name} ${value === undefined || value === null ? "not known" : percent(value)}`;
    });
    return `winning chances: ${told.join(", ")}`;
  }

  /**
   * Adds the analysis to a player's part in a turn.
   * @param {Entry} entry
   * @param {HTMLElement} part the element that describes the player's part
   * @param {number} index
   */
  described(entry, part, index) {
    const judged = this.judged(index, entry.player);
    if (judged) part.append(...this.toldOf(judged));
    return part;
  }

  /**
   * Returns elements that describe the analysis of a player's turn.
   * @param {Judged} judged
   */
  toldOf(judged) {
    const { mark, reason, proven, best, chances } = judged;
    const [before, after] = chances;
    const verdict = element("p", {
      className: "verdict",
      textContent: `Winning chance ${percent(before)}${proven ? ` (${proof(before)})` : ""}`,
    });
    if (after !== null) verdict.append(` → ${percent(after)} `);
    if (mark) verdict.append(element("strong", { className: mark }, signOfMark(mark), mark));
    const why = reason ? [element("p", { className: "verdict" }, foreign(reason))] : [];
    const list = element("ol", { className: "better", ariaLabel: "Best turns" });
    /** Formats a reply as code. @param {string} reply */
    const code = (reply) => element("code", {}, foreign(onOneLine(reply)));
    const told = new Set();
    for (const [reply, value, follow, , words, brief] of best) {
      const item = element(
        "li",
        {},
        element("span", { className: "value", textContent: percent(value) }),
        " ",
        element("span", { className: "brief", title: words === brief ? "" : words }, foreign(brief)),
        ...(words !== brief && !told.size ? [element("span", { className: "whole" }, " ", foreign(words))] : []),
        ...(words === reply ? [] : [element("span", { className: "detail" }, " ", code(reply))]),
      );
      const later = follow.flatMap(([player, said]) => [
        " ",
        signOf(player, this.film.players[player].side),
        code(said),
      ]);
      item.classList.toggle("detail", told.has(words)); // the same commands in another order
      told.add(words);
      if (follow.length) item.append(element("span", { className: "follow detail" }, " then", ...later));
      list.append(item);
    }
    const heading = element("p", {
      className: "note",
      textContent: `${mark ? "Better" : "Best"} turns, with the winning chance after each`,
    });
    return [verdict, ...why, ...(best.length ? [heading] : []), list];
  }
}
