// @ts-check
// Texts of the board that appear on demand: tips, the legend, and the bar with words to choose.

import { capital } from "../player/text/phrases.js";
import { drawnParts, html, svg } from "./drawing/drawing.js";

/** @typedef {import("./pictures.js").Part} Part */
/**
 * A line of the legend. `brief`: its meaning in a word or two, if its sample also stands below the board; "" if not.
 * @typedef {[text: string, parts: Part[], brief: string]} Line
 */

/** A line of text beside an element that is pointed at, tapped, or reached with the keyboard. */
export class Tip {
  /** @param {HTMLElement} frame outermost element of the board; tips stay inside it */
  constructor(frame) {
    this.frame = frame;
    this.node = html("div", { class: "tip", "aria-hidden": "true", hidden: true });
    frame.append(this.node);
  }

  /**
   * Shows a tip.
   * @param {string} text "" to hide it
   * @param {DOMRect} [about] place of the explained element, in pixels of the window
   */
  show(text, about) {
    this.node.hidden = !text || !about;
    if (!text || !about) return;
    this.node.textContent = text;
    const [frame, own] = [this.frame.getBoundingClientRect(), this.node.getBoundingClientRect()];
    const left = about.left + about.width / 2 - own.width / 2 - frame.left;
    const over = about.top - own.height - 8 - frame.top;
    this.node.style.left = `${Math.max(4, Math.min(frame.width - own.width - 4, left))}px`;
    this.node.style.top = `${over >= 0 ? over : Math.min(frame.height - own.height, about.bottom + 8 - frame.top)}px`;
  }
}

/** The button "How to read this", and the dialog with the legend that it opens. */
export class Legend {
  constructor() {
    this.button = html("button", {
      class: "explain",
      type: "button",
      "aria-haspopup": "dialog",
      hidden: true,
      "aria-label": "How to read this",
    });
    this.button.append(html("span", { class: "long" }, "How to read this"), html("span", { class: "short" }, "?"));
    this.list = html("ul");
    /** The few signs that always stand below the board. */
    this.key = html("ul", { class: "key" });
    const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
    this.dialog = html(
      "dialog",
      { "aria-label": "How to read this" },
      html("header", {}, html("h2", {}, "How to read this"), close),
      this.list,
    );
    this.button.addEventListener("click", () => this.dialog.showModal());
    close.addEventListener("click", () => this.dialog.close());
    // A click outside of the dialog's contents closes it. The dialog has no padding, so its target is the dialog
    // itself.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** Sets the lines of the legend. @param {Line[]} lines */
  explain(lines) {
    this.button.hidden = !lines.length;
    this.list.replaceChildren(...lines.map(([text, parts]) => item(text, parts)));
    const few = lines.filter(([, , brief]) => brief);
    this.key.hidden = !few.length;
    this.key.replaceChildren(...few.map(([, parts, brief]) => item(brief, parts)));
  }
}

/** Returns an item of the legend: a sample and its meaning. @param {string} text @param {Part[]} parts */
function item(text, parts) {
  const sample = svg("svg", { viewBox: "0 0 40 40", class: "sample", "aria-hidden": "true" }, ...drawnParts(parts));
  return html("li", {}, ...(parts.length ? [sample] : []), html("span", {}, text));
}

/** The button that switches between the flat board and the globe. */
export class Viewing {
  /** @param {(view: "board" | "globe") => void} look function that shows a view */
  constructor(look) {
    this.button = html("button", { type: "button", class: "viewing", hidden: true });
    this.button.addEventListener("click", () => look(this.isGlobe ? "board" : "globe"));
    this.isGlobe = false;
  }

  /** Sets the text of the button. @param {"board" | "globe"} view the view that is shown now */
  show(view) {
    this.isGlobe = view === "globe";
    this.button.textContent = this.isGlobe ? "Map" : "Globe";
  }
}

/** The bar below the board: a button to undo, a hint, and buttons with the words that can be chosen next. */
export class Bar {
  /**
   * @param {(word: string) => void} say function that chooses a word
   * @param {() => void} undo function that undoes the last action
   */
  constructor(say, undo) {
    this.say = say;
    this.undo = html("button", { type: "button", class: "undo", hidden: true }, "Undo");
    this.undo.addEventListener("click", undo);
    this.hint = html("p");
    this.words = html("div", { class: "words", role: "group", "aria-label": "Choose" });
    /** @type {Map<string, () => void>} functions of the buttons, by the keyboard key that presses the button */
    this.offered = new Map();
    this.isUsed = false;
    this.node = html("div", { class: "bar", hidden: true }, this.undo, this.hint, this.words);
  }

  /**
   * Sets the contents of the bar.
   * @param {string[]} words the words that can be chosen next
   * @param {string} hint text of the hint
   * @param {[word: string, act: () => void][]} acts text and function of further buttons
   * @returns {boolean} whether the bar has something to show for the first time, and needs a place from now on
   */
  offer(words, hint, acts) {
    this.hint.textContent = hint;
    const all = [...acts, ...words.map((word) => /** @type {typeof acts[0]} */ ([word, () => this.say(word)]))];
    const keys = keysOf(all.map(([word]) => word));
    this.offered = new Map(all.map(([, act], i) => [keys[i], act]));
    this.words.hidden = !all.length;
    const appears = !this.isUsed && Boolean(hint || all.length);
    this.isUsed ||= appears;
    this.node.classList.toggle("used", this.isUsed);
    this.words.replaceChildren(
      ...all.map(([word, act], i) => {
        const button = html("button", { type: "button", "aria-keyshortcuts": keys[i] }, capital(word));
        button.addEventListener("click", act);
        return button;
      }),
    );
    return appears;
  }

  /** Presses the button that belongs to a keyboard key. @param {string} key @returns {boolean} whether there is one */
  press(key) {
    const act = this.offered.get(key.toUpperCase());
    act?.();
    return act !== undefined;
  }
}

/**
 * Returns the keyboard key for each word: its first letter, or, if two words begin alike, its number from 1.
 * @param {string[]} words
 * @returns {string[]}
 */
function keysOf(words) {
  const letters = words.map((word) => word[0].toUpperCase());
  const isClear = new Set(letters).size === words.length && letters.every((letter) => /[A-Z]/.test(letter));
  return isClear ? letters : words.map((_, i) => String(i + 1));
}
