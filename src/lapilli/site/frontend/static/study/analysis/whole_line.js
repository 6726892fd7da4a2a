// @ts-check
// Turns in a few signs, one line each. A button shows the whole line, and its turns in words.

import { element } from "../../../../../viewer/static/player/elements.js";
import { isShort, spelled } from "../study.js";

/**
 * Adds to a row the button that shows its whole line. Call `tellWhole` when the turns of the row are known, and
 * `fitLine` when the row is on the page.
 * @param {HTMLElement} row
 * @param {(isWhole: boolean) => void} shown is called when the line is shown as a whole, or in one line again
 */
export function unfolding(row, shown) {
  const toggle = () => {
    const isWhole = row.classList.toggle("whole");
    button.setAttribute("aria-expanded", String(isWhole));
    shown(isWhole);
  };
  const button = element("button", { type: "button", className: "unfold", ariaLabel: "Whole line", onclick: toggle });
  button.setAttribute("aria-expanded", "false");
  row.append(button, element("p", { className: "sentences" }));
}

/**
 * Fills in the words of a row, which are visible while its whole line is shown.
 * @param {HTMLElement} row
 * @param {import("../study.js").Words} words
 * @param {{side: string}[]} players
 */
export function tellWhole(row, words, players) {
  row.classList.toggle("short", isShort(words));
  if (row.classList.contains("short")) row.querySelector(".sentences")?.replaceChildren(...spelled(words, players));
}

/** Shows the button of a row if the row's line is cut. @param {Element} row */
export function fitLine(row) {
  const words = row.querySelector(".words");
  if (words && !row.classList.contains("whole")) row.classList.toggle("cut", words.scrollWidth > words.clientWidth);
}
