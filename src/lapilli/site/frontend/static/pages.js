// @ts-check
// The scripts of all pages except those for study and the editor, bundled in one file, so that a browser loads them once.

import { runScripts } from "./run_scripts.js";

runScripts({
  "play/copying": () => import("./play/copying.js"),
  "play/home": () => import("./play/home.js"),
  "play/lobby": () => import("./play/lobby.js"),
  "play/tournaments/new-tournament": () => import("./play/tournaments/new-tournament.js"),
  "play/play": () => import("./play/play.js"),
  "play/still": () => import("./play/still.js"),
  "table/table": () => import("./table/table.js"),
  "play/waiting": () => import("./play/waiting.js"),
  "play/tournaments/tournament": () => import("./play/tournaments/tournament.js"),
  "play/tournaments/tournaments": () => import("./play/tournaments/tournaments.js"),
});
