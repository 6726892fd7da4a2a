// @ts-check
// How many matches wait for this person: a number in the header of each page, and notifications for those who want them.

import { store, stored } from "../../../viewer/static/board/storage.js";
import { $ } from "../dom.js";

const EVERY_MS = 30_000;
/** Whether this browser shows notifications, and the turns for which it has shown one. */
const WANTED = "lapilli-notify";
const SEEN = "lapilli-notified";

/** @returns {boolean} */
function mayNotify() {
  return "Notification" in window && Notification.permission === "granted" && Boolean(stored(WANTED));
}

/** Asks how many matches wait, and says so. */
async function look() {
  if (document.hidden && !mayNotify()) return;
  try {
    const answer = await fetch("/matches/waiting");
    if (answer.ok) show((await answer.json()).turns);
  } catch {
    // the next attempt may succeed
  }
}

/** @param {[table: string, turn: number][]} turns */
function show(turns) {
  $("turns").hidden = !turns.length;
  $("turns").textContent = String(turns.length);
  $("turns").title = turns.length === 1 ? "It is your turn in one match" : `It is your turn in ${turns.length} matches`;
  document.dispatchEvent(new CustomEvent("turns", { detail: turns.map(([table]) => table) }));
  const keys = turns.map(([table, turn]) => `${table} ${turn}`);
  /** @type {string[]} */
  const seen = stored(SEEN) ?? [];
  store(SEEN, keys);
  const fresh = keys.filter((key) => !seen.includes(key));
  if (fresh.length && document.hidden && mayNotify()) notify(fresh);
}

/** @param {string[]} keys */
function notify(keys) {
  const text = keys.length === 1 ? "It is your turn in a match" : `It is your turn in ${keys.length} matches`;
  const shown = new Notification("Lapilli", { body: text, tag: "lapilli-turns" });
  shown.onclick = () => {
    window.focus();
    location.assign(keys.length === 1 ? `/t/${keys[0].split(" ")[0]}` : "/matches");
  };
}

/** The button with which people choose notifications; browsers ask only after a click. */
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
