// @ts-check
// What each button and each key of the analysis board does.

import { $ } from "../../dom.js";

/** @typedef {import("../analyse.js").Analysis} Analysis */

/** Adds the listeners to the buttons, the fields and the keys. @param {Analysis} analysis */
export function listen(analysis) {
  const { board } = analysis;
  for (const [id, act] of /** @type {[string, () => unknown][]} */ ([
    ["first", () => analysis.go(analysis.root)],
    ["back", () => analysis.back()],
    ["on", () => analysis.on()],
    ["last", () => analysis.go(analysis.end())],
    ["promote", () => analysis.promote()],
    ["remove", () => analysis.remove()],
    ["flip", () => (board.flipped = !board.flipped)],
    ["link", () => analysis.copy()],
    ["load", () => analysis.load()],
    ["read", () => analysis.read($("record", HTMLTextAreaElement).value)],
    ["judge", () => analysis.judge()],
  ])) {
    $(id).addEventListener("click", () => void act());
  }
  $("file").addEventListener("change", async () => {
    const file = $("file", HTMLInputElement).files?.[0];
    if (file && file.size > Number($("file").dataset.most)) analysis.refuse("That file is too long for a record.");
    else if (file) await analysis.read(await file.text());
  });
  $("whose").addEventListener("change", () => analysis.think());
  $("comment").addEventListener("input", () => analysis.comment());
  addEventListener("keydown", (event) => press(event, analysis));
  // After a click on the board, the arrow keys go from turn to turn again, so the board gives up the focus. People
  // who move on the board with the keyboard keep the focus there.
  board.addEventListener("pointerup", () =>
    setTimeout(() => /** @type {HTMLElement | null | undefined} */ (board.shadowRoot?.activeElement)?.blur()),
  );
}

/**
 * Executes the command of a key.
 * @param {KeyboardEvent} event
 * @param {Analysis} analysis
 */
function press(event, analysis) {
  const { board, course } = analysis;
  const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    target.closest("input, textarea, select")
  )
    return;
  const acts = /** @type {Record<string, () => unknown>} */ ({
    ArrowLeft: () => analysis.back(),
    ArrowRight: () => analysis.on(),
    ArrowUp: () => analysis.go(analysis.at.beside(-1)),
    ArrowDown: () => analysis.go(analysis.at.beside(1)),
    Home: () => analysis.go(analysis.root),
    End: () => analysis.go(analysis.end()),
    Delete: () => analysis.remove(),
    p: () => analysis.promote(),
    f: () => (board.flipped = !board.flipped),
    m: () => analysis.go(course.marked(analysis.at, 1) ?? analysis.at),
    M: () => analysis.go(course.marked(analysis.at, -1) ?? analysis.at),
  });
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  void act();
}
