// @ts-check
// Turns in words, one line each. A line that is cut has a button that shows the whole line.

import { element } from "../../../../../viewer/static/player/elements.js";

/**
 * Adds to a row the button that shows its whole line. Call `fitLine` when the row is on the page.
 * @param {HTMLElement} row
 * @param {(isWhole: boolean) => void} [shown] is called when the line is shown as a whole, or in one line again
 */
export function unfolding(row, shown = () => undefined) {
  const toggle = () => {
    const isWhole = row.classList.toggle("whole");
    button.setAttribute("aria-expanded", String(isWhole));
    shown(isWhole);
  };
  const button = element("button", { type: "button", className: "unfold", ariaLabel: "Whole line", onclick: toggle });
  button.setAttribute("aria-expanded", "false");
  row.append(button);
}

/** Shows the button of a row if the row's line is cut. @param {Element} row */
export function fitLine(row) {
  const words = row.querySelector(".words");
  if (words && !row.classList.contains("whole")) row.classList.toggle("cut", words.scrollWidth > words.clientWidth);
}
