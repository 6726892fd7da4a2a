// @ts-check
// Finds the action that a person means by clicks. Each action has a *way*: the shapes to click and words to choose, in
// order.

/**
 * An action that can be chosen. `way`: keys of shapes, and words after WORD. `held`: key of the piece that can be dragged.
 * @typedef {[action: number, way: string[], label: string, held?: string]} Choice
 */

/** First character of a step that is a word. Other steps are keys of shapes. */
const WORD = "=";

/** Returns whether a step is a shape to click, not a word. @param {string | undefined} step */
function isPlace(step) {
  return step !== undefined && !step.startsWith(WORD);
}

/** The choice of one action in progress: the steps so far, and the actions that are still possible. */
export class Walk {
  /** @param {Choice[]} choices all actions; no action's way may be the beginning of another action's way */
  constructor(choices) {
    this.choices = choices;
    /** @type {string[]} the steps so far */
    this.path = [];
  }

  /** Returns the choices that are still possible after some steps. @param {string[]} [path] the steps */
  open(path = this.path) {
    return this.choices.filter(([, way]) => path.every((step, i) => way[i] === step));
  }

  /** Returns the keys of the shapes that can be clicked next. @returns {string[]} */
  keys() {
    return [...this.nexts()].filter(isPlace);
  }

  /** Returns the words that can be chosen next. @returns {string[]} */
  words() {
    return [...this.nexts()].filter((step) => step.startsWith(WORD)).map((step) => step.slice(WORD.length));
  }

  /** Returns all possible next steps after some steps. @param {string[]} [path] the steps @returns {Set<string>} */
  nexts(path = this.path) {
    return new Set(this.open(path).map(([, way]) => way[path.length]));
  }

  /**
   * Returns the only choice that remains after a step; undefined if several or none remain.
   * @param {string} step
   * @returns {Choice | undefined}
   */
  meant(step) {
    const those = this.open().filter(([, way]) => way[this.path.length] === step);
    return those.length === 1 ? those[0] : undefined;
  }

  /**
   * Takes the step of clicking a shape. If the shape cannot be clicked now, but could be clicked earlier, the steps
   * after that moment are undone first.
   * @param {string} key
   * @returns {boolean} whether the shape can be clicked
   */
  point(key) {
    const path = this.leading(key);
    if (path) this.path = path;
    return path !== undefined;
  }

  /**
   * Returns the steps after a click on a shape, as `point` describes.
   * @param {string} key
   * @returns {string[] | undefined}
   */
  leading(key) {
    for (let length = this.path.length; length >= 0; length--) {
      const before = this.path.slice(0, length);
      if (this.path[length] !== key && this.nexts(before).has(key)) return [...before, key];
    }
    return undefined;
  }

  /**
   * Returns the steps that are taken once the piece at a shape is lifted. Lifting counts as a click on the shape, with
   * two exceptions: the shape was clicked in the last step, or it is the piece `held` of a remaining choice.
   * @param {string} key
   * @returns {string[] | undefined} undefined if the piece could be put down nowhere
   */
  lifted(key) {
    const isThere = this.path.at(-1) === key || this.open().some(([, , , held]) => held === key);
    const path = isThere ? this.path : this.leading(key);
    return path && [...this.nexts(path)].some(isPlace) ? path : undefined;
  }

  /** Returns the keys of the shapes at which a piece may be lifted. @returns {Set<string>} */
  loose() {
    /** @type {Set<string>} */
    const found = new Set();
    for (let length = this.path.length; length >= 0; length--) {
      for (const [, way, , held] of this.open(this.path.slice(0, length))) {
        if (isPlace(way[length + 1])) found.add(way[length]);
        if (held && length === this.path.length && isPlace(way[length])) found.add(held);
      }
    }
    return found;
  }

  /**
   * Returns the steps to take if the dragged piece is dropped on a place: usually this place alone. If the piece covers
   * two places, the steps are the place that the pointer has crossed before, and this place.
   * @param {string} key the place
   * @param {string | undefined} from the place that the pointer has crossed before
   * @returns {string[]} empty if the piece cannot be dropped there
   */
  reaching(key, from) {
    const [alone, along] = [this.nexts([...this.path, key]), [...this.path, from ?? "", key]];
    if ((!alone.size || [...alone].some(isPlace)) && this.open(along).length) return along.slice(this.path.length);
    return alone.size ? [key] : [];
  }

  /**
   * Returns the choices that put a piece on two places, of which `key` is the first.
   * @param {string} key the first place; it may have been chosen already
   * @returns {Choice[]}
   */
  layings(key) {
    const path = this.path.at(-1) === key ? this.path.slice(0, -1) : this.path;
    return this.open(path).filter(
      ([, way, , held]) => held && way[path.length] === key && way.length === path.length + 2 && isPlace(way.at(-1)),
    );
  }

  /** Takes the step of choosing a word. @param {string} word one of `words` */
  say(word) {
    this.path.push(WORD + word);
  }

  /** After the first step, chooses words automatically as long as one word is the only possible next step. */
  sayOnly() {
    while (this.path.length && !this.chosen() && !this.keys().length && this.words().length === 1)
      this.say(this.words()[0]);
  }

  /** Undoes the last step. @returns {boolean} whether there was one */
  back() {
    return this.path.pop() !== undefined;
  }

  /** Returns the choice all of whose steps have been taken. @returns {Choice | undefined} */
  chosen() {
    return this.open().find(([, way]) => way.length === this.path.length);
  }
}
