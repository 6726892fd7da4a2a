// @ts-check
// The scripts of all pages except the editor's, as one file, so that a browser loads them once. The element that loads
// this file names the page's own script; only that one is run.

/** @type {Record<string, () => Promise<unknown>>} */
const SCRIPTS = {
  analyse: () => import("./analyse.js"),
  analyses: () => import("./analyses.js"),
  home: () => import("./home.js"),
  lesson: () => import("./lesson.js"),
  lobby: () => import("./lobby.js"),
  mistakes: () => import("./mistakes.js"),
  play: () => import("./play.js"),
  puzzle: () => import("./puzzle.js"),
  still: () => import("./still.js"),
  table: () => import("./table.js"),
};

const { script = "" } = /** @type {HTMLElement} */ (document.querySelector("script[data-script]")).dataset;
void SCRIPTS[script]();
