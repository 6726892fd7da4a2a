// @ts-check
// The analysis board: people play the turns of all sides, and an engine searches each position. The variations exist
// only in this page, unless they are saved as a study.

import { element, signOf } from "../../../../viewer/static/player/elements.js";
import { listed } from "../../../../viewer/static/player/text/phrases.js";
import { listen } from "./analysis/commands.js";
import { Course } from "./analysis/course.js";
import { $ } from "../dom.js";
import { Comments, openedRecord, rememberAnalysis } from "./analysis/remembered.js";
import { Openings } from "./analysis/openings.js";
import { Sharing, StudyComments } from "./analysis/sharing.js";
import { analysisOf, ask, Study } from "./study.js";
import { Thinking } from "./analysis/thinking.js";
import { Node, unpacked } from "./analysis/tree.js";
import { listTurns } from "./analysis/turnlist.js";
import { Views } from "./analysis/views.js";

/** @typedef {import("./study.js").Place} Place */
/** @typedef {import("./study.js").Told} Told */

/** Largest number of variations of a study whose turns the page requests in words. */
const WORDED = 40;
/**
 * If a link would be longer than this, in characters, it contains the position instead of the turns that lead to it.
 */
const LONGEST_LINK = 6000;

export class Analysis {
  constructor() {
    /** @type {import("./study.js").Board} */
    this.board = $("board");
    this.study = new Study(this.board, {
      played: (turn) => void this.play(turn),
      drafted: (told) => this.drafting(told),
      refused: (text) => this.refuse(text),
    });
    /** @type {{name: string, side: string}[]} */
    this.players = [];
    this.game = "";
    /** @type {Record<string, unknown>} */
    this.setup = {};
    /** The setup in the form for links. @type {Record<string, unknown>} */
    this.start = {};
    this.root = new Node(null);
    this.at = this.root;
    /** @type {Comments | StudyComments} */
    this.comments = new Comments("");
    this.sharing = new Sharing($("study"), this);
    this.course = new Course((node) => void this.go(node));
    this.thinking = new Thinking($("engine"), this.board, (moves) => void this.follow(moves));
    this.views = new Views($("panel"), () => this.viewed());
    this.openings = new Openings(
      $("openings"),
      this.views,
      (turn) => void this.play(turn),
      (ways) => this.thinking.point(ways),
    );
    listen(this);
    void this.open(openedRecord() ?? JSON.parse($("place").textContent));
  }

  /**
   * Shows a new position. The turns that lead to it become the tree's main line.
   * @param {Place & {note?: string, match?: string, own?: number | null, study?: import("./analysis/sharing.js").Saved}} place
   */
  async open(place) {
    const told = await this.study.go(place, { whole: true });
    if (!told) return;
    [this.game, this.setup, this.players] = [place.game, told.setup, told.look.players];
    this.openings.offer(told.openings === true, !place.match);
    this.start = told.start ?? told.setup;
    if (place.match) this.board.flipped = this.players.length === 2 && place.own === 1; // as at the table
    this.comments = new Comments(JSON.stringify([this.game, this.start]));
    this.root = new Node(null);
    let node = this.root;
    for (const [number, move] of place.moves.entries()) node = node.after(move, told.words?.[number] ?? []);
    this.at = node;
    this.root.words = place.moves.length ? [] : told.told;
    this.course.begin(this.players, place.match ?? "");
    if (place.study) this.take(place.study);
    const last = this.sharing.begin(place.study);
    this.shown(told);
    if (last) await this.lead(last, false);
    this.say(place.note ?? "");
    if (place.match) await this.judge();
  }

  /** Draws on the board what the view that is shown now lists. */
  viewed() {
    this.thinking.draws(!this.openings.isOpen);
    this.openings.viewed();
  }

  /** Replaces the tree by the tree of a study. @param {import("./analysis/sharing.js").Saved} saved */
  take({ content }) {
    const nodes = unpacked(content.nodes);
    const moves = JSON.stringify(this.at.moves());
    const words = new Map(this.root.all().map((node) => [JSON.stringify(node.moves()), node.words]));
    for (const node of nodes) node.words = words.get(JSON.stringify(node.moves())) ?? [];
    this.comments = new StudyComments(
      content.nodes.map(([, , comment]) => comment),
      nodes,
    );
    this.root = nodes[0];
    this.at = nodes.find((node) => JSON.stringify(node.moves()) === moves) ?? this.root;
    this.draw();
    void this.wordAll();
  }

  /** Requests the turns in words, for turns of which the page knows only the notation. */
  async wordAll() {
    const { root } = this;
    const ends = root.all().filter((node) => !node.children.length && node.path().some((one) => !one.words.length));
    for (const end of ends.slice(0, WORDED)) {
      if (root !== this.root) return; // the tree was replaced meanwhile
      const place = { game: this.game, setup: this.setup, moves: end.moves() };
      const told = await ask("/analyse/at", { ...place, whole: true }).catch(() => undefined);
      for (const [number, node] of end.path().entries())
        if (!node.words.length) node.words = told?.words?.[number] ?? node.words;
    }
    if (ends.length && root === this.root) this.draw();
  }

  /** Goes to the node at which the owner of a study is. @param {Node} node @param {boolean} step as for `go` */
  async lead(node, step) {
    await this.go(node, step, true);
  }

  /** Lets the engine judge every turn of the present line. */
  async judge() {
    const end = this.end();
    await this.course.judge({ game: this.game, setup: this.setup, moves: end.moves() }, this.root, end);
    this.draw();
    this.course.point(this.at);
  }

  /**
   * Goes to a node of the tree.
   * @param {Node} node
   * @param {boolean} [step] whether to show the turn step by step
   * @param {boolean} [isLed] whether the page goes there because it follows the owner of a study
   */
  async go(node, step = false, isLed = false) {
    if (node === this.at && !this.study.actions.length && !this.study.given.length) return;
    this.at = node;
    if (!isLed) this.sharing.moved();
    this.thinking.stop();
    this.draw();
    this.course.point(node);
    const told = await this.study.go({ game: this.game, setup: this.setup, moves: node.moves() }, { step });
    if (told) this.shown(told);
  }

  /** Shows everything about the present node. @param {Told} told the data of its position */
  shown(told) {
    const [said] = told.notation;
    if (this.at.parent && said) this.at.move = said;
    if (this.at.parent) this.at.words = told.told;
    this.say("");
    this.draw();
    $("position", HTMLInputElement).value = told.position;
    this.tellLine();
    $("whose").hidden = told.asked.length < 2;
    $("whose").replaceChildren(
      ...told.asked.map((player) => element("option", { value: String(player) }, this.players[player].side)),
    );
    this.stand(told);
    this.course.point(this.at);
    rememberAnalysis(
      this.address(),
      `${document.title.split(" · ")[0]}, ${this.at.depth ? `after ${this.at.depth} turn${this.at.depth > 1 ? "s" : ""}` : "the start"}`,
    );
    this.think();
    this.openings.show({ game: this.game, setup: this.setup, moves: this.at.moves() }, this.players);
  }

  /** Stores the comment on the present turn from the text field. */
  comment() {
    this.comments.set(this.at.moves(), $("comment", HTMLTextAreaElement).value.trim());
    this.draw();
    this.sharing.changed();
  }

  /** Shows whose turn it is, or how the match ended. @param {Told} told */
  stand(told) {
    const named = (/** @type {number[]} */ those) => listed(those.map((player) => this.players[player].side));
    const first = (told.outcome?.ranks ?? []).flatMap((rank, player) => (rank === 1 ? [player] : []));
    const ended =
      told.outcome &&
      (first.length === this.players.length
        ? "A draw"
        : first.length
          ? `${named(first)} ${first.length > 1 ? "win" : "wins"}`
          : "Over");
    const draft = told.draft?.labels.length ? `: ${told.draft.labels.join(", then ")} …` : "";
    if (ended) return void $("status").replaceChildren(`${ended}: ${told.outcome?.reason}`);
    const isAtOnce = told.draft !== undefined && told.asked.length > 1;
    const signs = (isAtOnce ? [told.draft?.player ?? 0] : told.asked).map((player) =>
      signOf(player, this.players[player].side),
    );
    const chooses = isAtOnce ? ` chooses; ${told.asked.length > 2 ? "all" : "both"} act at once` : ` to play${draft}`;
    return void $("status").replaceChildren(...signs, chooses);
  }

  /** Shows whose turn it is, after the person has changed the draft of a turn. @param {Told} told */
  drafting(told) {
    this.stand(told);
    this.thinking.unmark();
  }

  think() {
    const told = this.study.told;
    if (!told?.asked.length) return this.thinking.idle();
    const player = told.asked.length > 1 ? Number($("whose", HTMLSelectElement).value) : told.asked[0];
    return this.thinking.start({ game: this.game, setup: this.setup, moves: this.at.moves(), player }, this.players);
  }

  /** Plays a turn at the current node, and goes to the new position. @param {string} turn */
  async play(turn) {
    const node = this.at.after(turn);
    await this.go(node, true);
  }

  /** Adds a line of the engine to the tree, and goes to the line's first turn. @param {string[]} moves */
  async follow(moves) {
    let node = this.at;
    for (const move of moves) node = node.after(move);
    const first = this.at.after(moves[0]);
    await this.words(node);
    await this.go(first, true);
  }

  /** Requests the turns that lead to a node in words. @param {Node} node */
  async words(node) {
    const told = await this.study.fetch({ game: this.game, setup: this.setup, moves: node.moves(), whole: true });
    for (const [number, one] of node.path().entries()) one.words = told?.words?.[number] ?? one.words;
  }

  async back() {
    if (await this.study.undo()) return;
    if (this.at.parent) await this.go(this.at.parent);
  }

  async on() {
    if (this.at.children[0]) await this.go(this.at.children[0], true);
  }

  end() {
    let node = this.at;
    while (node.children[0]) [node] = node.children;
    return node;
  }

  async remove() {
    const { parent } = this.at;
    if (!parent) return;
    this.at.remove();
    await this.go(parent);
  }

  promote() {
    this.at.promote();
    this.sharing.changed();
    this.draw();
    this.tellLine();
  }

  /** Writes the present line into the text field, unless the person is typing there. */
  tellLine() {
    const field = $("moves", HTMLTextAreaElement);
    if (document.activeElement !== field) field.value = this.at.line().join("\n");
  }

  /** Shows the line that the person has written into the text field. */
  async load() {
    const moves = $("moves", HTMLTextAreaElement)
      .value.split("\n")
      .map((/** @type {string} */ line) => line.trim())
      .filter(Boolean);
    const place = { game: this.game, setup: this.setup, moves };
    const told = await this.study.fetch({ ...place, whole: true });
    if (!told) return;
    let node = this.root;
    for (const [number, move] of moves.entries()) node = node.after(move, told.words?.[number]);
    this.at = this.root;
    await this.go(node);
  }

  /** Opens a record. @param {string} text the record */
  async read(text) {
    try {
      const place = await ask("/analyse/record", text);
      this.views.show("engine");
      await this.open(place);
      document.title = `${this.study.told?.look?.title ?? ""} · Analysis · Lapilli`;
    } catch (problem) {
      this.refuse(/** @type {Error} */ (problem).message);
    }
  }

  /** A link that opens the present position again. */
  address() {
    const { game, start } = this;
    const link = analysisOf({ game, setup: start, moves: this.at.moves() });
    return link.length <= LONGEST_LINK ? link : analysisOf({ game, setup: this.study.told?.here ?? start, moves: [] });
  }

  async copy() {
    const address = this.address();
    history.replaceState(null, "", address);
    try {
      await navigator.clipboard.writeText(location.origin + address);
      this.say("The link is copied. It is also the address of this page.");
    } catch {
      this.say("The link is now the address of this page.");
    }
  }

  /** Shows why something was refused. @param {string} text */
  refuse(text) {
    this.say(text);
    this.study.offer();
  }

  /** Shows a note. @param {string} text "" to hide the note */
  say(text) {
    $("note").textContent = text;
    $("note").hidden = !text;
  }

  /** Draws the tree. */
  draw() {
    listTurns(this.root, this.at, {
      players: this.players,
      markOf: (node) => this.course.markOf(node),
      commentOf: (node) => this.comments.get(node.moves()),
      go: (node) => void this.go(node, node.parent === this.at),
    });
    const comment = $("comment", HTMLTextAreaElement);
    if (document.activeElement !== comment) comment.value = this.comments.get(this.at.moves());
    comment.readOnly = !this.sharing.mayComment;
    comment.labels[0].hidden = comment.readOnly && !comment.value;
    $("edit").hidden = !this.at.parent;
    $("promote").hidden = this.at.isMain;
    $("remove", HTMLButtonElement).disabled =
      $("back", HTMLButtonElement).disabled =
      $("first", HTMLButtonElement).disabled =
        !this.at.parent;
    $("on", HTMLButtonElement).disabled = $("last", HTMLButtonElement).disabled = !this.at.children.length;
  }
}

Object.assign(window, { lapilliAnalysis: new Analysis() });
