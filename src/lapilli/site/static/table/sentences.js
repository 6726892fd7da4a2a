// @ts-check
// What a table's page says: whose turn it is, who is waited for, how the match ended.

import { capital, listed } from "../../../viewer/static/player/phrases.js";

/** @typedef {import("./messages.js").TableStatus} TableStatus */
/** @typedef {{name: string, side: string}} Named */

/** With more actions than this, a turn is counted, and listed beside the board. */
const FEW = 2;

/** @param {string[]} labels what was chosen for a turn */
export function isLong(labels) {
  return labels.length > FEW;
}

/** What was chosen for a turn: in words, or only how much where that is long. @param {string[]} labels */
export function inShort(labels) {
  return isLong(labels) ? `${labels.length} commands` : labels.join(", then ");
}

/**
 * How the match stands, in one sentence.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
export function standing(now, players) {
  if (now.outcome) return [now.outcome.words, ...rated(now, players)].join(" · ");
  if (now.open.length) return waiting(now.open, players);
  if (now.planning && now.draft) return planned(now, now.draft, players);
  if (now.draft?.complete) return `Play this turn? ${capital(inShort(now.draft.labels))}`;
  if (now.draft) return asking(now.draft);
  if (now.resigning) return "You have resigned. The others play on";
  const [[engine, share] = []] = Object.entries(now.compiled);
  if (engine) return `Preparing ${named([Number(engine)], players)}, the first time only: ${share} %`;
  const [[queued, place] = []] = Object.entries(now.queue);
  if (queued) return `${named([Number(queued)], players)} is waiting for a free place: number ${place} in the queue`;
  const thinks = now.asked.every((player) => now.engines.includes(player));
  if (thinks) return `${named(now.asked, players)} ${now.asked.length > 1 ? "are" : "is"} thinking …`;
  return `Waiting for ${named(now.asked, players)}`;
}

/**
 * What a person plans: a turn of the opponent, and the own turn that is to follow it.
 * @param {TableStatus} now
 * @param {import("./messages.js").ShownDraft} draft
 * @param {Named[]} players
 */
function planned(now, { labels, prompt, complete }, players) {
  const begins = now.planning === "if" ? `Suppose ${named(now.asked, players)} plays this` : "Then you play this";
  if (complete) return `${begins}: ${inShort(labels)}`;
  return `${begins}: ${labels.length ? `${inShort(labels)}; now ${prompt}` : prompt}`;
}

/** That an engine looks for a hint. @param {number | null} share how much of it is prepared, in percent; null for all */
export function seeking(share) {
  return share === null ? "The engine looks for a hint …" : `Preparing the engine, the first time only: ${share} %`;
}

/**
 * What has been chosen of a turn, and what is to be chosen next.
 * @param {import("./messages.js").ShownDraft} draft
 */
function asking({ labels, prompt }) {
  if (!labels.length) return `Your turn: ${prompt}`;
  return `${capital(inShort(labels))}. Now ${prompt}`;
}

/**
 * @param {number[]} open players whose seats are open
 * @param {Named[]} players
 */
function waiting(open, players) {
  const sides = listed(open.map((player) => players[player].side));
  const whom = open.length > 1 ? `${open.length} opponents` : "an opponent";
  return `Waiting for ${whom} (${sides}) to join`;
}

/**
 * How the ratings have changed: one text a player.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
function rated(now, players) {
  const changes = Object.entries(now.ratings).map(([player, text]) => `${players[Number(player)].name} ${text}`);
  return changes.length || !now.rated ? changes : ["This match does not count for ratings"];
}

/**
 * Who offers a draw; "" where nobody does.
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
 * Who is away or on vacation; "" if nobody is, or the match is over.
 * @param {TableStatus} now
 * @param {Named[]} players
 */
export function absences({ away, vacation, outcome }, players) {
  const gone = away.length ? away : vacation;
  if (!gone.length || outcome) return "";
  return `${named(gone, players)} ${gone.length > 1 ? "are" : "is"} ${away.length ? "away" : "on vacation"}`;
}

/**
 * Who has joined.
 * @param {number[]} joined
 * @param {Named[]} players
 */
export function arrivals(joined, players) {
  return `${named(joined, players)} ${joined.length > 1 ? "have" : "has"} joined`;
}

/**
 * Who has left the page or is back since the last status; "" where nobody has.
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
 * Who watches.
 * @param {number} watching number of people who only watch
 * @param {boolean} isOne whether the reader is one of them
 */
export function audience(watching, isOne) {
  if (!isOne) return watching ? `${watching} watching` : "";
  return watching > 1 ? `You and ${watching - 1} more are watching` : "You are watching";
}

/** @param {number[]} those @param {Named[]} players */
function named(those, players) {
  return listed(those.map((player) => players[player].name));
}
