// @ts-check
// The turn that an engine suggests for a person: marked on the board and told in a sentence, without the actions chosen already.

import { seeking, suggestion } from "./sentences.js";

/** @typedef {import("../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("./messages.js").TableStatus} TableStatus */

/** The number of actions chosen for the present turn. @param {TableStatus | undefined} status */
const chosen = (status) => status?.draft?.labels.length ?? 0;

export class Hints {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /**
     * The suggested turn. `from`: number of actions that were chosen before.
     * @type {{turn: number, from: number, steps: import("./messages.js").HintStep[]} | undefined}
     */
    this.found = undefined;
    /**
     * The hint that an engine is looking for. `share`: as in the message `HintSearch`.
     * @type {{turn: number, steps: number, share: number | null} | undefined}
     */
    this.sought = undefined;
  }

  /**
   * Must be called when an engine begins to look for a hint, and when it reports its progress.
   * @param {TableStatus | undefined} now
   * @param {number | null} share as in the message `HintSearch`
   */
  seek(now, share) {
    this.sought = { turn: now?.turn ?? 0, steps: chosen(now), share };
  }

  /**
   * Must be called when the engine has found a hint. A hint for an earlier turn is ignored.
   * @param {import("./messages.js").FoundHint} message
   * @param {TableStatus | undefined} now
   */
  find({ turn, steps }, now) {
    this.sought = undefined;
    if (turn === now?.turn) this.found = { turn, from: chosen(now), steps };
  }

  /** Whether an engine is looking for a hint about this draft. @param {TableStatus | undefined} status */
  isSought(status) {
    return this.sought !== undefined && this.sought.turn === status?.turn && this.sought.steps === chosen(status);
  }

  /** Marks the rest of the suggested turn on the board. Forgets it if the person has chosen something else. @param {TableStatus | undefined} now */
  mark(now) {
    const ways = this.rest(now).map(({ way }) => way);
    if (!ways.length) {
      this.found = undefined;
      return;
    }
    this.board.dots = ways.flat().map((key) => /** @type {[string, string]} */ ([key, "best"]));
    this.board.arrows = ways
      .filter((way) => way.length > 1)
      .map((way) => /** @type {[string, string, string]} */ ([way[way.length - 2], way[way.length - 1], "best"]));
  }

  /** The sentence about a hint or the search for it; "" if there is neither. @param {TableStatus | undefined} now @param {TableStatus} shown */
  sentence(now, shown) {
    const suggests = suggestion(this.rest(now).map(({ label }) => label));
    return suggests || (this.sought && this.isSought(shown) ? seeking(this.sought.share) : "");
  }

  /** The actions of the suggested turn that are not chosen yet. @param {TableStatus | undefined} now */
  rest(now) {
    const { found } = this;
    if (!found || found.turn !== now?.turn || chosen(now) < found.from) return [];
    const since = now.draft?.labels.slice(found.from) ?? [];
    const follows = since.every((label, step) => label === found.steps[step]?.label);
    return follows ? found.steps.slice(since.length) : [];
  }
}
