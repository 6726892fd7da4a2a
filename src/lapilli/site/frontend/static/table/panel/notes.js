// @ts-check
// Notes for beginners: in a person's first matches of a game, shows a remark beside the board, and highlights on the
// board what the remark is about.

import { $ } from "../../dom.js";
import { store, stored } from "../../../../../viewer/static/board/storage.js";

/** @typedef {import("../messages.js").ShownNote} ShownNote */
/**
 * The data in the browser's storage: whether to show no notes; and by game and table, the names of the notes shown so
 * far.
 * @typedef {{never?: boolean, games?: Record<string, Record<string, string[]>>}} Kept
 */

const STORED = "lapilli-notes";
/** Number of a person's first matches of a game in which notes are shown. */
const MATCHES = 3;
/** Small windows, in which the panel beside the board is not visible. There, a note has a place above the buttons. */
export const SMALL = matchMedia("(max-width: 860px), (max-height: 500px) and (orientation: landscape)");

export class Notes {
  /**
   * @param {HTMLElement} node
   * @param {import("../../../../../viewer/static/board/board.js").LapilliBoard} board
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
    this.reserve(!this.kept.never && table in (this.kept.games?.[game] ?? {}));
    node.addEventListener("click", ({ target }) => {
      const act = /** @type {HTMLElement} */ (target).dataset.act;
      if (act === "never") {
        store(STORED, { ...this.kept, never: true });
        this.reserve(false);
      }
      if (act) this.tell(undefined);
    });
  }

  /** What the browser has stored about notes. @returns {Kept} */
  get kept() {
    return stored(STORED) ?? {};
  }

  /** Puts the note at its place in a window of this size. */
  put() {
    if (SMALL.matches) $("actions").prepend(this.node);
    else this.panel.insertBefore(this.node, this.following);
  }

  /**
   * Sets whether notes have a place in small windows. It stays for the whole match, so that the board never moves.
   * @param {boolean} isReserved
   */
  reserve(isReserved) {
    if (document.body.hasAttribute("data-notes") === isReserved) return;
    document.body.toggleAttribute("data-notes", isReserved);
    if (this.note) this.board.arrange(); // its available space has changed
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
    this.reserve(true);
  }

  /** Shows a note, or hides the present one. @param {ShownNote | undefined} note */
  tell(note) {
    this.note = note;
    this.node.hidden = !note;
    if (note) this.node.querySelector("p")?.replaceChildren(note.text);
    this.light(true);
  }

  /** Highlights the note's places on the board. @param {boolean} isOn whether the board shows the note's position */
  light(isOn) {
    this.board.noted = (isOn && this.note?.places) || [];
  }
}
