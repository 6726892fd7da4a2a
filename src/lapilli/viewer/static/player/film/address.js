// @ts-check
/** The part after # in the URL of a page, which names the picture that a film shows. */

/** Least time between two changes of the URL, in milliseconds: browsers limit the number of changes. */
const LINK_MS = 150;

export class Address {
  constructor() {
    this.timer = 0;
    this.changed = -Infinity;
  }

  /** Changes the URL, now or soon. @param {() => string} hash function that returns the new part after #, with the # */
  set(hash) {
    clearTimeout(this.timer);
    const early = LINK_MS - (performance.now() - this.changed);
    if (early > 0) {
      this.timer = window.setTimeout(() => this.set(hash), early);
      return;
    }
    this.changed = performance.now();
    try {
      history.replaceState(null, "", hash());
    } catch {
      // a page inside a notebook has no URL of its own
    }
  }
}
