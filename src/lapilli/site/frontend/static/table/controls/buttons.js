// @ts-check
// What a table's page shows of its controls: the buttons below the board, and the lists of planned turns and of a long
// turn's actions.

import { element } from "../../../../../viewer/static/player/elements.js";
import { $, part } from "../../dom.js";
import { SMALL } from "../panel/notes.js";
import { inShort, isLong } from "../words/sentences.js";

/** @typedef {import("../messages.js").TableStatus} TableStatus */

/**
 * Shows the buttons of all actions that the person may take now, and hides the others.
 * @param {TableStatus | undefined} now
 * @param {number | null} seat the person's player number; null for a person who watches
 */
export function showButtons(now, seat) {
  const sits = seat !== null && now !== undefined && !now.outcome && !now.open.length;
  const plays = sits && !now.planning;
  const draft = now?.draft;
  $("commit").hidden = !draft?.complete;
  $("commit").textContent = { if: "And then …", then: "Save plan" }[now?.planning ?? ""] ?? "Play turn";
  $("plan").hidden = !(sits && now.plans);
  $("plan").textContent = now?.planning ? "Stop planning" : "Plan ahead";
  $("plan").classList.toggle("stops", Boolean(now?.planning));
  $("hint").hidden = !(plays && now.hints && draft && !draft.complete);
  $("take-back").hidden = !(plays && now.helps && now.tookTurns);
  $("cancel").hidden = !now?.cancels;
  $("resign").hidden = !plays || now.resigning;
  const isOffered = Boolean(now?.draws.length);
  const agrees = seat !== null && Boolean(now?.draws.includes(seat));
  $("draw").hidden = !(plays && now.peers && !agrees);
  $("draw").textContent = isOffered ? "Accept draw" : "Offer draw";
  $("decline").hidden = !(plays && isOffered && !agrees);
  if (isOffered) $("decline").before($("draw"));
  else $("rarely").prepend($("draw"));
  const hasPlayed = Boolean(now?.outcome) && seat !== null;
  $("review").hidden = !now?.outcome;
  $("mistakes").hidden = !hasPlayed || !("judged" in $("result").dataset); // without an engine, nobody finds mistakes
  $("rematch").hidden = $("another").hidden = !hasPlayed || Boolean(now?.tournament);
  $("another").textContent = now?.engines.length ? "Another level" : "Another opponent";
  $("to-tournament").hidden = !now?.tournament || (seat !== null && !now.outcome);
  $("to-tournament", HTMLAnchorElement).href = `/tournaments/${now?.tournament}`;
  $("rematch").textContent = now?.rematch ? "Go to the rematch" : "Rematch";
  showMenu(now);
}

/**
 * Shows the button of the menu if the menu has entries. Puts the link to the next match into the header or, in small
 * windows, among the buttons while the person waits for others, and into the menu at other times.
 * @param {TableStatus | undefined} now
 */
export function showMenu(now) {
  const [menu, entries, next] = [$("menu"), $("rarely"), $("next")];
  const isIdle = Boolean(now && !now.outcome && !now.draft) && $("take-back").hidden;
  if (!SMALL.matches) part(document, "h1").after(next);
  else if (isIdle) $("help").before(next);
  else if (next.parentElement !== entries) entries.prepend(next);
  menu.hidden = [...entries.children].every((one) => one instanceof HTMLElement && one.hidden);
  if (menu.hidden && entries.matches(":popover-open")) entries.hidePopover();
}

/**
 * Cancels a table that waits for an opponent. Returns "", or a sentence that says why it was not cancelled.
 * @param {string} id the table's id
 */
export async function cancelled(id) {
  try {
    const answer = await fetch(`/t/${id}/cancel`, { method: "POST", redirect: "manual" });
    return answer.type === "opaqueredirect" ? "" : "This match can no longer be cancelled.";
  } catch {
    return "The connection is lost. Try again.";
  }
}

/**
 * Lists the turns that the person has planned, each with a button that deletes it.
 * @param {import("../messages.js").ShownPlan[]} planned
 * @param {(reply: string) => void} remove
 */
export function listPlanned(planned, remove) {
  const node = $("planned");
  node.hidden = !planned.length;
  part(node, "ul").replaceChildren(
    ...planned.map(({ reply, words }) => {
      const button = element(
        "button",
        { type: "button", "aria-label": `Delete: ${words}`, onclick: () => remove(reply) },
        "×",
      );
      return element("li", {}, element("span", {}, words), button);
    }),
  );
}

/**
 * Lists a long turn beside the board, each action with a button that takes it back.
 * @param {string[]} labels the actions in words
 * @param {(step: number) => void} undo
 */
export function listActions(labels, undo) {
  const node = $("drafted");
  node.hidden = !isLong(labels);
  part(node, "h2").textContent = `This turn: ${inShort(labels)}`;
  part(node, "ol").replaceChildren(
    ...labels.map((label, step) => {
      const button = element(
        "button",
        { type: "button", "aria-label": `Undo: ${label}`, onclick: () => undo(step) },
        "×",
      );
      return element("li", {}, element("span", {}, label), button);
    }),
  );
}
