// @ts-check
/** What somebody has chosen, kept for the next time where the browser allows it. */

import { store, stored } from "../board/storage.js";

const NAME = "lapilli-player";

/** @returns {Record<string, string | boolean>} */
function read() {
  const kept = stored(NAME);
  return typeof kept === "object" ? kept : {};
}

/**
 * @param {string} name
 * @param {string | boolean} value
 */
function keep(name, value) {
  store(NAME, { ...read(), [name]: value });
}

/**
 * Lets a checkbox or a list stand as it was left, and says what it stands at, now and whenever that changes.
 * @param {HTMLInputElement | HTMLSelectElement} control its id is what the choice is called
 * @param {(value: any) => void} say true or false for a checkbox, else a text
 */
export function remembered(control, say) {
  const kept = read()[control.id];
  const value = () => (control instanceof HTMLInputElement ? control.checked : control.value);
  if (control instanceof HTMLInputElement && typeof kept === "boolean") control.checked = kept;
  if (control instanceof HTMLSelectElement && [...control.options].some((option) => option.value === kept))
    control.value = String(kept);
  control.addEventListener("change", () => {
    keep(control.id, value());
    say(value());
  });
  say(value());
}

/**
 * A switch that is a button: pressed or not.
 * @param {HTMLButtonElement} button
 * @param {(pressed: boolean) => void} say
 */
export function rememberedSwitch(button, say) {
  /** @param {boolean} pressed */
  const set = (pressed) => {
    button.setAttribute("aria-pressed", String(pressed));
    say(pressed);
  };
  button.addEventListener("click", () => {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    keep(button.id, pressed);
    set(pressed);
  });
  const kept = read()[button.id];
  if (typeof kept === "boolean") set(kept);
}
