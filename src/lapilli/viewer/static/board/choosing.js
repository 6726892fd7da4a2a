// @ts-check
// From clicks to an action: the ways of all choices as a tree that is walked from its root.

/** @typedef {[action: number, way: string[], label: string, held?: string]} Choice held: the piece that can be dragged along the way */

/** A step of a way that begins with it is a word to choose, no shape. */
const WORD = "=";

/** @param {string | undefined} step */
function isPlace(step) {
  return step !== undefined && !step.startsWith(WORD);
}

export class Walk {
  /** @param {Choice[]} choices none of whose ways is the beginning of another one */
  constructor(choices) {
    this.choices = choices;
    /** @type {string[]} the steps that have been taken */
    this.path = [];
  }

  /** The choices that are still possible. @param {string[]} [path] once these steps have been taken */
  open(path = this.path) {
    return this.choices.filter(([, way]) => path.every((step, i) => way[i] === step));
  }

  /** The shapes that can be clicked next. @returns {string[]} */
  keys() {
    return [...this.nexts()].filter(isPlace);
  }

  /** The words that can be chosen next. @returns {string[]} */
  words() {
    return [...this.nexts()].filter((step) => step.startsWith(WORD)).map((step) => step.slice(WORD.length));
  }

  /** @param {string[]} [path] @returns {Set<string>} */
  nexts(path = this.path) {
    return new Set(this.open(path).map(([, way]) => way[path.length]));
  }

  /**
   * The one action that a step would settle or lead to, if it is but one.
   * @param {string} step
   * @returns {Choice | undefined}
   */
  meant(step) {
    const those = this.open().filter(([, way]) => way[this.path.length] === step);
    return those.length === 1 ? those[0] : undefined;
  }

  /**
   * Takes a step to a shape that can be clicked next, or else could have been earlier on the way.
   * @param {string} key
   * @returns {boolean} whether there was such a step
   */
  point(key) {
    const path = this.leading(key);
    if (path) this.path = path;
    return path !== undefined;
  }

  /** The way up to such a step. @param {string} key @returns {string[] | undefined} */
  leading(key) {
    for (let length = this.path.length; length >= 0; length--) {
      const before = this.path.slice(0, length);
      if (this.path[length] !== key && this.nexts(before).has(key)) return [...before, key];
    }
    return undefined;
  }

  /**
   * What has been walked once something is lifted at a key: what is held, the last place, or one to begin with.
   * @param {string} key
   * @returns {string[] | undefined} nothing where no place to go comes after
   */
  lifted(key) {
    const isThere = this.path.at(-1) === key || this.open().some(([, , , held]) => held === key);
    const path = isThere ? this.path : this.leading(key);
    return path && [...this.nexts(path)].some(isPlace) ? path : undefined;
  }

  /** The keys at which something may be lifted. @returns {Set<string>} */
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
   * The steps that are meant by what is dragged to a place: that one; or, where it leaves places to be chosen, first the
   * one that was come from.
   * @param {string} key
   * @param {string | undefined} from
   * @returns {string[]} none where it cannot go there
   */
  reaching(key, from) {
    const [alone, along] = [this.nexts([...this.path, key]), [...this.path, from ?? "", key]];
    if ((!alone.size || [...alone].some(isPlace)) && this.open(along).length) return along.slice(this.path.length);
    return alone.size ? [key] : [];
  }

  /**
   * The choices by which a piece that lies elsewhere is put on a place and one more.
   * @param {string} key the first of the two, which may have been chosen already
   * @returns {Choice[]}
   */
  layings(key) {
    const path = this.path.at(-1) === key ? this.path.slice(0, -1) : this.path;
    return this.open(path).filter(
      ([, way, , held]) => held && way[path.length] === key && way.length === path.length + 2 && isPlace(way.at(-1)),
    );
  }

  /** @param {string} word one of the words */
  say(word) {
    this.path.push(WORD + word);
  }

  /** Says the words that are no question, once something has been chosen: where there is one word and nothing else. */
  sayOnly() {
    while (this.path.length && !this.chosen() && !this.keys().length && this.words().length === 1)
      this.say(this.words()[0]);
  }

  /** Takes the last step back. @returns {boolean} whether there was one */
  back() {
    return this.path.pop() !== undefined;
  }

  /** The choice whose way has been walked to its end. @returns {Choice | undefined} */
  chosen() {
    return this.open().find(([, way]) => way.length === this.path.length);
  }
}
