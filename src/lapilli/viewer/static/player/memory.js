// @ts-check
/** Stores a person's choices (checkboxes, lists, switches) in the browser, if the browser allows it. */

import { store, stored } from "../board/storage.js";

const NAME = "lapilli-player";

/** Returns all stored choices, by name. @returns {Record<string, string | boolean>} */
function read() {
  const kept = stored(NAME);
  return typeof kept === "object" ? kept : {};
}

/**
 * Stores a choice.
 * @param {string} name
 * @param {string | boolean} value
 */
function keep(name, value) {
  store(NAME, { ...read(), [name]: value });
}

/**
 * Sets a checkbox or list to its stored value, and stores its later values.
 * @param {HTMLInputElement | HTMLSelectElement} control the checkbox or list; its id is the name of the choice
 * @param {(value: any) => void} say function that is called with the value, now and after each change: true or false for
 *   a checkbox, a text for a list
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
 * Sets a button that can be on or off to its stored state, and stores its later states.
 * @param {HTMLButtonElement} button the button; its id is the name of the choice
 * @param {(pressed: boolean) => void} say function that is called with the stored state, if any, and after each change
 */
export function rememberedSwitch(button, say) {
  /** Sets the state of the button. @param {boolean} pressed */
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
