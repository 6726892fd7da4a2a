// @ts-check
// The page on which people edit a bot, play matches with it, and submit it to its league.

import { element, foreign } from "../../../../viewer/static/player/elements.js";
import { Player } from "../../../../viewer/static/player/player.js";
import { prose } from "../../../../viewer/static/player/text/prose.js";
import { Tabs } from "../../../../viewer/static/player/panels/tabs.js";
import { $, choice, part } from "../dom.js";
import { isSure } from "../play/sure.js";
import { Following, get, getText, post, Refused, toldOf } from "./asking.js";
import { Comparing } from "./comparing.js";
import { Differing } from "./differing.js";
import "./editor.js";
import { linked, linesIn } from "./lines.js";
import { Living } from "./trials/living.js";
import { logOf } from "./trials/logged.js";
import { Panes } from "./panes.js";
import { Standing } from "./standing.js";
import { block, toldOfOther, toldOfTurn } from "./trials/told.js";
import { optionsOf } from "./versions.js";

/** @typedef {import("./asking.js").Trial} Trial */

customElements.define("lapilli-player", Player);

/** Styles of the match player when it fills only a part of the page. */
const NARROW = `
header > h1, #panel, #banner { display: none; }
#caption { margin: 0 204px 0 16px; justify-content: flex-start; text-align: left; font-size: 14px; line-height: 20px; }
@media (max-width: 1099.9px) { #caption { margin: 0 12px; width: auto; position: static; } }
@media (max-width: 860px) and (max-height: 750px) { #caption { height: 28px; } #caption small { display: none; } #caption > bdi { -webkit-line-clamp: 1; } }
`;

class Ide {
  constructor() {
    this.data = JSON.parse($("data").textContent ?? "{}");
    this.bot = `/bots/${this.data.id}`;
    /** @type {import("./versions.js").Version[]} */
    this.versions = this.data.versions;
    this.saved = this.data.code;
    this.draft = "";
    this.isLooking = false;
    this.seat = 0;
    /** The timer that hides the message of a failed request. */
    this.toasting = 0;
    /** @type {Trial | undefined} */
    this.match = undefined;
    /** @type {Trial | undefined} */
    this.coming = undefined;
    this.fail = this.fail.bind(this);
    this.go = this.go.bind(this);
    /** @type {import("./editor.js").LapilliEditor} */
    this.holder = $("editor");
    this.editor = this.holder.open(this.data.code, this.data.language, `Text of ${this.data.name}`);
    /** @type {Player} */
    this.player = $("player");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(NARROW);
    this.player.shadowRoot?.adoptedStyleSheets.push(sheet);
    this.playing = new Following(this.bot);
    this.running = new Following(this.bot);
    this.living = new Living(this.bot, this.player, () => this.unveil());
    this.panes = new Panes(/** @type {HTMLElement} */ (document.querySelector("main")));
    this.tabs = new Tabs($("console"), () => this.showLog());
    this.comparing = new Comparing(this.bot, choice($("play", HTMLFormElement), "opponent").value, this.fail);
    this.standing = new Standing(this.bot, {
      file: this.data.file,
      go: this.go,
      version: () => this.save(),
      fail: this.fail,
    });
    this.differing = new Differing(this.bot, {
      language: this.data.language,
      now: () => this.now,
      bringBack: (text) => this.bringBack(text),
      fail: this.fail,
    });
    this.listen();
    this.layOutRules();
    this.offer();
    /** @type {HTMLElement} */ (document.querySelector("main")).inert = false;
    void this.goOn();
  }

  listen() {
    this.holder.addEventListener("change", () => this.tellSaved());
    $("save").addEventListener("click", () => void this.save().catch(this.fail));
    $("version").addEventListener("change", () => void this.look().catch(this.fail));
    $("restore").addEventListener("click", () => this.restore());
    $("play").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.play().catch(this.fail);
    });
    $("play").addEventListener("change", () => this.seats());
    for (const button of this.buttons("[data-stops]"))
      button.addEventListener("click", () => void this.playing.stop().catch(this.fail));
    $("further").addEventListener("click", () => this.unfold());
    $("play").addEventListener("invalid", () => this.unfold(true), { capture: true }); // the field may be hidden
    $("again").addEventListener("click", () => void this.again().catch(this.fail));
    $("delete").addEventListener("submit", (/** @type {Event} */ event) => {
      const button = part($("delete"), "button");
      if (!isSure(button, "Really delete the bot and all its versions?")) event.preventDefault();
    });
    this.player.addEventListener("picture", () => this.showTurn());
    addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        void this.save().catch(this.fail);
      } else if ((event.ctrlKey || event.metaKey) && event.key === "Enter") $("play", HTMLFormElement).requestSubmit();
    });
    addEventListener("beforeunload", (event) => this.isDirty && event.preventDefault());
    for (const button of document.querySelectorAll(".views [data-view]")) {
      button.addEventListener("click", () => this.view(/** @type {HTMLElement} */ (button).dataset.view ?? ""));
    }
  }

  layOutRules() {
    const rules = document.querySelector(".rules");
    rules?.replaceChildren(...prose(rules.textContent ?? ""));
    rules?.classList.add("prose");
  }

  /** Shows or hides the further fields of the form, which people rarely change. @param {boolean} [isOpen] */
  unfold(isOpen = $("further").ariaExpanded !== "true") {
    $("further").ariaExpanded = String(isOpen);
    $("further").textContent = isOpen ? "Less" : "More";
  }

  /** Returns the buttons that a selector finds. @param {string} selector @returns {NodeListOf<HTMLButtonElement>} */
  buttons(selector) {
    return document.querySelectorAll(selector);
  }

  /** Chooses the part of the page that a phone shows. @param {string} name */
  view(name) {
    document.body.dataset.view = name;
    for (const button of document.querySelectorAll(".views [data-view]")) {
      button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.view === name));
    }
  }

  /** Continues to show the test match and the comparison that were shown or running when the page was last left. */
  async goOn() {
    const { play, compare } = this.data.trials;
    void this.standing.look();
    if (compare) void this.comparing.goOn(compare);
    if (play) await this.playing.follow(play, (trial) => this.showMatch(trial)).catch(this.fail);
  }

  /** Shows for some seconds why a request failed. Throws other errors again. @param {unknown} error */
  fail(error) {
    if (!(error instanceof Refused) && !(error instanceof TypeError)) throw error;
    const text =
      error instanceof Refused ? error.message : "The site does not answer. It may be restarting: try again soon.";
    $("toast").textContent = text;
    $("toast").hidden = false;
    clearTimeout(this.toasting);
    this.toasting = window.setTimeout(() => ($("toast").hidden = true), 6000);
  }

  /** Goes to a place in the source code. @param {number} line @param {number} [column] */
  go(line, column) {
    this.view("code");
    this.differing.open(false);
    this.editor.go(line, column);
  }

  // -- texts and versions

  /** The text that the person is working on, also while the editor shows an older version. */
  get now() {
    return this.isLooking ? this.draft : this.editor.text;
  }

  get isDirty() {
    return !this.isLooking && this.editor.text !== this.saved;
  }

  tellSaved() {
    if (!this.isLooking) $("saved").textContent = this.isDirty ? "Not saved" : "";
  }

  offer() {
    $("version").replaceChildren(...optionsOf(this.versions));
    this.comparing.offer(this.versions);
    this.differing.offer(this.versions);
  }

  /** Saves the text, if it has changed, and returns the number of the newest version. */
  async save() {
    if (this.isLooking) this.restore();
    const text = this.editor.text;
    if (text === this.saved) return this.versions[0].number;
    const { version, versions } = await post(`${this.bot}/code`, text);
    this.saved = text;
    this.versions = versions;
    this.offer();
    this.tellSaved();
    $("saved").textContent ||= `Saved as version ${version}`;
    return Number(version);
  }

  /** Shows the chosen version. Older versions are read-only. */
  async look() {
    const number = Number($("version", HTMLSelectElement).value);
    const isLast = number === this.versions[0].number;
    const text = isLast ? "" : await getText(`${this.bot}/versions/${number}`);
    if (Number($("version", HTMLSelectElement).value) !== number) return; // the person has chosen another version meanwhile
    if (!this.isLooking) this.draft = this.editor.text;
    this.isLooking = !isLast;
    this.editor.text = isLast ? this.draft : text;
    this.editor.lock(!isLast);
    if (this.differing.isOpen) this.differing.open(true, number);
    $("restore").hidden = isLast;
    $("saved").textContent = isLast ? "" : "Read only";
    this.tellSaved();
  }

  /** Makes the shown older version the text to work on. */
  restore() {
    this.isLooking = false;
    this.editor.lock(false);
    $("restore").hidden = true;
    $("version", HTMLSelectElement).value = String(this.versions[0].number);
    this.tellSaved();
  }

  /** Replaces the text in the editor by an older text. Undo brings the replaced text back. @param {string} text */
  bringBack(text) {
    if (this.isLooking) this.restore();
    this.editor.text = text;
    this.editor.focus();
  }

  // -- play my code

  /** The further opponents that are chosen. @returns {string[]} */
  more() {
    return new FormData($("play", HTMLFormElement)).getAll("more").map(String).filter(Boolean);
  }

  /** Offers the seats of as many players as are chosen. */
  seats() {
    const seat = choice($("play", HTMLFormElement), "seat");
    const last = this.more().length + 1;
    for (const option of seat.options) option.disabled = Number(option.value) > last;
    if (seat.selectedOptions[0]?.disabled) seat.value = String(last);
  }

  async play() {
    const version = await this.save();
    const form = new FormData($("play", HTMLFormElement));
    const seed = Number(form.get("seed"));
    this.editor.mark([]);
    this.tabs.choose("turn");
    const { variant = "", league = "", opponent } = Object.fromEntries(form);
    const [seat, more] = [Number(form.get("seat")), this.more()];
    const ask = { kind: "play", version, opponent, more, seat, seed, variant, league };
    this.view("board");
    await this.playing.begin(ask, (trial) => this.showMatch(trial));
  }

  /** Shows the state of a test match; once it is played, shows its pictures, too. @param {Trial} trial */
  showMatch(trial) {
    const isOpen = trial.state === "waiting" || trial.state === "running";
    for (const button of this.buttons("[data-stops]")) button.hidden = !isOpen;
    for (const button of this.buttons("[data-starts]")) button.hidden = isOpen;
    if (!isOpen) return void this.showEnd(trial).catch(this.fail);
    $("status").textContent = toldOf(trial);
    if (trial.state !== "running" || trial.told.step !== "playing") return undefined;
    this.coming = trial;
    return this.living.watch(trial.id);
  }

  /** Makes the test match that has just begun the one that the page shows. */
  unveil() {
    this.match = this.coming;
    this.seat = this.match?.ask.seat ?? 0;
    this.player.hidden = false;
    this.player.setAttribute("alone", "");
    $("empty").hidden = true;
    this.showTurn();
  }

  /** Removes the match of an earlier text from the board, because the present text does not compile. */
  hideMatch() {
    this.match = undefined;
    this.player.hidden = true;
    $("empty").textContent =
      "Your code does not compile, so there is no match to show. The console has the compiler's message.";
    $("empty").hidden = false;
  }

  /** Shows the result of a test match, its film, and the compiler's message if there is one. @param {Trial} trial */
  async showEnd(trial) {
    const { told } = trial;
    const wrong = trial.state === "failed" && told.step === "compiling";
    if (wrong) {
      this.editor.mark(linesIn(told.problem, this.data.file));
      this.hideMatch();
      $("turn-title").textContent = "It does not compile";
      $("told").replaceChildren(block("What the compiler says", linked(told.problem, this.data.file, this.go)));
      $("again-told").replaceChildren();
      $("again").hidden = true;
      this.view("console");
    }
    $("status").textContent = trial.state === "done" ? ended(trial) : toldOf(trial);
    this.living.close();
    if (!trial.film) return;
    const film = await get(`${this.bot}/trials/${trial.id}/film`);
    const { at } = this.player;
    const [wasShown, wasLast] = [this.living.shows(trial.id), at === this.player.reel.last];
    this.player.film = film;
    this.coming = trial;
    this.unveil();
    if (wasShown) this.player.playback.go(wasLast ? this.player.reel.last : at, false);
    const failed = film.turns.findIndex((/** @type {any} */ turn) =>
      turn.entries.some((/** @type {any} */ entry) => entry.player === this.seat && entry.fault),
    );
    if (failed >= 0 && (wasLast || !wasShown)) this.player.toTurn(failed);
    this.showTurn();
  }

  // -- the console

  get turn() {
    return this.player.film.turns[this.player.reel.turnAt(this.player.at)];
  }

  showTurn() {
    if (!this.match) return;
    const { turn } = this;
    const entry = turn.entries.find(({ player }) => player === this.seat);
    $("turn-title").textContent = turn.turn ? `Turn ${turn.turn}` : "The start";
    const { file, limits } = this.data;
    const limit = limits[this.isFirstReply(turn) ? "first" : "later"];
    const bots = (this.match.ask.bots ?? []).filter((player) => player !== this.seat);
    $("told").replaceChildren(
      ...toldOfTurn(turn, this.seat, { file, limit }, this.go),
      ...bots.flatMap((player) => toldOfOther(turn, player, this.player.film.players[player].name)),
    );
    this.showLog();
    this.editor.mark(linesIn(entry?.stderr ?? "", this.data.file));
    $("again").hidden = !entry || ["waiting", "running"].includes(this.match.state);
    $("again-told").replaceChildren();
  }

  /** Whether a turn is the first in which the bot was asked. @param {import("./trials/told.js").Turn} turn */
  isFirstReply(turn) {
    return this.player.film.turns.find(({ entries }) => entries.some(({ player }) => player === this.seat)) === turn;
  }

  /** Lists all lines of the bot's standard error, if the list is visible. */
  showLog() {
    if ($("logged").hidden || !this.match) return;
    const { film, reel, at } = this.player;
    const list = $("logged-lines");
    list.replaceChildren(...logOf(film.turns, this.seat, reel.turnAt(at), (index) => this.player.toTurn(index)));
    list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  /** Starts the bot again, asks it for its reply in this turn, and shows the reply. */
  async again() {
    const version = await this.save();
    const { turn } = this.turn;
    const ask = { kind: "rerun", version, trial: this.match?.id, turn };
    await this.running.begin(ask, (trial) => {
      const { told } = trial;
      const wrong = trial.state === "failed" && told.step === "compiling";
      if (trial.state !== "done") {
        const parts = wrong ? [block("What the compiler says", linked(told.problem, this.data.file, this.go))] : [];
        $("again-told").replaceChildren(element("p", {}, toldOf(trial)), ...parts);
        return;
      }
      const fault = told.fault ? [element("p", { className: "fault" }, foreign(told.fault))] : [];
      const differs = told.differs
        ? [
            element(
              "p",
              { className: "muted" },
              `Its replies differ from those of the match from turn ${told.differs} on.`,
            ),
          ]
        : [];
      const errors = told.stderr ? [block("Standard error, again", linked(told.stderr, this.data.file, this.go))] : [];
      $("again-told").replaceChildren(
        element("h3", {}, `Version ${trial.version} on turn ${turn}, started afresh`),
        ...differs,
        ...fault,
        ...errors,
        block("Output, again", [told.reply || "(nothing)"], `${told.ms} ms`),
      );
    });
  }
}

/** The result of a test match in words, for the bot's author. @param {Trial} trial */
function ended({ told, ask }) {
  const { ranks, reason } = told;
  if (!ranks) return `The match was cut short: ${reason}`;
  const own = ranks[ask.seat ?? 0];
  const shared = ranks.filter((/** @type {number} */ rank) => rank === 1).length > 1;
  return `${own > 1 ? "Lost" : shared ? "Drawn" : "Won"}: ${reason}`;
}

Object.assign(window, { lapilliIde: new Ide() });
