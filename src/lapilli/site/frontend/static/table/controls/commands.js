// @ts-check
// What each button and each key of a table's page does.

import { rememberedSwitch } from "../../../../../viewer/static/player/memory.js";
import { $ } from "../../dom.js";
import { isSure } from "../../play/sure.js";
import { SMALL } from "../panel/notes.js";
import { showMenu } from "./buttons.js";

/** @typedef {import("../table.js").Table} Table */

/** Adds the listeners to the board, the buttons and the keys. @param {Table} table */
export function listen(table) {
  const { board, lookback } = table;
  board.addEventListener("pick", (event) => table.pick(/** @type {CustomEvent} */ (event).detail.action));
  board.addEventListener("undo", () => table.say("undo"));
  board.addEventListener("finish", () => table.say("commit"));
  board.addEventListener("click", () => table.premove.skip(), true);
  /** @type {[id: string, act: () => void][]} */
  const acts = [
    ["commit", () => table.say("commit")],
    ["plan", () => table.say("plan", { begins: !table.now?.planning })],
    ["take-back", () => table.connection.send({ do: "take-back" })],
    ["draw", () => table.connection.send({ do: "draw", agrees: true })],
    ["decline", () => table.connection.send({ do: "draw", agrees: false })],
    ["resign", () => isSure($("resign")) && table.connection.send({ do: "resign" })],
    ["cancel", () => void table.cancel()],
    ["rematch", () => table.rematch()],
    ["help", () => (table.chat.unread ? table.chat.tab.click() : table.drawer.open("rules"))],
    ["back", () => void lookback.step(-1)],
    ["forth", () => table.forth()],
    ["live", () => lookback.live()],
  ];
  for (const [id, act] of acts) $(id).addEventListener("click", act);
  $("hint").addEventListener("click", () => {
    table.say("hint");
    table.seek(null);
  });
  rememberedSwitch($("sound"), (on) => (table.announcements.isLoud = on));
  document.addEventListener("turns", (event) => {
    const ids = /** @type {CustomEvent<string[]>} */ (event).detail;
    $("next").hidden = ids.every((id) => id === table.id);
    showMenu(table.shown);
  });
  document.addEventListener("keydown", (event) => press(event, table));
  SMALL.addEventListener("change", () => showMenu(table.shown));
  const [menu, entries] = [$("menu"), $("rarely")];
  entries.addEventListener("toggle", () => {
    const { top, right } = menu.getBoundingClientRect();
    entries.style.translate = `${Math.max(8, right - entries.offsetWidth)}px ${top - entries.offsetHeight - 8 + scrollY}px`;
  });
  entries.addEventListener("click", ({ target }) => {
    if (target !== $("resign")) entries.hidePopover();
  });
}

/**
 * Executes the command of a key. Passes a key without a command to the board.
 * @param {KeyboardEvent} event
 * @param {Table} table
 */
function press(event, table) {
  const { board, lookback, showing } = table;
  const target = /** @type {Element} */ (event.composedPath()[0]);
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.matches("input, select, textarea")) return;
  const isFree = target === document.body || target === document.documentElement;
  /** @type {Record<string, () => unknown>} */
  const keys = {
    ",": () => void lookback.step(-1),
    ".": () => table.forth(),
    n: () => location.assign($("next", HTMLAnchorElement).href),
    ...(isFree ? { ArrowLeft: () => void lookback.step(-1), ArrowRight: () => table.forth() } : {}),
    ...(table.premove.key ? { Escape: () => table.premove.choose() } : {}),
    ...(lookback.isBack ? { Escape: () => lookback.live(), End: () => lookback.live() } : {}),
  };
  const skips = [" ", "Escape"].includes(event.key) && !target.matches("button, a, summary") && showing.skip();
  if (!skips && !keys[event.key]) {
    if (isFree) board.press(event); // where nothing else has the focus, keys are for the board
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  if (!skips) keys[event.key]();
}
