// @ts-check
/**
 * The types of a film (all pictures and texts of a match, as viewer/films/film.py writes them), and a class to read films.
 */

/**
 * A `Frame` is a picture of a film, stored as its difference from the picture before. An `Entry` is a player's answer in
 * a turn. `Judged` is the analysis of a player's turn, and `Instead` the picture after the player's best turn.
 * `Waiting` contains the players who had not answered when the match was cut short.
 * @typedef {import("../../board/pictures.js").Part} Part
 * @typedef {import("../../board/pictures.js").Frame} Difference
 * @typedef {Difference & {turn: number, caption: string, label: string, weight: number, mark?: string, gauge?: number[]}} Frame
 * @typedef {{player: number, action: string | null, told?: string, ms?: number, usage?: string, message?: string,
 *   stderr?: string, notes?: string[], fault?: string}} Entry
 * @typedef {Difference & {caption: string, label: string}} Instead
 * @typedef {{player: number, before: number, after: number | null, loss: number, mark?: string, reason?: string,
 *   proven?: boolean, chances: [before: number, after: number | null],
 *   best: [reply: string, value: number, follow: [player: number, reply: string][], ways: string[][], words: string,
 *     brief: string][],
 *   instead?: Instead}} Judged
 * @typedef {{turn: number, event: string, entries: Entry[], inputs: Record<string, string>, scores: number[],
 *   gauge: number[], frames: [first: number, last: number], judged?: Judged[]}} Turn
 * @typedef {{scores: number[], ranks: number[], termination: string, words: string, culprit: number | null}} Outcome
 * @typedef {{engine: string, nodes: number | null, ms: number | null, whole: boolean, accuracy: (number | null)[],
 *   marks: Record<string, number>[], values: (number | null)[][]}} Analysis
 * @typedef {{turn: number, inputs: Record<string, string>, entries: Entry[]}} Waiting
 * @typedef {{title: string, players: {name: string, side: string}[], legend: [text: string, parts: Part[], brief: string][],
 *   rules: string, outcome: Outcome | null, cut: string, waiting: Waiting | null, style: string, defs: string,
 *   links: Record<string, import("../../board/drawing/overlay.js").Link[]>, globe: Record<string, [number, number, number][]>, gauge: string,
 *   frames: Frame[], turns: Turn[], analysis?: Analysis}} Film
 * @typedef {{at: number, kind: string, title: string}} Happening an event or fault that the timeline shows at picture `at`
 */

const USUAL_MS = 700;
const SHORTEST_MS = 150;
const LONGEST_MS = 3000;
const HURRIED_MS = [50, 160];
const HURRIED_TURN_MS = 1200;

/**
 * Finds pictures and turns in a film. `at` is the number of a picture, and `index` the index of a turn in the film. People
 * see the number of the referee's turn instead.
 */
export class Reel {
  /** @param {Film} film */
  constructor(film) {
    this.film = film;
    /** @type {Happening[]} */
    this.happenings = [];
    film.turns.forEach((_, index) => this.happenings.push(...this.happeningsOf(index)));
    /** @type {number[][]} the chart's value of each player, by picture */
    this.gauges = [];
    film.frames.forEach((_, at) => this.gauges.push(this.gaugeOf(at)));
  }

  /** Returns a reel with an empty film. */
  static empty() {
    /** @type {Film} */
    const film = {
      title: "",
      players: [],
      legend: [],
      rules: "",
      outcome: null,
      cut: "",
      waiting: null,
      style: "",
      defs: "",
      links: {},
      globe: {},
      gauge: "",
      frames: [],
      turns: [],
    };
    return new Reel(film);
  }

  get last() {
    return this.film.frames.length - 1;
  }

  /**
   * Appends a picture.
   * @param {Frame} frame
   * @param {Turn} [turn] the turn that begins with this picture; undefined if the last turn continues. Its property
   *   `frames` is set by this function
   */
  add(frame, turn) {
    const { frames, turns } = this.film;
    const at = frames.push(frame) - 1;
    if (turn) turns.push({ ...turn, frames: [at, at] });
    frame.turn = turns.length - 1;
    turns[frame.turn].frames = [turns[frame.turn].frames[0], at];
    this.happenings = this.happenings.filter((one) => this.turnAt(one.at) !== frame.turn);
    this.happenings.push(...this.happeningsOf(frame.turn));
    this.gauges.push(this.gaugeOf(at));
  }

  /** Returns the index of a picture's turn. @param {number} at */
  turnAt(at) {
    return this.film.frames[at].turn;
  }

  /** Returns the number of a turn's last picture, which shows the position after the turn. @param {number} index */
  settled(index) {
    return this.film.turns[index].frames[1];
  }

  /** Returns whether a picture is the last one of its turn. @param {number} at */
  isSettled(at) {
    return this.settled(this.turnAt(at)) === at;
  }

  /**
   * Returns the events and faults of a turn.
   * @param {number} index
   * @returns {Happening[]}
   */
  happeningsOf(index) {
    const { frames, turns, players } = this.film;
    const {
      turn,
      entries,
      frames: [first, last],
    } = turns[index];
    /** @type {Happening[]} */
    const found = [];
    for (let at = first; at <= last; at++) {
      const { mark } = frames[at];
      if (mark) found.push({ at, kind: mark, title: `turn ${turn}: ${mark}` });
    }
    for (const { player, action, fault, notes } of entries) {
      const whose = `turn ${turn}: ${players[player].side}: `;
      if (fault) found.push({ at: last, kind: action === null ? "silent" : "fault", title: whose + isolated(fault) });
      else if (notes) found.push({ at: last, kind: "note", title: whose + isolated(notes[0]) });
    }
    return found;
  }

  /**
   * Returns each player's value in the chart at a picture.
   * @param {number} at
   * @returns {number[]}
   */
  gaugeOf(at) {
    const { frames, turns } = this.film;
    const own = frames[at].gauge;
    if (own) return own;
    return at === 0 || this.isSettled(at) ? turns[this.turnAt(at)].gauge : this.gauges[at - 1];
  }

  /**
   * Returns the time for which a picture is shown while the film plays, in milliseconds. It depends on the weight of the
   * picture. All pictures of a turn together take at most LONGEST_MS.
   * @param {number} at
   * @param {number} speed 2 for twice as fast
   */
  pace(at, speed) {
    const [first, last] = this.film.turns[this.turnAt(at)].frames;
    const usual = (/** @type {number} */ one) =>
      Math.min(LONGEST_MS, Math.max(SHORTEST_MS, USUAL_MS * (this.film.frames[one].weight ?? 1)));
    let whole = 0;
    for (let one = first; one <= last; one++) whole += usual(one);
    return (usual(at) * Math.min(1, LONGEST_MS / whole)) / speed;
  }

  /**
   * Returns the time for which each picture of a turn is shown if a person steps to the next turn, in milliseconds.
   * @param {number} index
   */
  hurried(index) {
    const [first, last] = this.film.turns[index].frames;
    return Math.min(HURRIED_MS[1], Math.max(HURRIED_MS[0], HURRIED_TURN_MS / (last - first + 1)));
  }

  /**
   * Returns the URL fragment of a picture: "#turn=12" for the last picture of turn 12, "#turn=12.3" for its third.
   * @param {number} at
   */
  address(at) {
    const {
      turn,
      frames: [first, last],
    } = this.film.turns[this.turnAt(at)];
    return at === last ? `#turn=${turn}` : `#turn=${turn}.${at - first + 1}`;
  }

  /**
   * Returns the number of the picture that a URL fragment names; null if the film has no such picture.
   * @param {string} address
   */
  atAddress(address) {
    const found = address.match(/^#turn=(\d+)(?:\.(\d+))?$/);
    const turn = found && this.film.turns.find((one) => one.turn === Number(found[1]));
    if (!found || !turn) return null;
    const [first, last] = turn.frames;
    return found[2] === undefined ? last : Math.min(last, first + Math.max(1, Number(found[2])) - 1);
  }

  /**
   * Returns the number of the nearest picture with an event or fault; undefined if there is none.
   * @param {number} at picture from which to search
   * @param {number} by -1 for backwards, 1 for forwards
   * @param {(kind: string) => boolean} [which] function that selects kinds of events; by default all
   */
  nextHappening(at, by, which = () => true) {
    const those = this.happenings
      .filter((one) => which(one.kind) && (by > 0 ? one.at > at : one.at < at))
      .map((one) => one.at);
    return those.length ? (by > 0 ? Math.min(...those) : Math.max(...those)) : undefined;
  }

  /**
   * Returns the time that each player has used up to the end of a turn, in milliseconds.
   * @param {number} index
   */
  used(index) {
    const used = this.film.players.map(() => 0);
    for (const { entries } of this.film.turns.slice(0, index + 1))
      for (const { player, ms } of entries) used[player] += ms ?? 0;
    return used;
  }
}

/** Isolates a text that may run from right to left, for a place where no elements can be used. @param {string} text */
const isolated = (text) => `\u2068${text}\u2069`;

/** Returns whether a kind of event is a fault. @param {string} kind */
export const isFault = (kind) => kind === "fault" || kind === "silent";
