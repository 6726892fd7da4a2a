// @ts-check
// The turn that an engine suggests for a person: marked on the board and told in a sentence, without the actions chosen already.

import { numbered } from "../../../../viewer/static/analysis/marks.js";
import { seeking, suggestion } from "./words/sentences.js";

/** @typedef {import("../../../../viewer/static/board/board.js").LapilliBoard} Board */
/** @typedef {import("./messages.js").TableStatus} TableStatus */
/** @typedef {import("../../../../viewer/static/board/drawing/overlay.js").Dot} Dot */

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
    const steps = this.rest(now);
    if (!steps.length) {
      this.found = undefined;
      return;
    }
    const marks = markings(steps, (this.found?.steps.length ?? 0) - steps.length);
    this.board.dots = marks.dots;
    this.board.arrows = marks.arrows;
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

/**
 * Returns dots and arrows that show a turn. If the turn has several steps, they are numbered: where a step has an arrow,
 * on the arrow, otherwise on the dot. Steps with the same arrow or dot share it, with all their numbers.
 * @param {import("./messages.js").HintStep[]} steps the steps that are not chosen yet
 * @param {number} done number of steps of the turn that are chosen already
 * @returns {import("../../../../viewer/static/analysis/marks.js").Markings}
 */
function markings(steps, done) {
  const all = numbered(
    steps.map(({ way }) => way),
    done,
  );
  const [lone, pairs] = [1, 2].map((count) => all.filter(({ ends }) => ends.length === count));
  return {
    dots: [
      ...steps.flatMap(({ way }) => way).map((key) => /** @type {Dot} */ ([key, "best"])),
      ...lone.map(({ ends, label }) => /** @type {Dot} */ ([ends[0], "best", label])),
    ],
    arrows: pairs.map(({ ends, label }) => [ends[0], ends[1], "best", label]),
  };
}
