// @ts-check
// Texts beside a board: who points at the name of a place sees the place, and names can be shown on the board.

import { html } from "./drawing.js";
import { store, stored } from "./storage.js";

/** @typedef {[pattern: string, key: string]} Name a pattern of texts, and the key of the place that such a text names */

const STORED = "lapilli-names";
/** Where a text is no text to read. */
const NO_TEXT = "textarea, select, input, script, dialog, .place, [data-names=off]";

/**
 * Splits a text where it names places.
 * @param {string} text
 * @param {Name[]} names
 * @param {number | undefined} player whose turn the text tells of
 * @returns {[part: string, key: string][]} "" for what is no name
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

/** Lets the names in a text light up their places. */
export class Naming {
  /**
   * @param {import("./board.js").LapilliBoard} board
   * @param {HTMLElement} texts in which names stand, whatever is written there later
   * @param {HTMLElement | null} [buttons] where a button is added that shows the names on the board
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

  /** There is a board now. */
  begin() {
    this.read([this.texts]);
    if (!this.buttons || this.button || !this.board.look.names?.length) return;
    this.button = html("button", { type: "button", "aria-pressed": "false", "data-names": "off" }, "Names");
    this.button.addEventListener("click", () => this.show(this.board.getAttribute("names") !== "on"));
    this.buttons.append(this.button);
    this.show(stored(STORED) === true);
  }

  /** @param {boolean} isOn whether names stand on the board */
  show(isOn) {
    this.board.setAttribute("names", isOn ? "on" : "off");
    this.button?.setAttribute("aria-pressed", String(isOn));
    store(STORED, isOn);
  }

  /** Makes names in new texts such that they can be pointed at. @param {Node[]} roots */
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

  /** @param {Text} text @param {Name[]} names */
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

  /** Whose turn a text tells of: the one whose sign stands before it, else who looks at the board. @param {Element} at */
  playerOf(at) {
    const sign = at.closest(".told, li, tr, p")?.querySelector(".chip")?.getAttribute("class");
    const player = sign?.match(/of-(\d)/)?.[1];
    return player === undefined ? this.board.own : Number(player);
  }

  /** @param {Event} event @returns {HTMLElement | null} */
  nameAt({ target }) {
    return target instanceof Element ? target.closest(".place") : null;
  }

  /** @param {Event} event @param {boolean} isOn */
  point(event, isOn) {
    const name = this.nameAt(event);
    if (name && !(event instanceof PointerEvent && event.pointerType === "touch")) this.light(isOn ? name : undefined);
  }

  /** A tap lights a place until something else is tapped. @param {Event} event */
  tap(event) {
    const name = this.nameAt(event);
    if (name && !name.hasAttribute("tabindex")) return;
    const isAgain = name !== null && name === this.kept;
    this.kept = isAgain ? undefined : (name ?? undefined);
    this.light(this.kept);
    if (this.kept) this.board.scrollIntoView({ block: "nearest" });
  }

  /** @param {Element | undefined} name */
  light(name) {
    this.lit = name ?? this.kept;
    const key = /** @type {HTMLElement | undefined} */ (this.lit)?.dataset.place;
    this.board.lit = key === undefined ? [] : [key];
  }
}
