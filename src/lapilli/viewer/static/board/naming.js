// @ts-check
// Names of places in the texts beside a board: pointing at a name lights up its place. The board can also show the
// names.

import { html } from "./drawing/drawing.js";
import { store, stored } from "./storage.js";

/**
 * A regular expression for the names of places in texts, and the key of the named place. In the key, {1} stands for a
 * group of the expression, and {player} for the number of a player.
 * @typedef {[pattern: string, key: string]} Name
 */

const STORED = "lapilli-names";
/** CSS selector of elements in whose texts no names are searched. */
const NO_TEXT = "textarea, select, input, script, dialog, .place, [data-names=off]";

/**
 * Splits a text into names of places and other parts.
 * @param {string} text
 * @param {Name[]} names
 * @param {number | undefined} player the player that the text is about
 * @returns {[part: string, key: string][]} each part with the key of the named place; "" for other parts
 */
export function named(text, names, player) {
  const found = names
    .flatMap(([pattern, key]) => [...text.matchAll(new RegExp(pattern, "g"))].map((match) => ({ match, key })))
    .filter(({ key }) => player !== undefined || !key.includes("{player}"))
    .sort((one, other) => one.match.index - other.match.index || other.match[0].length - one.match[0].length);
  /** @type {[part: string, key: string][]} */
  const parts = [];
  let at = 0;
  for (const { match, key } of found) {
    if (match.index < at) continue;
    const own = key.replace(/\{(\w+)\}/g, (_, group) => (group === "player" ? String(player) : match[Number(group)]));
    if (match.index > at) parts.push([text.slice(at, match.index), ""]);
    parts.push([match[0], own]);
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push([text.slice(at), ""]);
  return parts;
}

/** Finds the names of places in texts, and lights up the places of names that are pointed at or tapped. */
export class Naming {
  /**
   * @param {import("./board.js").LapilliBoard} board
   * @param {HTMLElement} texts element with the texts; texts that are added later are searched, too
   * @param {HTMLElement | null} [buttons] element that gets a button to show the names on the board
   */
  constructor(board, texts, buttons = null) {
    this.board = board;
    this.texts = texts;
    this.buttons = buttons;
    /** @type {Element | undefined} the name that was tapped */
    this.kept = undefined;
    /** @type {Element | undefined} the name whose place is lit */
    this.lit = undefined;
    this.watch = new MutationObserver((changes) => {
      if (this.lit?.isConnected === false) this.light((this.kept = undefined));
      this.read(changes.map(({ target }) => target));
    });
    this.watch.observe(texts, { childList: true, characterData: true, subtree: true });
    new MutationObserver(() => this.begin()).observe(board, { attributeFilter: ["aria-busy"] });
    for (const [name, isOn] of /** @type {[string, boolean][]} */ ([
      ["pointerover", true],
      ["focusin", true],
      ["pointerout", false],
      ["focusout", false],
    ]))
      texts.addEventListener(name, (event) => this.point(event, isOn));
    texts.addEventListener("click", (event) => this.tap(event));
  }

  /** Searches the texts, and adds the button. Called when the board has a picture. */
  begin() {
    this.read([this.texts]);
    if (!this.buttons || this.button || !this.board.look.names?.length) return;
    this.button = html("button", { type: "button", "aria-pressed": "false", "data-names": "off" }, "Place names");
    this.button.addEventListener("click", () => this.show(!this.board.showsNames));
    this.buttons.append(this.button);
    const chosen = stored(STORED);
    if (typeof chosen === "boolean") return this.show(chosen);
    this.board.setAttribute("names", "auto"); // where they can be read: the texts use them
    this.button.setAttribute("aria-pressed", String(this.board.showsNames));
  }

  /** Shows or hides the names on the board, and stores this for the next visit. @param {boolean} isOn */
  show(isOn) {
    this.board.setAttribute("names", isOn ? "on" : "off");
    this.button?.setAttribute("aria-pressed", String(isOn));
    store(STORED, isOn);
  }

  /** Finds names in new texts, and puts them into elements that can be pointed at. @param {Node[]} roots */
  read(roots) {
    const { names = [] } = this.board.look;
    if (!names.length) return;
    for (const root of new Set(roots)) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts = root instanceof Text ? [root] : [];
      while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
      for (const text of texts) this.mark(text, names);
    }
  }

  /** Replaces a text by elements if it contains names. @param {Text} text @param {Name[]} names */
  mark(text, names) {
    const parent = text.parentElement;
    if (!parent || !text.isConnected || parent.closest(NO_TEXT)) return;
    const parts = named(text.data, names, this.playerOf(parent));
    if (!parts.some(([, key]) => key)) return;
    const inButton = parent.closest("button, a, summary, label") !== null;
    const nodes = parts.map(([part, key]) => {
      if (!key) return part;
      return html(
        "span",
        { class: "place", "data-place": key, ...(inButton ? {} : { role: "button", tabindex: 0 }) },
        part,
      );
    });
    text.replaceWith(...nodes);
  }

  /**
   * Returns the player that a text is about: the player whose symbol is beside it, else the reader.
   * @param {Element} at
   */
  playerOf(at) {
    const sign = at.closest(".told, li, tr, p")?.querySelector(".chip")?.getAttribute("class");
    const player = sign?.match(/of-(\d)/)?.[1];
    return player === undefined ? this.board.own : Number(player);
  }

  /** Returns the name at which an event happened. @param {Event} event @returns {HTMLElement | null} */
  nameAt({ target }) {
    return target instanceof Element ? target.closest(".place") : null;
  }

  /** Handles the pointer or the focus entering or leaving a name. @param {Event} event @param {boolean} isOn */
  point(event, isOn) {
    const name = this.nameAt(event);
    if (name && !(event instanceof PointerEvent && event.pointerType === "touch")) this.light(isOn ? name : undefined);
  }

  /** Lights up the place of a tapped name until something else is tapped. @param {Event} event */
  tap(event) {
    const name = this.nameAt(event);
    if (name && !name.hasAttribute("tabindex")) return;
    const isAgain = name !== null && name === this.kept;
    this.kept = isAgain ? undefined : (name ?? undefined);
    this.light(this.kept);
    if (this.kept) this.board.scrollIntoView({ block: "nearest" });
  }

  /**
   * Lights up the place of a name; without a name, the place of the name tapped last.
   * @param {Element | undefined} name
   */
  light(name) {
    this.lit = name ?? this.kept;
    const key = /** @type {HTMLElement | undefined} */ (this.lit)?.dataset.place;
    this.board.lit = key === undefined ? [] : [key];
  }
}
