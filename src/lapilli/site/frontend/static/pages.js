// @ts-check
// The scripts of all pages except the editor's, bundled in one file, so that a browser loads them once. The <script>
// element of a page names the page's script in its attribute data-script. Only this script is run.

import "./offline/register.js";

/** @type {Record<string, () => Promise<unknown>>} */
const SCRIPTS = {
  "study/analyse": () => import("./study/analyse.js"),
  "study/analyses": () => import("./study/analyses.js"),
  "play/copying": () => import("./play/copying.js"),
  "play/home": () => import("./play/home.js"),
  "study/learn": () => import("./study/learn.js"),
  "study/lesson": () => import("./study/lesson.js"),
  "play/lobby": () => import("./play/lobby.js"),
  "study/mistakes": () => import("./study/mistakes.js"),
  "play/tournaments/new-tournament": () => import("./play/tournaments/new-tournament.js"),
  "play/play": () => import("./play/play.js"),
  "study/puzzle": () => import("./study/puzzle.js"),
  "play/still": () => import("./play/still.js"),
  "table/table": () => import("./table/table.js"),
  "play/waiting": () => import("./play/waiting.js"),
  "play/tournaments/tournament": () => import("./play/tournaments/tournament.js"),
  "play/tournaments/tournaments": () => import("./play/tournaments/tournaments.js"),
};

for (const { dataset } of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("script[data-script]")))
  void SCRIPTS[dataset.script ?? ""]?.();
