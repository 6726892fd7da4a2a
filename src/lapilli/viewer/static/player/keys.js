// @ts-check
/** Decides which key presses are meant for a <lapilli-player>. */

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
