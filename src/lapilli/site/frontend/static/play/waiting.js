// @ts-check
// Shows the number of matches in which it is this person's turn in the header of each page, and optional notifications.

import { store, stored } from "../../../../viewer/static/board/storage.js";
import { $ } from "../dom.js";

const EVERY_MS = 30_000;
/**
 * Keys of two values in the browser's storage: whether to show notifications, and the turns that were shown already.
 */
const WANTED = "lapilli-notify";
const SEEN = "lapilli-notified";

/** Returns whether the person wants notifications and the browser allows them. @returns {boolean} */
function mayNotify() {
  return "Notification" in window && Notification.permission === "granted" && Boolean(stored(WANTED));
}

/** Requests the matches in which it is this person's turn, and shows their number. */
async function look() {
  if (document.hidden && !mayNotify()) return;
  try {
    const answer = await fetch("/matches/waiting");
    if (answer.ok) show((await answer.json()).turns);
  } catch {
    // the next attempt may succeed
  }
}

/**
 * Shows in how many matches it is this person's turn. If the page is hidden, new turns also cause a notification.
 * @param {[table: string, turn: number][]} turns
 */
function show(turns) {
  $("due").hidden = !turns.length;
  $("due").textContent = String(turns.length);
  $("due").title = turns.length === 1 ? "It is your turn in one match" : `It is your turn in ${turns.length} matches`;
  document.dispatchEvent(new CustomEvent("turns", { detail: turns.map(([table]) => table) }));
  const keys = turns.map(([table, turn]) => `${table} ${turn}`);
  /** @type {string[]} */
  const seen = stored(SEEN) ?? [];
  store(SEEN, keys);
  const fresh = keys.filter((key) => !seen.includes(key));
  if (fresh.length && document.hidden && mayNotify()) notify(fresh);
}

/** Shows a notification about new turns. @param {string[]} keys the turns, each as "TABLE TURN" */
function notify(keys) {
  const text = keys.length === 1 ? "It is your turn in a match" : `It is your turn in ${keys.length} matches`;
  const shown = new Notification("Lapilli", { body: text, tag: "lapilli-turns" });
  shown.onclick = () => {
    window.focus();
    location.assign(keys.length === 1 ? `/t/${keys[0].split(" ")[0]}` : "/matches");
  };
}

/** Sets up the button that switches notifications on. Browsers ask for the permission only after a click. */
function listen() {
  const button = $("notify");
  if (!button || !("Notification" in window)) return;
  const tell = () => {
    button.hidden = Notification.permission === "denied";
    button.textContent = mayNotify() ? "Stop notifying me in this browser" : "Notify me in this browser";
  };
  button.addEventListener("click", async () => {
    store(WANTED, !mayNotify() && (await Notification.requestPermission()) === "granted");
    tell();
  });
  tell();
}

listen();
void look();
setInterval(() => void look(), EVERY_MS);
document.addEventListener("played", () => void look());
document.addEventListener("visibilitychange", () => void look());
