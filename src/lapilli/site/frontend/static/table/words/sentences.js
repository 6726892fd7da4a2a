// @ts-check
// Sentences on a table's page: whose turn it is, for whom the match waits, how the match ended.

import { capital, listed } from "../../../../../viewer/static/player/text/phrases.js";

/** @typedef {import("../messages.js").TableStatus} TableStatus */
/** A player with the name of the side, such as a colour. @typedef {{name: string, side: string}} Named */

/**
 * A turn with more actions than this is listed beside the board. Sentences then give only the number of its actions.
 */
const FEW = 2;
const UNCOUNTED = "This match does not count for ratings";

/** Whether a turn has many actions. @param {string[]} labels the actions chosen for the turn, in words */
export function isLong(labels) {
  return labels.length > FEW;
}

/** The actions chosen for a turn in words or, if there are many, only their number. @param {string[]} labels */
export function inShort(labels) {
  return isLong(labels) ? `${labels.length} commands` : labels.join(", then ");
}

/**
 * The state of the match, in one sentence.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
export function standing(now, players) {
  if (now.outcome) return [now.outcome.words, ...(isUncounted(now) ? [UNCOUNTED] : [])].join(" · ");
  if (now.open.length) return waiting(now.open.length);
  if (now.planning && now.draft) return planned(now, now.draft, players);
  if (now.draft?.complete) return `Play this turn? ${capital(inShort(now.draft.labels))}`;
  if (now.draft) return asking(now.draft);
  if (now.resigning) return "You have resigned. The others play on";
  const prepares = preparing(now, players);
  if (prepares) return prepares;
  const [[queued, place] = []] = Object.entries(now.queue);
  if (queued) return `${named([Number(queued)], players)} is waiting for a free place: number ${place} in the queue`;
  const thinks = now.asked.every((player) => now.engines.includes(player));
  if (thinks) return `${named(now.asked, players)} ${now.asked.length > 1 ? "are" : "is"} thinking …`;
  return `Waiting for ${named(now.asked, players)}`;
}

/**
 * The sentence while an opponent's engine is compiled; "" at other times.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
export function preparing(now, players) {
  const [[engine, share] = []] = Object.entries(now.compiled);
  return engine ? `Preparing ${named([Number(engine)], players)}, the first time only: ${share} %` : "";
}

/**
 * The sentence for a person who plans a turn: first the opponent's turn, then the person's reply.
 * @param {TableStatus} now
 * @param {import("../messages.js").ShownDraft} draft
 * @param {Named[]} players
 */
function planned(now, { labels, prompt, complete }, players) {
  const begins = now.planning === "if" ? `Suppose ${named(now.asked, players)} plays this` : "Then you play this";
  if (complete) return `${begins}: ${inShort(labels)}`;
  return `${begins}: ${labels.length ? `${inShort(labels)}; now ${prompt}` : prompt}`;
}

/** The sentence about the turn that an engine suggests; "" without one. @param {string[]} labels its actions */
export function suggestion(labels) {
  return labels.length ? `The engine suggests: ${labels.join(", then ")}` : "";
}

/** The sentence while an engine looks for a hint. @param {number | null} share as in the message `HintSearch` */
export function seeking(share) {
  return share === null ? "The engine looks for a hint …" : `Preparing the engine, the first time only: ${share} %`;
}

/**
 * The actions chosen so far for a turn, and what to choose next.
 * @param {import("../messages.js").ShownDraft} draft
 */
function asking({ labels, prompt }) {
  if (!labels.length) return `Your turn: ${prompt}`;
  return `${capital(inShort(labels))}. Now ${prompt}`;
}

/** The sentence while seats are open. @param {number} open number of open seats */
function waiting(open) {
  return `Waiting for ${open > 1 ? `${open} opponents` : "an opponent"}`;
}

/** Whether a rated match has changed no rating, such as one that was broken off. @param {TableStatus} now */
function isUncounted(now) {
  return now.rated && !Object.keys(now.ratings).length;
}

/**
 * The sentence about players who offer a draw; "" if nobody does.
 * @param {TableStatus} now
 * @param {Named[]} players
 * @param {number | null} seat
 */
export function offers(now, players, seat) {
  if (!now.draws.length || now.outcome) return "";
  const others = now.draws.filter((player) => player !== seat);
  if (!others.length) return "You have offered a draw";
  return `${named(others, players)} ${others.length > 1 ? "offer" : "offers"} a draw`;
}

/**
 * The sentence about players who are away or on vacation; "" if nobody is, or the match is over.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
export function absences({ away, vacation, outcome }, players) {
  const gone = away.length ? away : vacation;
  if (!gone.length || outcome) return "";
  return `${named(gone, players)} ${gone.length > 1 ? "are" : "is"} ${away.length ? "away" : "on vacation"}`;
}

/**
 * The sentence about players who have joined.
 * @param {number[]} joined
 * @param {Named[]} players
 */
export function arrivals(joined, players) {
  return `${named(joined, players)} ${joined.length > 1 ? "have" : "has"} joined`;
}

/**
 * The sentence about players who have left the page or have come back since the last status; "" if there are none.
 * @param {number[]} before players who were away
 * @param {number[]} after players who are away
 * @param {Named[]} players
 */
export function comings(before, after, players) {
  const gone = after.filter((player) => !before.includes(player));
  const back = before.filter((player) => !after.includes(player));
  if (gone.length) return `${named(gone, players)} ${gone.length > 1 ? "have" : "has"} left the page`;
  return back.length ? `${named(back, players)} ${back.length > 1 ? "are" : "is"} back` : "";
}

/**
 * The text that says whether a match is rated, and how many people watch.
 * @param {number} watching number of people who only watch
 * @param {boolean} isOne whether the reader is one of them
 * @param {boolean} isRated
 */
export function audience(watching, isOne, isRated) {
  const others = watching > 1 ? `You and ${watching - 1} more are watching` : "You are watching";
  const people = isOne ? others : watching ? `${watching} watching` : "";
  return [isRated ? "Rated" : "", people].filter(Boolean).join(" · ");
}

/** A list of players' names in words. @param {number[]} those player numbers @param {Named[]} players */
function named(those, players) {
  return listed(those.map((player) => players[player].name));
}
