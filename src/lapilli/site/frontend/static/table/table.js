// @ts-check
// A table's page: shows the messages that the site sends, and sends people's choices on the board to the site.

import "../../../../viewer/static/board/board.js";
import { Naming } from "../../../../viewer/static/board/naming.js";
import { capital } from "../../../../viewer/static/player/text/phrases.js";
import { Announcements } from "./words/announcements.js";
import { Chat } from "./panel/chat.js";
import { Clocks } from "./clocks.js";
import { Connection } from "./connection.js";
import { cancelled, listActions, listPlanned, showButtons } from "./controls/buttons.js";
import { listen } from "./controls/commands.js";
import { $ } from "../dom.js";
import { Drawer } from "./panel/drawer.js";
import { Hints } from "./hints.js";
import { showInvitation } from "./controls/inviting.js";
import { Lookback } from "./pictures/lookback.js";
import { Notes } from "./panel/notes.js";
import { preview } from "../play/preview.js";
import { Premove } from "./premove.js";
import { isSure } from "../play/sure.js";
import { Result } from "./panel/result.js";
import { absences, audience, offers, preparing, standing } from "./words/sentences.js";
import { Showing } from "./pictures/showing.js";
import { Status } from "./words/status.js";
import { TurnList } from "./panel/turnlist.js";

/** @typedef {import("./pictures/showing.js").Frame} Frame */
/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../../../viewer/static/board/input/choosing.js").Choice} Choice */
/** @typedef {import("./messages.js").TableStatus} TableStatus */
/** @typedef {import("./messages.js").ToPage} ToPage */

export class Table {
  constructor() {
    /** @type {Board} */
    this.board = $("board");
    this.id = this.board.dataset.table ?? "";
    /** @type {{name: string, side: string}[]} */
    this.players = [];
    /** @type {number | null} */
    this.seat = null;
    /** @type {TableStatus | undefined} */
    this.now = undefined;
    /** The status that the page shows. A new status is shown after its pictures. @type {TableStatus | undefined} */
    this.shown = undefined;
    this.cameAt = 0;
    this.isDrafting = false;
    /** Index of the last picture when the status arrived. The draft's picture follows this one. */
    this.drafted = -1;
    this.offered = "";
    this.wantsRematch = false;
    this.caption = "";
    /** What the page says if the table no longer exists; "" while it exists. */
    this.gone = "";
    this.hints = new Hints(this.board);
    this.premove = new Premove(this);
    this.clocks = new Clocks(this.board);
    this.status = new Status($("status"), () => this.sentences());
    this.announcements = new Announcements(this.status);
    this.showing = new Showing(
      this.board,
      () => this.settle(),
      (frame) => this.watch(frame),
    );
    this.lookback = new Lookback(this.board, this.showing, {
      path: `/t/${this.id}/past`,
      changed: () => this.place(),
      failed: () => this.status.notify("Earlier turns cannot be loaded just now."),
    });
    this.notes = new Notes($("note"), this.board, this.board.dataset.game ?? "", this.id);
    this.turns = new TurnList($("log"), (turn) => {
      this.drawer.close();
      void this.lookback.toTurn(turn);
    });
    this.result = new Result($("result"), this.id, (turn) => void this.lookback.toTurn(turn));
    // The analysis and the ratings come later: then the board's available space changes.
    new ResizeObserver(() => this.board.arrange()).observe($("result"));
    this.drawer = new Drawer($("side"), this.board.dataset.game ?? "", () => this.board.explain());
    const tab = /** @type {HTMLElement} */ (document.querySelector("[data-tab=chat]"));
    this.chat = new Chat(this.id, $("chat"), tab, {
      say: (text) => this.connection.send({ do: "say", text }),
      report: (line) => this.connection.send({ do: "report", line }),
      heard: (text) => this.announcements.chat(text, !$("chat").hidden && $("side").checkVisibility()),
      counted: (unread) => {
        $("help").textContent = unread ? `? (${unread})` : "?";
        $("help").title = unread ? "Chat" : "Rules";
        $("help").setAttribute("aria-label", unread ? `Chat: ${unread} new` : "Rules");
      },
    });
    this.naming = new Naming(this.board, /** @type {HTMLElement} */ (document.querySelector("main")));
    listen(this);
    this.connection = new Connection(
      `/t/${this.id}/live`,
      (message) => this.hear(message),
      (connected) => this.connected(connected),
      () => this.end("This match no longer exists: it was cancelled or deleted"),
    );
  }

  // -- what people do

  /** Goes to the next turn. At the last turn, skips to its last picture. */
  forth() {
    if (this.lookback.isBack) void this.lookback.step(1);
    else this.showing.skip();
  }

  /** Draws a chosen action at once, and sends it. @param {number} action */
  pick(action) {
    if (this.board.hasAttribute("ahead")) return this.premove.choose(action);
    const choice = this.board.choices?.find(([one]) => one === action) ?? this.choice(action);
    this.offered = "";
    this.say("pick", { action });
    preview(this.board, choice);
    if (choice) this.status.tell(`${capital(choice[2])} …`);
    this.announcements.click();
  }

  /** The choice of an action in the present status. @param {number} action */
  choice(action) {
    const choices = /** @type {Choice[]} */ (this.now?.draft?.choices ?? []);
    return choices.find(([one]) => one === action);
  }

  /**
   * Sends a message about the present turn.
   * @param {"pick" | "undo" | "commit" | "hint" | "plan"} what
   * @param {object} [more]
   */
  say(what, more = {}) {
    this.board.dots = [];
    this.board.arrows = [];
    this.hints.sought = undefined;
    if (what !== "pick") this.hints.found = undefined; // a person who follows the hint still sees the rest of the turn
    this.connection.send({ do: what, turn: this.now?.turn ?? 0, ...more });
  }

  rematch() {
    this.wantsRematch = true;
    this.connection.send({ do: "rematch" });
  }

  /** Cancels a table that waits for an opponent, at the second click. */
  async cancel() {
    if (!isSure($("cancel"))) return;
    const problem = await cancelled(this.id);
    if (problem) this.status.notify(problem);
    else this.end("You have cancelled this match");
  }

  // -- what the site sends

  /** Shows whether there is a connection to the site. @param {boolean} connected */
  connected(connected) {
    document.body.toggleAttribute("data-connected", connected);
    this.status.isLost = !connected && !this.gone;
    if (!connected) this.offer(null);
    this.status.tell();
  }

  /** Shows that the table no longer exists, with a link to the page *Play*. @param {string} words */
  end(words) {
    this.gone ||= words;
    this.now = this.shown = undefined;
    this.status.isLost = false;
    this.offer(null);
    this.prepare("");
    this.invite({});
    this.buttons();
    $("to-play").hidden = false;
    this.board.arrange(); // its available space has changed
    this.status.notify("");
  }

  /** Handles a message from the site. @param {ToPage} message */
  hear(message) {
    if (message.type === "hello") this.hello(message);
    else if (message.type === "step") this.step(message);
    else if (message.type === "now") this.stand(message);
    else if (message.type === "hint") this.suggest(message);
    else if (message.type === "hinting") this.seek(message.share);
    else if (message.type === "chat") this.chat.hear(message);
    else if (message.type === "compiling") this.compiling(message);
    else this.status.notify(`${capital(message.text).replace(/[.]?$/, ".")}`);
    if (message.type !== "refused") return;
    this.hints.sought = undefined;
    if (!this.showing.isBusy) this.settle();
  }

  /**
   * Shows how much of the game is compiled, and meanwhile the links and the button that cancels the table.
   * @param {import("./messages.js").Compiling} message
   */
  compiling({ share, links, cancels }) {
    const words = `Preparing the game, the first time only: ${share} %`;
    this.prepare(words);
    this.status.tell(words);
    this.invite(links);
    $("cancel").hidden = !cancels;
  }

  /** Shows a sentence in the middle of the board, or nothing. @param {string} words */
  prepare(words) {
    $("preparing").textContent = words;
    $("preparing").hidden = !words;
  }

  /** Handles the message with the whole table. @param {import("./messages.js").Hello} message */
  hello({ look, frame, log, seat }) {
    this.players = look.players;
    this.seat = seat;
    this.announcements.wereOpen = this.shown?.open ?? this.announcements.wereOpen;
    this.now = this.shown = undefined;
    this.isDrafting = false;
    this.premove.key = "";
    this.prepare("");
    this.lookback.forget();
    this.board.look = /** @type {import("../../../../viewer/static/board/board.js").Look} */ (look);
    this.board.flipped = look.players.length === 2 && seat === 1;
    this.board.own = seat ?? undefined;
    this.offer(seat === null ? null : []);
    this.showing.start([frame]);
    this.turns.clear();
    this.write(log);
    this.place();
    this.board.removeAttribute("aria-busy");
  }

  /** Handles the message with a turn that was just played. @param {import("./messages.js").NewFrames} step */
  step(step) {
    this.isDrafting = false;
    this.board.dots = [];
    this.board.arrows = [];
    this.hints.found = undefined;
    if (this.shown) this.shown = { ...this.shown, draft: undefined };
    if (this.seat !== null) this.offer([]);
    this.buttons();
    this.lookback.add(step);
    this.showing.add(step.frames, () => this.write(step.log));
  }

  /** Handles the message with the table's status. @param {TableStatus} now */
  stand(now) {
    const before = this.now;
    this.now = now;
    this.drafted = this.showing.pictures.length - 1;
    if (before?.draft && !before.planning && !now.draft) document.dispatchEvent(new Event("played"));
    this.cameAt = performance.now();
    this.premove.play();
    if (!this.showing.isBusy) this.settle();
    if (now.rematch && this.wantsRematch) location.assign(`/t/${now.rematch}`);
  }

  /** Called with each picture of a turn that is shown: shows its caption. @param {Frame} frame */
  watch(frame) {
    this.caption = frame.caption ?? "";
    this.announcements.click();
    this.status.tell();
  }

  /** Called when all pictures have been shown: shows the table's status, the draft, and the choices. */
  settle() {
    const { now, shown } = this;
    this.caption = "";
    if (this.showing.isHeld) return this.place();
    const draft = now?.draft;
    if (draft?.frame) {
      this.showing.draft(draft.frame, this.drafted);
      this.isDrafting = true;
    } else if (this.isDrafting) {
      this.isDrafting = false;
      this.showing.again();
    }
    const plays = this.seat !== null && !now?.outcome;
    const inAdvance = this.premove.choices();
    this.offer(plays ? /** @type {Choice[]} */ (draft?.choices ?? inAdvance) : null);
    this.board.undoable = draft?.undoable ?? false;
    this.board.toggleAttribute("complete", Boolean(draft?.complete));
    const chosen = (draft?.way ?? []).map((key) => /** @type {[string, string]} */ ([key, "last"]));
    this.board.dots = [...chosen, ...this.premove.dots];
    this.shown = now;
    this.hints.mark(now);
    if (now) this.clocks.set(now.clocks, now.running, this.cameAt);
    if (now) this.announcements.arrived(now, this.players);
    this.prepare(now ? preparing(now, this.players) : "");
    if (now && shown && now !== shown) this.announcements.changed(shown, now, this.players);
    const ends = Boolean(now?.outcome) !== this.board.hasAttribute("over");
    this.board.toggleAttribute("over", Boolean(now?.outcome));
    this.board.toggleAttribute("waits", Boolean(now?.open.length)); // nobody moves before all seats are taken
    this.drawer.wait(Boolean(now?.open.length));
    this.buttons();
    this.result.show(now, this.players, this.seat);
    this.invite();
    this.presence();
    listPlanned(now?.planned ?? [], (reply) => this.connection.send({ do: "unplan", reply }));
    listActions(now?.draft?.labels ?? [], (step) => this.say("undo", { step }));
    if (now) this.notes.offer(now.turn, this.seat === null ? undefined : draft?.notes);
    this.status.tell();
    if (ends) this.board.arrange(); // its available space has changed
    return undefined;
  }

  /**
   * Offers choices on the board. If they are the same as before, clicks that the person has made already still count.
   * @param {Choice[] | null} choices
   */
  offer(choices) {
    const offered = JSON.stringify(choices);
    if (offered !== this.offered) this.board.choices = choices;
    this.offered = offered;
  }

  /** Shows that an engine looks for a hint. @param {number | null} share as in the message `HintSearch` */
  seek(share) {
    this.hints.seek(this.now, share);
    $("hint", HTMLButtonElement).disabled = true;
    this.status.tell();
  }

  /** Shows a hint on the board. @param {import("./messages.js").FoundHint} message */
  suggest(message) {
    this.hints.find(message, this.now);
    $("hint", HTMLButtonElement).disabled = false;
    this.hints.mark(this.now);
    this.status.tell();
  }

  // -- what the page shows

  /** Shows the buttons that the person can use now. */
  buttons() {
    showButtons(this.shown, this.seat);
    $("hint", HTMLButtonElement).disabled = this.hints.isSought(this.shown);
    this.steps();
  }

  /** Enables or disables the buttons for the previous and the next turn. */
  steps() {
    const { isBack, place } = this.lookback;
    $("back", HTMLButtonElement).disabled = isBack ? !place[0] : this.turns.isEmpty;
    $("forth", HTMLButtonElement).disabled = !isBack;
  }

  /** Updates the page after the board has gone to another turn. */
  place() {
    const { isBack, place } = this.lookback;
    $("actions").toggleAttribute("data-back", isBack);
    $("live").hidden = !isBack;
    this.steps();
    this.turns.point(isBack ? place[0] : undefined);
    this.board.lit = isBack ? this.turns.places(place[0]) : [];
    this.notes.light(!isBack);
    if (isBack) {
      if (this.seat !== null) this.offer([]);
      this.board.undoable = false;
      this.board.dots = [];
    }
    this.status.tell();
  }

  /** Shows the links to open seats to those who may send them. @param {Record<number, string>} [links] keys of the seats */
  invite(links = this.shown?.links ?? {}) {
    const seats = Object.entries(links).map(([player, key]) => {
      const url = `${location.origin}/t/${this.id}/seat/${key}`;
      const side = this.players[Number(player)]?.side ?? "";
      return /** @type {import("./controls/inviting.js").OpenSeat} */ ([Number(player), side, url]);
    });
    const has = JSON.stringify([seats, this.seat]);
    if ($("seats").dataset.has === has || (!seats.length && $("seats").hidden)) return;
    showInvitation(seats, this.players, this.seat, () => this.drawer.open("rules"));
    $("seats").dataset.has = has;
    this.board.toggleAttribute("dimmed", seats.length > 0);
    if (this.shown) this.board.arrange(); // its available space has changed
  }

  /** Shows on the players' panels (plates) who is away, and in the page's header how many people watch. */
  presence() {
    const { away = [], vacation = [], days = 0, watching = 0, rated = false } = this.shown ?? {};
    this.players.forEach(({ name }, player) => {
      if (days) this.clocks.absent(player, vacation.includes(player) ? `${name} is on vacation` : "", "vacation");
      else this.clocks.absent(player, away.includes(player) ? `${name} has left the page` : "");
    });
    $("watching").textContent = audience(watching, this.seat === null, rated);
  }

  /** Adds turns in words to the list of turns. @param {[turn: number, player: number, text: string][]} lines */
  write(lines) {
    this.turns.add(lines, this.players);
    this.steps();
  }

  /**
   * The state of the match: a sentence, further sentences, and whether it is this person's turn.
   * @returns {[string, string[], boolean]}
   */
  sentences() {
    const { shown, players, seat, lookback } = this;
    if (this.gone) return [this.gone, [], false];
    if (lookback.isBack) {
      const [turn, last] = lookback.place;
      const words = this.turns.words(turn);
      return [turn ? `Turn ${turn} of ${last}${words && `: ${words}`}` : "The start of the match", [], false];
    }
    if (this.caption || !shown) return [this.caption || "Connecting …", [], false];
    const text = this.hints.sentence(this.now, shown) || standing(shown, players);
    const more = [this.premove.sentence, offers(shown, players, seat), absences(shown, players)].filter(Boolean);
    return [text, more, shown.draft !== undefined && !shown.planning];
  }
}

Object.assign(window, { lapilliTable: new Table() });
