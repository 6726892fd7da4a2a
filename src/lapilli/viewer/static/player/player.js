// @ts-check
/**
 * The HTML element <lapilli-player>: replays a match on a <lapilli-board>, with a list of turns. It is the same for all
 * games.
 */

import "../board/board.js";
import { Address } from "./film/address.js";
import { legendOf, rulesOf } from "./panels/about.js";
import { Chart } from "./panels/chart.js";
import { element, foreign } from "./elements.js";
import { endOf, rankingOf, unanswered } from "./panels/ending.js";
import { buttonOf, isForOthers, listen } from "./controls.js";
import { icon, LAYOUT } from "./layout.js";
import { Log } from "./panels/log.js";
import { Options } from "./panels/options.js";
import { Pictures } from "../board/pictures.js";
import { Playback } from "./film/playback.js";
import { isFault, Reel } from "./film/reel.js";
import { click } from "./sound.js";
import { STYLE } from "./style.js";
import { Tabs } from "./panels/tabs.js";
import { Timeline } from "./film/timeline.js";
import { timeOf } from "./text/times.js";
import { partsOf, waitedFor } from "./panels/turn.js";
import { wordsOf } from "./text/words.js";

/** @typedef {import("./film/reel.js").Film} Film */
/** @typedef {import("./film/reel.js").Frame} Frame */
/** @typedef {import("./film/reel.js").Turn} Turn */
/** @typedef {import("./film/reel.js").Entry} Entry */

/**
 * Replays the film (the pictures and texts of a match) in the property `film`. If the attribute `linked` is set, the URL
 * of the page contains the picture, as in #turn=12. The attribute `seat` is the number of the reader's player, if the
 * reader played in this match. The attribute `authors` shows details for bot authors, such as times and stderr, unless
 * the reader has chosen otherwise. Each new picture dispatches the event `picture`; its detail is {at, turn}: the number of
 * the picture, and the index of its turn.
 */
export class Player extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = LAYOUT;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.looks = new CSSStyleSheet();
    root.adoptedStyleSheets = [sheet, this.looks];
    /** @type {import("../board/board.js").LapilliBoard} */
    this.board = this.$("board");
    this.tabs = new Tabs(this.$("side"), () => this.atTab());
    this.timeline = new Timeline(this.$("marks"), (at) => this.playback.go(at));
    this.playback = new Playback(
      (at, glide) => this.show(at, glide),
      (playing) => this.showPlaying(playing),
    );
    this.pictures = new Pictures();
    this.shownTurn = -1;
    this.address = new Address();
    this.begun = 0;
    this.isLoud = false;
    this.isRevealed = false;
    this.isOpen = false;
    this.onKey = this.onKey.bind(this);
    this.onHash = this.onHash.bind(this);
    this.onPress = this.onPress.bind(this);
    listen(this);
    this.narrow = matchMedia("(max-width: 719.9px) and (min-height: 500.1px)");
    this.low = matchMedia("(max-height: 500px) and (orientation: landscape)");
    this.options = new Options(this);
    for (const one of [this.narrow, this.low]) one.addEventListener("change", () => this.place());
  }

  connectedCallback() {
    document.addEventListener("keydown", this.onKey);
    document.addEventListener("pointerdown", this.onPress);
    addEventListener("hashchange", this.onHash);
  }

  disconnectedCallback() {
    this.playback.pause();
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("pointerdown", this.onPress);
    removeEventListener("hashchange", this.onHash);
  }

  /**
   * Returns the element with this id in the shadow DOM.
   * @param {string} id
   * @returns {any}
   */
  $(id) {
    return /** @type {ShadowRoot} */ (this.shadowRoot).getElementById(id);
  }

  get reel() {
    return this.playback.reel;
  }

  get at() {
    return this.playback.at;
  }

  get film() {
    return this.reel.film;
  }

  /** @param {Film} film */
  set film(film) {
    this.playback.load(new Reel(film));
    this.pictures = new Pictures(film.frames);
    this.board.look = film;
    this.looks.replaceSync(film.style);
    this.shownTurn = -1;
    this.isRevealed = false;
    if (this.seat !== undefined) {
      this.board.own = this.seat; // the same view as during the match
      this.options.turn(film.players.length === 2 && this.seat === 1);
    }
    this.layOut();
    this.begun = this.beginning;
    this.playback.seek(this.addressed(location.hash) ?? this.begun, false);
    if (this.seat !== undefined) this.$("banner").hidden = true; // the reader knows the result from the match
    this.removeAttribute("aria-busy");
  }

  /** Number of the reader's player; undefined if the reader did not play. @returns {number | undefined} */
  get seat() {
    const seat = this.getAttribute("seat");
    return seat === null ? undefined : Number(seat);
  }

  /** Number of the first picture to show, unless the URL names another: the last if the reader played in the match. */
  get beginning() {
    return this.seat === undefined ? 0 : this.reel.last;
  }

  /**
   * Appends a picture to the film. If the last picture is on the board, the new one replaces it.
   * @param {Frame} frame
   * @param {Turn} [turn] the turn that begins with this picture; undefined if the last turn continues
   */
  add(frame, turn) {
    const wasLast = this.at === this.reel.last;
    this.reel.add(frame, turn);
    this.pictures.add(frame);
    this.layOutTime();
    this.log?.grow();
    if (wasLast) this.playback.go(this.reel.last);
    else this.showPlace();
  }

  // -- parts that depend on the film only

  layOut() {
    const { film } = this;
    const title = this.$("title");
    title.replaceChildren(foreign(film.title));
    title.title = film.title;
    this.$("globe").hidden = !Object.keys(film.globe).length;
    this.$("full").hidden = !document.fullscreenEnabled;
    this.$("share").hidden = !(this.hasAttribute("linked") && location.protocol.startsWith("http"));
    this.$("legend").replaceChildren(...legendOf(film));
    this.$("rulesbox").replaceChildren(...(film.rules ? [rulesOf(film)] : []));
    this.$("waiting").replaceChildren(...waitedFor(film));
    this.tabs.offer("analysis", Boolean(film.analysis));
    this.clocks = film.players.map((_, player) =>
      element("span", { slot: `player-${player}`, className: "clock detail", title: "time used so far" }),
    );
    this.board.replaceChildren(...this.clocks);
    this.layOutEnd();
    this.layOutLog();
    this.layOutCharts();
    this.options.offer(this.film);
    this.place();
    this.layOutTime();
  }

  /**
   * The chart that is the slider's track on a phone, and the element before which it stands elsewhere.
   * @returns {[chart: HTMLElement | null, following: HTMLElement]}
   */
  get graph() {
    return [this.$("chart"), this.$("log")];
  }

  /**
   * Puts the result and the chart where the first window of a phone shows them: above the board and under the slider.
   * There, the buttons of the header are in the menu, and buttons that lead to events replace those to the ends, which the
   * slider reaches, too.
   */
  place() {
    const [result, speed] = [this.$("result"), this.$("speed")];
    const [chart, following] = this.graph;
    const isShort = (this.narrow.matches || this.low.matches) && !this.hasAttribute("authors"); // few buttons have room
    if (this.narrow.matches) this.$("title").after(result);
    else this.$("tabs").after(result);
    this.toggleAttribute("brief", isShort);
    const [earlier, later] = [this.$("happeningback"), this.$("happeningforward")];
    if (isShort) this.$("buttons").prepend(earlier);
    else this.$("counter").after(earlier);
    if (isShort) this.$("buttons").append(later);
    else earlier.after(later);
    if (chart) (isShort ? this.$("marks") : following).before(chart);
    const tools = [this.$("globe"), this.$("flip"), this.$("full")];
    if (this.narrow.matches || this.low.matches) this.$("deeds").append(...tools);
    else this.$("panel").before(...tools);
    this.$(isShort ? "pace" : "more").append(speed);
    this.$("pace").hidden = !isShort;
  }

  layOutCharts() {
    const { gauge } = this.film;
    this.$("chart").replaceChildren();
    this.chart = new Chart(this.$("chart"), {
      label: `${gauge} over time`,
      words: String,
      go: (at) => this.toTurn(this.reel.turnAt(at)),
    });
  }

  /** Fills in the result, which is hidden until the end is reached. */
  layOutEnd() {
    const words = endOf(this.film);
    this.$("outcome").replaceChildren(foreign(words));
    this.$("result").replaceChildren(foreign(words));
    this.$("ranking").replaceChildren(...rankingOf(this.film));
  }

  layOutLog() {
    const { film } = this;
    const list = this.$("log").querySelector("ol");
    const log = new Log({ list, search: this.$("search"), nothing: this.$("nothing") }, film, (index) =>
      this.toTurn(index),
    );
    this.log = log;
    if (!film.waiting) return;
    const [button, said] = unanswered(film, film.waiting, () => {
      this.toTurn(film.turns.length - 1);
      this.tabs.choose("now");
      this.$("waiting").scrollIntoView({ block: "nearest" });
    });
    log.end(button, said);
  }

  /** Updates the parts that depend on the length of the film. */
  layOutTime() {
    const { reel, chart } = this;
    this.$("seek").max = reel.last;
    this.timeline.show(reel.happenings, reel.last);
    this.$("fault").disabled = !reel.happenings.some(({ kind }) => isFault(kind));
    this.nameEvents();
    const values = reel.gauges.flat();
    this.toggleAttribute("level", new Set(values).size < 2);
    const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
    chart?.plot(
      reel.gauges.map((gauge, at) => [at, gauge]),
      { last: reel.last, low, high, levels: [low, high] },
    );
  }

  /** Names the buttons that lead to events; if all events of the film are of one kind, after this kind. */
  nameEvents() {
    const kinds = new Set(this.reel.happenings.map(({ kind }) => kind));
    const [only = ""] = kinds;
    const word = kinds.size === 1 && only.length < 9 ? only : "event";
    this.toggleAttribute("uneventful", !kinds.size);
    for (const [id, label] of [
      ["happeningback", `Previous ${word} (P)`],
      ["happeningforward", `Next ${word} (N)`],
    ]) {
      const button = this.$(id);
      Object.assign(button, { disabled: !kinds.size, title: label, ariaLabel: label.slice(0, -4) });
      button.querySelector(".name").textContent = word;
    }
  }

  // -- input of the person

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Escape") this.$("options").open = false;
    if (this.at < 0 || isForOthers(event, this)) return;
    const pressed = this.$(buttonOf(event.key));
    if (!pressed || pressed.hidden) return;
    event.preventDefault();
    pressed.click();
  }

  /** @param {PointerEvent} event */
  onPress(event) {
    if (!event.composedPath().includes(this.$("options"))) this.$("options").open = false;
  }

  /** @param {HashChangeEvent} event */
  onHash({ newURL }) {
    const at = this.addressed(new URL(newURL).hash);
    if (at !== null && at !== this.at) this.playback.go(at, false);
  }

  /** Returns the number of the picture that a URL names; null if it names none. @param {string} address part after # */
  addressed(address) {
    return this.hasAttribute("linked") ? this.reel.atAddress(address) : null;
  }

  /** Describes the position in words, if that part of the page is open. */
  spellOut() {
    if (this.$("words").open)
      this.$("words")
        .querySelector("div")
        .replaceChildren(...wordsOf(this.film, this.picture()));
  }

  /** Returns the picture that the board shows. */
  picture() {
    return this.pictures.seek(this.at);
  }

  // -- parts that depend on the present picture

  /** Shows the position after a turn. @param {number} index index of the turn in the film */
  toTurn(index) {
    this.playback.toTurn(index);
  }

  /** Updates the button "Play". @param {boolean} playing */
  showPlaying(playing) {
    const label = playing ? "Pause" : "Play";
    this.$("play").setAttribute("aria-label", label);
    this.$("play").title = `${label} (space)`;
    this.$("play").innerHTML = icon(playing ? "pause" : "play");
  }

  /**
   * Shows a picture.
   * @param {number} at number of the picture
   * @param {number} glide time in which pieces move, in milliseconds
   */
  show(at, glide) {
    this.board.show(this.picture(), { glide });
    this.showPlace();
    if (this.isLoud && glide) click();
    this.dispatchEvent(new CustomEvent("picture", { detail: { at, turn: this.reel.turnAt(at) } }));
  }

  /** Updates all parts that depend on the present picture, except the board. */
  showPlace() {
    const { reel, at, film } = this;
    const index = reel.turnAt(at);
    const {
      turn,
      frames: [first, last],
    } = film.turns[index];
    const way = at < last ? ` · ${at - first + 1}/${last - first + 1}` : "";
    const { headline } = this.picture().panels;
    const said = film.frames[at].caption || headline;
    const standing = this.remark(index) || (at < reel.last && headline !== said ? headline : "");
    this.say(said, reel.isSettled(at) ? standing : "");
    this.$("seek").value = at;
    this.$("seek").setAttribute("aria-valuetext", `turn ${turn}${way}`);
    this.$("counter").textContent = `turn ${turn} of ${film.turns.at(-1)?.turn}${way}`;
    this.showEnd();
    this.showCharts();
    this.spellOut();
    if (this.shownTurn !== index) this.showTurn(index);
    if (this.hasAttribute("linked") && (at !== this.begun || location.hash))
      this.address.set(() => this.reel.address(this.at));
  }

  /** A remark about a turn, in place of the state of the game after it. Subclasses may have one. @param {number} _index */
  remark(_index) {
    return "";
  }

  /**
   * Sets the caption below the board.
   * @param {string} text what happens in the picture
   * @param {string} [standing] the state of the game, shown at the end of a turn
   */
  say(text, standing = "") {
    const caption = this.$("caption");
    caption.setAttribute("aria-live", this.playback.isPlaying ? "off" : "polite");
    const whole = [text, standing].filter(Boolean).join(". ");
    if (caption.title === whole) return;
    caption.replaceChildren(foreign(text), ...(standing ? [element("small", {}, foreign(standing))] : []));
    caption.title = whole;
  }

  /** Shows the result at the end and from then on; before that, only if the option "Show the result" is on. */
  showEnd() {
    const isEnd = this.at === this.reel.last && Boolean(this.film.outcome || this.film.cut);
    if (isEnd) this.isRevealed = true;
    this.$("banner").hidden = !isEnd;
    this.board.toggleAttribute("over", isEnd && this.film.outcome !== null);
    this.$("result").hidden = !this.isWhole;
  }

  get isWhole() {
    return this.isRevealed || this.isOpen;
  }

  showCharts() {
    const { gauge, players } = this.film;
    const values = this.reel.gauges[this.at];
    this.chart?.point(
      this.at,
      `${gauge}: ${players.map(({ side }, player) => `${side} ${values[player]}`).join(", ")}`,
      this.isWhole,
    );
  }

  /** Shows the details of a turn. @param {number} index index of the turn in the film */
  showTurn(index) {
    this.shownTurn = index;
    const { film, reel } = this;
    const { turn, event } = film.turns[index];
    this.log?.point(index);
    const parts = partsOf(film, index).map(([entry, part]) => this.described(entry, part, index));
    const told = parts.length ? parts : [element("p", { textContent: event })];
    this.$("parts").replaceChildren(element("h2", { textContent: turn ? `Turn ${turn}` : "The start" }), ...told);
    this.$("waiting").hidden = index !== film.turns.length - 1;
    const used = reel.used(index);
    const times = used.flatMap((ms, player) => [
      player ? ", " : "",
      foreign(film.players[player].name),
      ` ${timeOf(ms)}`,
    ]);
    this.$("used").replaceChildren("Time used so far: ", ...times);
    this.clocks?.forEach((clock, player) => (clock.textContent = used[player] < 50 ? "" : timeOf(used[player])));
    requestAnimationFrame(() => this.log?.scroll());
  }

  /**
   * Returns the element that describes a player's part in a turn. Subclasses may add to it.
   * @param {Entry} _entry
   * @param {HTMLElement} part the element
   * @param {number} _index index of the turn in the film
   */
  described(_entry, part, _index) {
    return part;
  }

  atTab() {
    this.log?.scroll();
  }
}
