// @ts-check
// The scripts of the pages for study, bundled in one file of their own, so that the first page and tables are light.

import { runScripts } from "./run_scripts.js";

runScripts({
  "study/analyse": () => import("./study/analyse.js"),
  "study/analyses": () => import("./study/analyses.js"),
  "study/learn": () => import("./study/learn.js"),
  "study/lesson": () => import("./study/lesson.js"),
  "study/mistakes": () => import("./study/mistakes.js"),
  "study/puzzle": () => import("./study/puzzle.js"),
});
