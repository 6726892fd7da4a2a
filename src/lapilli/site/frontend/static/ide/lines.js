// @ts-check
// Turns line numbers in messages of compilers and in tracebacks into buttons that lead to the line in the editor.

import { element } from "../../../../viewer/static/player/elements.js";

/**
 * A pattern of references to a line of this file, as Python writes them (File "bot.py", line 3) or as other compilers
 * do (bot.cpp:3:5).
 * @param {string} file
 */
function namesOf(file) {
  return new RegExp(`(?:\\./)?${file.replace(".", "\\.")}(?:"?, line |:)(\\d+)(?::(\\d+))?`, "g");
}

/**
 * Returns the numbers of a file's lines that a text names.
 * @param {string} text
 * @param {string} file
 * @returns {number[]}
 */
export function linesIn(text, file) {
  return [...text.matchAll(namesOf(file))].map((found) => Number(found[1]));
}

/**
 * Converts a text to nodes. References to lines become buttons, which call `go`.
 * @param {string} text
 * @param {string} file
 * @param {(line: number, column?: number) => void} go
 * @returns {(Node | string)[]}
 */
export function linked(text, file, go) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(namesOf(file))) {
    const [line, column] = [Number(found[1]), found[2] === undefined ? undefined : Number(found[2])];
    parts.push(text.slice(at, found.index));
    parts.push(
      element("button", {
        type: "button",
        className: "line",
        textContent: found[0],
        title: `To line ${line}`,
        onclick: () => go(line, column),
      }),
    );
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}
