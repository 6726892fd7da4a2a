// @ts-check
// The page on which people choose what to analyse: a game, their last analysis, or a record.

import "../play/still.js";
import { $, part } from "../dom.js";
import { lastAnalysis, OPENED } from "./analysis/remembered.js";
import { ask } from "./study.js";

/** Shows why something could not be opened. @param {string} text */
function refuse(text) {
  $("note").textContent = text;
  $("note").hidden = false;
}

const last = lastAnalysis();
if (last) {
  $("last", HTMLAnchorElement).href = last.address;
  part($("again"), "span").textContent = last.title;
  $("again").hidden = false;
}

$("file").addEventListener("change", async () => {
  const file = $("file", HTMLInputElement).files?.[0];
  if (!file) return;
  if (file.size > Number($("file").dataset.most)) return refuse("That file is too long for a record.");
  try {
    const place = await ask("/analyse/record", await file.text());
    sessionStorage.setItem(OPENED, JSON.stringify(place));
    location.assign(`/analyse?game=${encodeURIComponent(place.game)}`);
  } catch (problem) {
    refuse(/** @type {Error} */ (problem).message);
  }
  return undefined;
});
