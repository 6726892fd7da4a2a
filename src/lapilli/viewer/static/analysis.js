
// ---------------------------------------------------------------- the analysis

const PLURALS = { blunder: "blunders", mistake: "mistakes", inaccuracy: "inaccuracies" };
const SIGNS = { blunder: "M1 1h10v10h-10z", mistake: "M6 0.5l6 11h-12z", inaccuracy: "M1 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z" };

const percent = (value) => `${Math.round(100 * value)} %`;

/** A reply on one line. */
const onOneLine = (reply) => reply.trim().split("\n").join(" / ");

/** A mark's sign, told by shape as well as by colour. */
function sign(mark) {
  const svg = drawn("svg", { class: `sign ${mark}`, viewBox: "0 0 12 12", "aria-hidden": "true" });
  svg.append(drawn("path", { d: SIGNS[mark] }));
  return svg;
}

/** The page of a match with its analysis: values over time, what each turn lost, and what was better, on the board, too. */
class AnalysedPlayer extends Player {
  layOut() {
    this.instead = null;
    super.layOut();
    this.layOutAccuracy();
    this.layOutReview();
  }

  /** How well the players did, in the page's head. */
  layOutAccuracy() {
    const { accuracy, marks, whole } = this.film.analysis;
    const list = element("ul", { id: "accuracy", "aria-label": "How well they played" });
    this.film.players.forEach(({ side }, player) => {
      const item = element("li", {}, this.chip(player), element("span", { className: "unseen", textContent: `${side}: ` }));
      item.append(accuracy[player] === null ? "accuracy not known" : `accuracy ${accuracy[player].toFixed(1)} %`);
      for (const [mark, count] of Object.entries(marks[player])) {
        const name = `${count} ${count === 1 ? mark : PLURALS[mark]}`;
        item.append(element("span", { className: "count", title: name }, sign(mark), element("span", { className: "unseen", textContent: `, ${name}` }), element("span", { "aria-hidden": "true", textContent: count })));
      }
      list.append(item);
    });
    document.querySelector("header").append(list);
    if (!whole) document.querySelector("header").append(element("p", { className: "note", textContent: "The analysis stops before the end." }));
  }

  layOutChart() {
    const { turns, analysis, players } = this.film;
    this.plot(analysis.values, 0, 1, "expected score over time");
    const svg = document.querySelector("#chart svg");
    svg.prepend(...[0, 0.5, 1].map((value) => drawn("line", { x1: 0, x2: 400, y1: this.chartY(value), y2: this.chartY(value), class: "level" })));
    const dots = element("div", { id: "dots", role: "group", "aria-label": "Marks" });
    this.marked = [];
    turns.forEach(({ judged, turn }, index) => {
      for (const { player, mark, loss, after } of judged) {
        if (!mark) continue;
        const title = `turn ${turn}: ${players[player].side}, ${mark}, lost ${percent(loss)}`;
        const dot = element("button", { className: "dot", title, tabIndex: -1, "aria-label": title, onclick: () => this.toTurn(index) }, sign(mark));
        dot.style.left = `${this.chartX(index) / 4}%`;
        dot.style.top = `${this.chartY(analysis.values[index][player] ?? after) / 1.1}%`;
        dots.append(dot);
        this.marked.push(index);
      }
    });
    const levels = [1, 0.5, 0].map((value) => element("span", { textContent: percent(value) }));
    const plot = element("div", { id: "plot" }, element("div", { id: "levels", "aria-hidden": "true" }, ...levels), element("div", { id: "lines" }, svg, dots));
    document.querySelector("#chart figcaption").append(element("span", { id: "worth" }), " (click to go there)");
    document.querySelector("#chart").append(plot);
  }

  layOutLog() {
    super.layOutLog();
    for (const entry of this.rows) {
      const mark = this.judged(entry.index, entry.player)?.mark;
      if (!mark) continue;
      entry.text += ` ${mark}`;
      entry.row.firstChild.lastChild.append(" ", sign(mark), element("span", { className: "unseen", textContent: mark }));
    }
  }

  /** The buttons below the board: from mark to mark, and for each player what it should have played. */
  layOutReview() {
    const to = (by, text, label) => element("button", { textContent: text, title: `${label} (${by < 0 ? "shift+" : ""}M)`, "aria-label": label, onclick: () => this.toMark(by) });
    this.steps = [to(-1, "◂ mark", "Previous mark"), to(1, "mark ▸", "Next mark")];
    this.switches = this.film.players.map((_, player) => element("button", { "aria-pressed": false, hidden: true, onclick: () => this.showInstead(this.instead === player ? null : player) }));
    $("controls").append(element("div", { id: "review", role: "group", "aria-label": "Analysis" }, ...this.steps, ...this.switches));
    const { engine, nodes, ms } = this.film.analysis;
    const budget = [nodes && `${nodes.toLocaleString("en")} nodes`, ms && `${ms} ms`].filter(Boolean).join(" or ");
    const keys = document.querySelector("#options p");
    keys.append(" M and shift+M lead from mark to mark, B shows what was best.");
    keys.before(element("p", { textContent: `Analysis: ${engine}, ${budget} a turn.` }));
  }

  listen() {
    super.listen();
    document.addEventListener("keydown", (event) => {
      if (this.isForOthers(event)) return;
      if (event.key === "b" || event.key === "B") this.showNextInstead();
      else if (event.key === "m" || event.key === "M") this.toMark(event.shiftKey ? -1 : 1);
    });
  }

  /** What is said of a player's part in a turn of the film. */
  judged(index, player) {
    return this.film.turns[index].judged.find((one) => one.player === player);
  }

  // -- what moves

  /** The next turn with a mark in that direction; undefined where there is none. */
  markFrom(by) {
    const now = this.film.frames[this.at].turn;
    return by > 0 ? this.marked.find((index) => index > now) : this.marked.findLast((index) => index < now);
  }

  toMark(by) {
    const index = this.markFrom(by);
    if (index !== undefined) this.toTurn(index);
  }

  seek(number, glide = true) {
    if (this.instead !== null) {
      Object.assign(this, { instead: null, at: -1 });
      $("stage").classList.remove("instead");
      this.showScores(this.scores(this.shownTurn));
      this.press();
    }
    super.seek(number, glide);
  }

  showTurn(index) {
    super.showTurn(index);
    this.steps.forEach((button, i) => button.setAttribute("aria-disabled", this.markFrom(i ? 1 : -1) === undefined));
    this.switches.forEach((button, player) => {
      const judged = this.judged(index, player);
      const { side } = this.film.players[player];
      button.hidden = !judged?.best.length;
      if (button.hidden) return;
      button.textContent = judged.instead ? `What should ${side} have played?` : `${side} played the best turn found`;
      button.title = judged.instead ? "Show it on the board (B)" : "";
      button.setAttribute("aria-disabled", !judged.instead);
    });
    this.press();
  }

  press() {
    this.switches.forEach((button, player) => button.setAttribute("aria-pressed", this.instead === player));
  }

  /** Shows one after the other what the players should have played, then again what was. */
  showNextInstead() {
    const those = this.film.turns[this.shownTurn].judged.filter(({ instead }) => instead).map(({ player }) => player);
    this.showInstead(those[those.indexOf(this.instead) + 1] ?? null);
  }

  /** Shows the position after a player's best turn in this one's place; for null what was played. */
  showInstead(player) {
    this.pause();
    const judged = player === null ? null : this.judged(this.shownTurn, player);
    if (!judged?.instead) return this.instead === null ? undefined : this.seek(this.at);
    this.instead = player;
    const { caption, label, scores } = judged.instead;
    const picture = this.picture();
    this.board.show(picture, label, Math.min(450, 0.6 * this.interval()));
    this.globe?.show(picture);
    $("stage").classList.add("instead");
    const rather = judged.after === null ? "" : `, not ${percent(judged.after)}`;
    $("caption").setAttribute("aria-live", "polite");
    $("caption").textContent = `Instead: ${caption} (${percent(judged.best[0][1])}${rather})`;
    this.showScores(scores);
    if ($("words").open) this.spellOut();
    this.press();
  }

  picture() {
    if (this.instead === null) return super.picture();
    const { frames, judged } = this.film.turns[this.shownTurn];
    const after = this.pictures.seek(frames[1]);
    const other = new Pictures([]);
    other.shapes = new Map(after.shapes);
    other.order = [...after.order];
    other.advance(judged.find(({ player }) => player === this.instead).instead);
    return other;
  }

  /** What the chart shows: where a value is not known, the one before, as long as there is a later one. */
  worth(index) {
    const { values } = this.film.analysis;
    const told = this.film.players.map(({ side }, player) => {
      const isLater = values.slice(index).some((row) => row[player] !== null);
      const value = isLater ? values.slice(0, index + 1).findLast((row) => row[player] !== null)?.[player] : undefined;
      return `${side} ${value === undefined ? "not known" : percent(value)}`;
    });
    return `expected score: ${told.join(", ")}`;
  }

  part(entry, turn) {
    const part = super.part(entry, turn);
    const judged = turn.judged.find(({ player }) => player === entry.player);
    if (judged) part.append(...this.toldOf(judged));
    return part;
  }

  /** What is said of a player's part in a turn, in words. */
  toldOf({ before, after, loss, mark, proven, best }) {
    const verdict = element("p", { className: "verdict", textContent: `expected score ${percent(before)}${proven ? " (certain)" : ""}` });
    if (after !== null) verdict.append(` → ${percent(after)}, ${loss >= 0.005 ? `lost ${percent(loss)}` : "nothing lost"} `);
    if (mark) verdict.append(element("strong", { className: mark }, sign(mark), mark));
    const list = element("ol", { className: "better", "aria-label": "Best turns" });
    for (const [reply, value, follow] of best) {
      const item = element("li", {}, element("span", { className: "value", textContent: percent(value) }), " ", element("code", { textContent: onOneLine(reply) }));
      if (follow.length) item.append(element("span", { className: "follow" }, " then", ...follow.flatMap(([player, said]) => [" ", this.chip(player), element("code", { textContent: onOneLine(said) })])));
      list.append(item);
    }
    return [verdict, list];
  }
}

