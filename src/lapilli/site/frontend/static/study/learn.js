// @ts-check
// The list of tutorials: the boards play films of matches, and each tutorial shows how many of its steps are done.

import { playAll } from "../play/looping.js";
import { stepsDone } from "./steps_done.js";

/** Shows how many steps of a tutorial are done. @param {HTMLElement} article the tutorial's part of the page */
function showProgress(article) {
  const done = stepsDone(article.dataset.tutorial ?? "").size;
  const bar = article.querySelector("progress");
  if (!done || !bar?.nextElementSibling) return;
  const isOver = done >= bar.max;
  bar.value = done;
  bar.nextElementSibling.textContent = isOver ? "✓ All steps done" : `${done} of ${bar.max} steps done`;
  bar.hidden = isOver;
  const link = article.querySelector(".button");
  if (link) link.textContent = isOver ? "Play it again" : "Go on";
  link?.classList.toggle("quiet", isOver);
}

for (const article of document.querySelectorAll("[data-tutorial]")) showProgress(/** @type {HTMLElement} */ (article));
playAll();
