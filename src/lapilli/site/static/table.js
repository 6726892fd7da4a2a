// @ts-check
// A table's page: shows the messages that the site sends, and sends people's choices on the board to the site.

import "../../viewer/static/board/board.js";
import { element, foreign, signOf } from "../../viewer/static/player/elements.js";
import { Pictures } from "../../viewer/static/board/pictures.js";
import { Clocks } from "./clocks.js";
import { Connection } from "./connection.js";
import { Showing } from "./showing.js";

/** @typedef {import("./showing.js").Frame} Frame */
/** @typedef {import("../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("../../viewer/static/board/choosing.js").Choice} Choice */
/**
 * @typedef {{frame: Frame | null, choices: Choice[], undoable: boolean, complete: boolean, labels: string[],
 *   way: string[]}} Draft
 * @typedef {{turn: number, asked: number[], answered: number[], engines: number[], clocks: (number | null)[],
 *   running: number[], queue: Record<string, number>, compiled: Record<string, number>, open: number[], links: Record<string, string>, outcome: {reason: string, ranks: number[] | null} | null,
 *   resigning: boolean, draws: number[], peers: boolean, rated: boolean, ratings: Record<string, string>, rematch: string, helps: boolean, hints: boolean, tookTurns: boolean, draft?: Draft}} Now
 * @typedef {[turn: number, player: number, text: string]} Line
 */

const TOAST_MS = 5000;
const SURE_MS = 4000;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

class Table {
  constructor() {
    /** @type {Board} */
    this.board = $("board");
    this.id = this.board.dataset.table ?? "";
    /** @type {{name: string, side: string}[]} */
    this.players = [];
    /** @type {number | null} */
    this.seat = null;
    /** @type {Now | undefined} */
    this.now = undefined;
    this.isDrafting = false;
    this.offered = "";
    this.wantsRematch = false;
    this.clocks = new Clocks(this.board);
    this.showing = new Showing(this.board, () => this.settle());
    this.toasting = 0;
    this.listen();
    this.connection = new Connection(
      `/t/${this.id}/live`,
      (message) => this.hear(message),
      (connected) => this.connected(connected),
    );
  }

  listen() {
    this.board.addEventListener("pick", (event) => {
      this.offered = "";
      this.say("pick", { action: /** @type {CustomEvent} */ (event).detail.action });
    });
    this.board.addEventListener("undo", () => this.say("undo"));
    $("commit").addEventListener("click", () => this.say("commit"));
    $("hint").addEventListener("click", () => {
      $("hint").disabled = true;
      this.say("hint");
    });
    $("take-back").addEventListener("click", () => this.connection.send({ do: "take-back" }));
    $("draw").addEventListener("click", () => this.connection.send({ do: "draw", agrees: true }));
    $("decline").addEventListener("click", () => this.connection.send({ do: "draw", agrees: false }));
    $("resign").addEventListener("click", () => this.resign());
    $("rematch").addEventListener("click", () => this.rematch());
  }

  /**
   * Says something about this turn.
   * @param {string} what
   * @param {object} [more]
   */
  say(what, more = {}) {
    this.board.dots = [];
    this.connection.send({ do: what, turn: this.now?.turn ?? 0, ...more });
  }

  /** Gives up, once that is said twice. */
  resign() {
    const button = $("resign");
    if (button.dataset.sure) return this.connection.send({ do: "resign" });
    button.dataset.sure = "yes";
    button.textContent = "Resign for sure?";
    setTimeout(() => {
      delete button.dataset.sure;
      button.textContent = "Resign";
    }, SURE_MS);
    return undefined;
  }

  rematch() {
    this.wantsRematch = true;
    this.connection.send({ do: "rematch" });
  }

  /** @param {boolean} connected */
  connected(connected) {
    document.body.toggleAttribute("data-connected", connected);
    if (connected) return;
    this.offer(null);
    this.tell("The connection is lost; connecting again …");
  }

  /** @param {any} message */
  hear(message) {
    if (message.type === "hello") this.hello(message);
    else if (message.type === "step") this.step(message);
    else if (message.type === "now") this.stand(message);
    else if (message.type === "hint") this.hinted(message);
    else if (message.type === "compiling") this.prepared(message.share);
    else this.toast(message.text);
    if (message.type === "refused" && !this.showing.isBusy) this.settle();
  }

  /** @param {{look: any, frame: Frame, log: Line[], seat: number | null}} message */
  hello({ look, frame, log, seat }) {
    this.players = look.players;
    this.seat = seat;
    this.now = undefined;
    this.isDrafting = false;
    this.board.look = look;
    this.board.flipped = look.players.length === 2 && seat === 1;
    this.board.own = seat ?? undefined;
    this.offer(seat === null ? null : []);
    this.showing.start(frame);
    $("log").replaceChildren();
    this.write(log);
    this.board.removeAttribute("aria-busy");
  }

  /** @param {{frames: Frame[], log: Line[]}} message */
  step({ frames, log }) {
    this.isDrafting = false;
    this.board.dots = [];
    if (this.seat !== null) this.offer([]);
    this.write(log);
    this.showing.add(frames);
  }

  /** @param {Now} now */
  stand(now) {
    this.now = now;
    this.clocks.set(now.clocks, now.running);
    this.tell();
    this.buttons();
    this.invite();
    if (!this.showing.isBusy) this.settle();
    if (now.rematch && this.wantsRematch) location.assign(`/t/${now.rematch}`);
  }

  /** Nothing is left to show: shows the draft, and what can be chosen. */
  settle() {
    const draft = this.now?.draft;
    if (draft?.frame) {
      this.board.show(new Pictures([draft.frame]).seek(0), { glide: 180, holds: true });
      this.isDrafting = true;
    } else if (this.isDrafting) {
      this.isDrafting = false;
      this.showing.again();
    }
    const plays = this.seat !== null && !this.now?.outcome;
    this.offer(plays ? (draft?.choices ?? []) : null);
    this.board.undoable = draft?.undoable ?? false;
    this.board.dots = (draft?.way ?? []).map((key) => /** @type {[string, string]} */ ([key, "last"]));
  }

  /**
   * What can be chosen now. Where it is what it was, steps already taken on the way to an action stay taken.
   * @param {Choice[] | null} choices
   */
  offer(choices) {
    const offered = JSON.stringify(choices);
    if (offered !== this.offered) this.board.choices = choices;
    this.offered = offered;
  }

  /** @param {{turn: number, label: string, way: string[]}} message */
  hinted({ turn, label, way }) {
    $("hint").disabled = false;
    if (turn !== this.now?.turn) return;
    this.board.dots = way.map((key) => /** @type {[string, string]} */ ([key, "best"]));
    this.toast(`An engine would ${label}.`);
  }

  buttons() {
    const now = this.now;
    const plays = this.seat !== null && now !== undefined && !now.outcome && !now.open.length;
    const draft = now?.draft;
    $("commit").hidden = !draft?.complete;
    $("hint").hidden = !(plays && now.hints && draft && !draft.complete);
    $("hint").disabled = false;
    $("take-back").hidden = !(plays && now.helps && now.tookTurns);
    $("resign").hidden = !plays || now.resigning;
    const isOffered = Boolean(now?.draws.length);
    const agrees = this.seat !== null && Boolean(now?.draws.includes(this.seat));
    $("draw").hidden = !(plays && now.peers && !agrees);
    $("draw").textContent = isOffered ? "Agree to a draw" : "Offer a draw";
    $("decline").hidden = !(plays && isOffered && !agrees);
    $("review").hidden = !now?.outcome;
    $("rematch").hidden = !(now?.outcome && this.seat !== null);
    $("rematch").textContent = now?.rematch ? "To the rematch" : "Rematch";
  }

  /** Links to the seats that are open, for who may hand them out. */
  invite() {
    const links = Object.entries(this.now?.links ?? {});
    const seats = links.map(([player, key]) => {
      const url = `${location.origin}/t/${this.id}/seat/${key}`;
      const field = element("input", {
        readOnly: true,
        value: url,
        "aria-label": `Link for ${this.players[Number(player)].side}`,
      });
      field.addEventListener("focus", () => field.select());
      const copy = element("button", { type: "button", onclick: () => this.copy(url) }, "Copy the link");
      return element(
        "div",
        {},
        element("p", {}, `Send this link to who is to play ${this.players[Number(player)].side}:`),
        field,
        copy,
      );
    });
    if (!document.activeElement?.closest("#seats") || !links.length) $("seats").replaceChildren(...seats);
    $("seats").hidden = !links.length;
  }

  /** @param {string} url */
  async copy(url) {
    await navigator.clipboard.writeText(url);
    this.toast("The link is copied.");
  }

  /** @param {Line[]} lines */
  write(lines) {
    const log = $("log");
    const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 40;
    const items = lines.map(([turn, player, text]) => {
      const sign = player < 0 ? element("span") : signOf(player, this.players[player].name);
      return element("li", {}, element("span", {}, String(turn)), sign, foreign(text));
    });
    log.append(...items);
    if (atEnd) log.scrollTop = log.scrollHeight;
  }

  /** Says who is waited for, or how it ended. @param {string} [instead] */
  tell(instead) {
    const isMine = !instead && this.now?.draft !== undefined;
    $("status").textContent = instead ?? [this.told(), this.offers()].filter(Boolean).join(" · ");
    $("status").classList.toggle("mine", isMine);
    document.title = `${isMine ? "● " : ""}${document.title.replace(/^● /, "")}`;
  }

  /** Who offers a draw. */
  offers() {
    const now = this.now;
    if (!now?.draws.length || now.outcome) return "";
    const others = now.draws.filter((player) => player !== this.seat);
    return others.length
      ? `${this.named(others, "name")} ${others.length > 1 ? "offer" : "offers"} a draw`
      : "You offer a draw";
  }

  /** @param {number} share how much of the game's machine code is there, in percent */
  prepared(share) {
    this.tell(`The game is being prepared, once only: ${share} %`);
  }

  told() {
    const now = this.now;
    if (!now) return "";
    if (now.outcome) return [this.ended(now.outcome), ...this.rated(now)].join(" · ");
    if (now.open.length) return `Waiting for ${this.named(now.open, "side")} to sit down`;
    if (now.resigning) return "You resign with your next turn";
    if (now.draft?.complete) return `${now.draft.labels.join(", then ")}?`;
    if (now.draft) return now.draft.labels.length ? `Your turn: ${now.draft.labels.join(", then ")} …` : "Your turn";
    const [[engine, share] = []] = Object.entries(now.compiled);
    if (engine) return `${this.named([Number(engine)], "name")} is being prepared, once only: ${share} %`;
    const thinks = now.asked.every((player) => now.engines.includes(player));
    const whom = this.named(now.asked, "name");
    const [[queued, place] = []] = Object.entries(now.queue);
    if (thinks && queued)
      return `${this.named([Number(queued)], "name")} waits for a place to play in: place ${place} in the queue`;
    return thinks ? `${whom} ${now.asked.length > 1 ? "think" : "thinks"} …` : `Waiting for ${whom}`;
  }

  /** How the ratings have changed, one text a player. @param {Now} now */
  rated(now) {
    const changes = Object.entries(now.ratings).map(([player, text]) => `${this.players[Number(player)].name} ${text}`);
    return changes.length || !now.rated ? changes : ["This match does not count for ratings"];
  }

  /** @param {{reason: string, ranks: number[] | null}} outcome */
  ended({ reason, ranks }) {
    const first = (ranks ?? []).flatMap((rank, player) => (rank === 1 ? [player] : []));
    if (!first.length) return reason;
    if (first.length === this.players.length) return `Nobody wins: ${reason}`;
    const won =
      first.length > 1
        ? `${this.named(first, "name")} share the first place`
        : first[0] === this.seat
          ? "You win"
          : `${this.named(first, "name")} wins`;
    return `${won}: ${reason}`;
  }

  /**
   * @param {number[]} players
   * @param {"name" | "side"} what
   */
  named(players, what) {
    return players.map((player) => this.players[player][what]).join(" and ");
  }

  /** @param {string} text */
  toast(text) {
    clearTimeout(this.toasting);
    $("toast").textContent = text;
    $("toast").hidden = false;
    this.toasting = window.setTimeout(() => ($("toast").hidden = true), TOAST_MS);
  }
}

Object.assign(window, { lapilliTable: new Table() });
