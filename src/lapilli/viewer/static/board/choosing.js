// @ts-check
// From clicks to an action: the ways of all choices as a tree that is walked from its root.

/** @typedef {[action: number, way: string[], label: string]} Choice */

/** A step of a way that begins with it is a word to choose, no shape. */
const WORD = "=";

export class Walk {
  /** @param {Choice[]} choices none of whose ways is the beginning of another one */
  constructor(choices) {
    this.choices = choices;
    /** @type {string[]} the steps that have been taken */
    this.path = [];
  }

  /** The choices that are still possible. */
  open() {
    return this.choices.filter(([, way]) => this.path.every((step, i) => way[i] === step));
  }

  /** The shapes that can be clicked next. @returns {string[]} */
  keys() {
    return [...this.nexts()].filter((step) => !step.startsWith(WORD));
  }

  /** The words that can be chosen next. @returns {string[]} */
  words() {
    return [...this.nexts()].filter((step) => step.startsWith(WORD)).map((step) => step.slice(WORD.length));
  }

  /** @returns {Set<string>} */
  nexts() {
    return new Set(this.open().map(([, way]) => way[this.path.length]));
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
    const before = this.path;
    for (let length = before.length; length >= 0; length--) {
      this.path = before.slice(0, length);
      if (before[length] !== key && this.nexts().has(key)) {
        this.path.push(key);
        return true;
      }
    }
    this.path = before;
    return false;
  }

  /** @param {string} word one of the words */
  say(word) {
    this.path.push(WORD + word);
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
