// @ts-check
// The views of the analysis board's panel: the engine, the turns, the openings, and what is rarely needed. A wide window
// has space for the engine and the turns at once.

/** Windows in which the engine and the turns have a view each. */
const NARROW = matchMedia("(max-width: 860px), (max-height: 500px)");

export class Views {
  /**
   * @param {HTMLElement} panel
   * @param {() => void} changed is called when another view is shown
   */
  constructor(panel, changed) {
    this.panel = panel;
    this.changed = changed;
    for (const button of this.buttons) button.addEventListener("click", () => this.show(button.value));
    NARROW.addEventListener("change", () => this.mark());
    this.mark();
  }

  /** The buttons of the views. @returns {HTMLButtonElement[]} */
  get buttons() {
    return [.../** @type {NodeListOf<HTMLButtonElement>} */ (this.panel.querySelectorAll("#views [value]"))];
  }

  get shown() {
    return this.panel.dataset.shows ?? "";
  }

  /** Shows a view. @param {string} name */
  show(name) {
    this.panel.dataset.shows = name;
    this.mark();
    this.changed();
  }

  /** Presses the button of the view that is shown. */
  mark() {
    const shown = !NARROW.matches && this.shown === "turns" ? "engine" : this.shown;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.value === shown));
  }
}
