// @ts-check
// Words that come when they are asked for: tips, how to read the picture, what is read aloud.

import { drawnParts, html, svg } from "./drawing.js";

/** @typedef {import("./pictures.js").Part} Part */

/** A line beside something, for whoever points at it, taps it or reaches it with the keyboard. */
export class Tip {
  /** @param {HTMLElement} frame the component's, in which the tip stays */
  constructor(frame) {
    this.frame = frame;
    this.node = html("div", { class: "tip", "aria-hidden": "true", hidden: true });
    frame.append(this.node);
  }

  /**
   * @param {string} text "" for none
   * @param {DOMRect} [about] of what it tells, on the screen
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

/** How to read the picture: a button, and what it opens. */
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
    const close = html("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
    this.dialog = html(
      "dialog",
      { "aria-label": "How to read this" },
      html("header", {}, html("h2", {}, "How to read this"), close),
      this.list,
    );
    this.button.addEventListener("click", () => this.dialog.showModal());
    close.addEventListener("click", () => this.dialog.close());
    // A click beside what it says is one on the dialog itself: it has no padding.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
  }

  /** @param {[text: string, parts: Part[]][]} lines */
  explain(lines) {
    this.button.hidden = !lines.length;
    this.list.replaceChildren(
      ...lines.map(([text, parts]) => {
        const sample = svg(
          "svg",
          { viewBox: "0 0 40 40", class: "sample", "aria-hidden": "true" },
          ...drawnParts(parts),
        );
        return html("li", {}, ...(parts.length ? [sample] : []), html("span", {}, text));
      }),
    );
  }
}

/** The button that changes between the flat board and the globe. */
export class Viewing {
  /** @param {(view: "board" | "globe") => void} look */
  constructor(look) {
    this.button = html("button", { type: "button", class: "viewing", hidden: true });
    this.button.addEventListener("click", () => look(this.isGlobe ? "board" : "globe"));
    this.isGlobe = false;
  }

  /** @param {"board" | "globe"} view what is shown now */
  show(view) {
    this.isGlobe = view === "globe";
    this.button.textContent = this.isGlobe ? "Map" : "Globe";
  }
}

/** The words to choose from on the way to an action, and what can be taken back. */
export class Bar {
  /**
   * @param {(word: string) => void} say
   * @param {() => void} undo
   */
  constructor(say, undo) {
    this.say = say;
    this.undo = html("button", { type: "button", class: "undo", hidden: true }, "Undo");
    this.undo.addEventListener("click", undo);
    this.hint = html("p");
    this.words = html("div", { class: "words", role: "group", "aria-label": "Choose" });
    /** @type {Map<string, () => void>} what the words do, by the keys that choose them */
    this.offered = new Map();
    this.node = html("div", { class: "bar", hidden: true }, this.undo, this.hint, this.words);
  }

  /**
   * @param {string[]} words
   * @param {string} hint where there are no words
   * @param {[word: string, act: () => void][]} acts what else can be done
   */
  offer(words, hint, acts) {
    this.hint.textContent = hint;
    const all = [...acts, ...words.map((word) => /** @type {typeof acts[0]} */ ([word, () => this.say(word)]))];
    const keys = keysOf(all.map(([word]) => word));
    this.offered = new Map(all.map(([, act], i) => [keys[i], act]));
    this.words.hidden = !all.length;
    this.words.replaceChildren(
      ...all.map(([word, act], i) => {
        const button = html("button", { type: "button", "aria-keyshortcuts": keys[i] }, word);
        button.addEventListener("click", act);
        return button;
      }),
    );
  }

  /** Does what a key stands for. @param {string} key @returns {boolean} whether there is anything */
  press(key) {
    const act = this.offered.get(key.toUpperCase());
    act?.();
    return act !== undefined;
  }
}

/**
 * The keys that choose words: their first letters, or their numbers in the row where letters do not tell them apart.
 * @param {string[]} words
 * @returns {string[]}
 */
function keysOf(words) {
  const letters = words.map((word) => word[0].toUpperCase());
  const isClear = new Set(letters).size === words.length && letters.every((letter) => /[A-Z]/.test(letter));
  return isClear ? letters : words.map((_, i) => String(i + 1));
}
