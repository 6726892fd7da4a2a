// @ts-check
// Notes for beginners: in the first matches of a game, a remark beside the board that lights up what it is about.

import { store, stored } from "../../../viewer/static/board/storage.js";

/** @typedef {import("./messages.js").ShownNote} ShownNote */
/** @typedef {{never?: boolean, games?: Record<string, Record<string, string[]>>}} Kept by game and table: names of the shown notes */

const STORED = "lapilli-notes";
/** A person is a beginner in so many matches of a game. */
const MATCHES = 3;
/** Windows in which the panel beside the board is not in view; there, a note takes the place of the page's header. */
const SMALL = matchMedia("(max-width: 860px), (max-height: 500px) and (orientation: landscape)");

export class Notes {
  /**
   * @param {HTMLElement} node
   * @param {import("../../../viewer/static/board/board.js").LapilliBoard} board
   * @param {string} game
   * @param {string} table id of the table
   */
  constructor(node, board, game, table) {
    this.node = node;
    this.board = board;
    this.game = game;
    this.table = table;
    this.turn = 0;
    /** @type {ShownNote | undefined} */
    this.note = undefined;
    this.panel = /** @type {HTMLElement} */ (node.parentElement);
    this.following = node.nextElementSibling;
    SMALL.addEventListener("change", () => this.put());
    this.put();
    node.addEventListener("click", ({ target }) => {
      const act = /** @type {HTMLElement} */ (target).dataset.act;
      if (act === "never") store(STORED, { ...this.kept, never: true });
      if (act) this.tell(undefined);
    });
  }

  /** @returns {Kept} */
  get kept() {
    return stored(STORED) ?? {};
  }

  /** Where the note lies in a window of this size. */
  put() {
    if (SMALL.matches) document.body.prepend(this.node);
    else this.panel.insertBefore(this.node, this.following);
  }

  /**
   * Shows a note of this turn, unless one was shown already.
   * @param {number} turn
   * @param {ShownNote[] | undefined} notes undefined if it is not this person's turn
   */
  offer(turn, notes) {
    if (!notes || turn !== this.turn) this.tell(undefined);
    if (!notes?.length || turn === this.turn) return;
    this.turn = turn;
    const { never, games = {} } = this.kept;
    const own = games[this.game] ?? {};
    if (never || !(this.table in own || Object.keys(own).length < MATCHES)) return;
    const seen = own[this.table] ?? [];
    const note = notes.find(({ name }) => !seen.includes(name));
    if (!note) return;
    store(STORED, { games: { ...games, [this.game]: { ...own, [this.table]: [...seen, note.name] } } });
    this.tell(note);
  }

  /** @param {ShownNote | undefined} note */
  tell(note) {
    this.note = note;
    this.node.hidden = !note;
    if (note) this.node.querySelector("p")?.replaceChildren(note.text);
    this.light(true);
  }

  /** @param {boolean} isOn whether the board shows the position that the note is about */
  light(isOn) {
    this.board.noted = (isOn && this.note?.places) || [];
  }
}
