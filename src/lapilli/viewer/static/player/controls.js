// @ts-check
/** The buttons and keys of a <lapilli-player>: what each does, and which key presses are meant for it. */

import { shared } from "./copying.js";
import { element } from "./elements.js";
import { isFault } from "./film/reel.js";

/** The id of the button that each key presses. @type {Record<string, string>} */
const BUTTONS = {
  " ": "play",
  ArrowLeft: "back",
  ArrowRight: "forward",
  Home: "first",
  End: "last",
  ",": "pictureback",
  ".": "pictureforward",
  n: "happeningforward",
  p: "happeningback",
  f: "fault",
  x: "flip",
  g: "globe",
};

const WRITING =
  "input:not([type=range], [type=checkbox]), select, textarea, [contenteditable], pre, .what, [role=tablist] *";
const PRESSED = "button, summary, input[type=checkbox], a";
const MOVING = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/**
 * Returns whether a key press is not meant for this <lapilli-player>: another part of the page has the focus, or the
 * focused element uses the key itself.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} player
 */
export function isForOthers(event, player) {
  const { ctrlKey, metaKey, altKey, key, defaultPrevented } = event;
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true;
  const path = event.composedPath();
  const target = /** @type {Element} */ (path[0]);
  if (!path.includes(player)) {
    const isAlone = document.querySelectorAll(player.localName).length === 1;
    return !(isAlone && (target === document.body || target === document.documentElement));
  }
  if (target.matches(WRITING)) return true;
  if (target.matches("input[type=range], [role=tabpanel], ol"))
    return (
      MOVING.includes(key) &&
      !(target.matches("ol, [role=tabpanel]") && key.startsWith("Arrow") && !/Up|Down/.test(key))
    );
  return [" ", "Enter"].includes(key) && target.matches(PRESSED);
}

/** Returns the id of the button that a key presses; "" if it presses none. @param {string} key */
export function buttonOf(key) {
  return BUTTONS[key.length === 1 ? key.toLowerCase() : key] ?? "";
}

/** Adds the listeners to a player's buttons and fields. @param {import("./player.js").Player} player */
export function listen(player) {
  const { playback, board } = player;
  /** @type {[id: string, action: () => void][]} the function of each button */
  const does = [
    ["first", () => playback.go(0)],
    ["last", () => playback.go(player.reel.last)],
    ["back", () => playback.stepTurn(-1)],
    ["forward", () => playback.stepTurn(1)],
    ["pictureback", () => playback.go(player.at - 1)],
    ["pictureforward", () => playback.go(player.at + 1)],
    ["play", () => playback.toggle()],
    ["happeningback", () => playback.toHappening(-1)],
    ["happeningforward", () => playback.toHappening(1)],
    ["fault", () => playback.toHappening(1, isFault)],
    ["dismiss", () => (player.$("banner").hidden = true)],
    ["full", () => toggleFull(player)],
    ["share", () => void share(player)],
  ];
  for (const [id, action] of does) player.$(id).addEventListener("click", action);
  player.$("seek").addEventListener("input", () => playback.go(Number(player.$("seek").value), false));
  player.$("search").addEventListener("input", () => player.log?.find());
  player.$("words").addEventListener("toggle", () => player.spellOut());
  player.addEventListener("fullscreenchange", () =>
    player.$("full").setAttribute("aria-pressed", String(document.fullscreenElement === player)),
  );
  // A button or list that was used with a pointer loses the focus, so that keys control the playback again.
  player.shadowRoot?.addEventListener("click", (event) => {
    const { detail, target } = /** @type {MouseEvent} */ (event);
    const pressed = target instanceof Element ? target.closest("button, input[type=checkbox], summary") : null;
    if (detail && pressed instanceof HTMLElement && !pressed.matches("[role=tab]")) pressed.blur();
  });
  board.addEventListener("click", (event) => {
    const held = board.shadowRoot?.activeElement;
    if (event.detail && held instanceof HTMLElement && held.matches(".stage")) held.blur();
  });
  player.shadowRoot?.addEventListener(
    "change",
    (event) => event.target instanceof HTMLSelectElement && event.target.blur(),
  );
}

/** Shares a link to the present picture. @param {import("./player.js").Player} player */
async function share(player) {
  const button = player.$("share");
  const field = element("input", { className: "unseen", tabIndex: -1, ariaHidden: "true" });
  button.after(field);
  const said = await shared(new URL(player.reel.address(player.at), location.href).href, document.title, field);
  field.remove();
  if (said) button.querySelector(".name").textContent = said;
}

/** Shows a player on the whole screen, or ends that. @param {HTMLElement} player */
async function toggleFull(player) {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await player.requestFullscreen?.();
}
