// @ts-check
// Premoves: while the opponent thinks, a person chooses the place to take next. The page plays this turn as soon as it
// is the person's turn. If the rules do not allow it then, the page drops it. The site knows nothing of premoves.

/** @typedef {import("../../../../viewer/static/board/input/choosing.js").Choice} Choice */

export class Premove {
  /**
   * @param {import("./table.js").Table} table the attribute data-premoves of its board says that each turn of the game
   *   takes one place
   */
  constructor(table) {
    this.table = table;
    /** Key of the place that was chosen; "" if none was chosen. */
    this.key = "";
    /** Whether the present click has skipped the pictures of a turn. */
    this.hasSkipped = false;
  }

  /** Whether the person can choose a premove now. */
  get isOpen() {
    const { board, now, seat } = this.table;
    if (board.dataset.premoves === undefined || seat === null || !now || now.draft || now.outcome) return false;
    return !now.open.length && !now.days && !now.resigning && now.asked.length > 0;
  }

  /**
   * Returns the places that the person can choose in advance now. If there are any, the board has the attribute `ahead`:
   * it looks as if nothing could be chosen.
   */
  choices() {
    const places = this.isOpen ? this.places() : [];
    this.table.board.toggleAttribute("ahead", places.length > 0);
    return places.map(([key, name], place) => /** @type {Choice} */ ([place, [key], `choose ${name} in advance`]));
  }

  /** Returns the keys and names of all places that texts can name. @returns {[key: string, name: string][]} */
  places() {
    const { look, picture } = this.table.board;
    const [, place] = look.names?.[0] ?? ["", ""];
    const prefix = place.split("{")[0];
    const keys = prefix ? [...picture.shapes.keys()].filter((key) => key.startsWith(prefix)) : [];
    return keys.map((key) => [key, key.slice(prefix.length)]);
  }

  /** Name of the place that was chosen; "" if none was chosen. */
  get name() {
    return this.places().find(([key]) => key === this.key)?.[1] ?? "";
  }

  /** What the page says about the chosen place; "" if none was chosen. */
  get sentence() {
    return this.name && `You take ${this.name} next, if you can`;
  }

  /** Marks of the board for the chosen place. @returns {[key: string, kind: string, label: string][]} */
  get dots() {
    return this.key ? [[this.key, "reply", "next"]] : [];
  }

  /** Skips the pictures of a turn, if they are shown. The same click then chooses no place. */
  skip() {
    this.hasSkipped = this.table.showing.skip();
    setTimeout(() => (this.hasSkipped = false));
  }

  /** Chooses a place; if it was chosen before, no place. @param {number} [place] its number; by default, no place */
  choose(place) {
    const { board } = this.table;
    const { cursor } = board.overlay.marked;
    const key = this.places()[place ?? -1]?.[0] ?? this.key;
    if (!this.hasSkipped) this.key = key === this.key ? "" : key;
    this.play(); // the person's turn may have come while pictures were shown
    this.table.offered = ""; // the board offers the places again
    this.table.settle();
    board.overlay.mark({ cursor });
  }

  /** Plays the premove, if there is one and it is the person's turn. */
  play() {
    const { now, status } = this.table;
    if (!this.key || !now?.draft || now.planning) return;
    const { key, name } = this;
    this.key = "";
    const choices = /** @type {Choice[]} */ (now.draft.choices);
    const choice = choices.find(([, way]) => way.length === 1 && way[0] === key);
    if (choice) this.table.say("pick", { action: choice[0] });
    else status.notify(`You cannot take ${name} now, which you had chosen in advance.`);
  }
}
