// @ts-check
// The card over the board of a table that waits for players: who plays which side, the links to open seats with buttons
// that copy or share them, and the buttons that show the rules and cancel the table.

import { copied } from "../../../../../viewer/static/player/copying.js";
import { element, signOf } from "../../../../../viewer/static/player/elements.js";
import { $ } from "../../dom.js";

/** @typedef {{name: string, side: string}} Named */
/** An open seat: its player number, its side, and the link to it. @typedef {[player: number, side: string, url: string]} OpenSeat */

/**
 * Shows the card with the links to open seats; without such seats, hides it. While the card is shown, the table's status
 * and the button that cancels the table are in it.
 * @param {OpenSeat[]} seats
 * @param {Named[]} players
 * @param {number | null} seat the person's player number
 * @param {() => void} explain shows the rules
 */
export function showInvitation(seats, players, seat, explain) {
  const node = $("seats");
  const card = /** @type {HTMLElement} */ (node.firstElementChild);
  node.hidden = !seats.length;
  if (!seats.length) {
    $("back").after($("status"));
    $("decline").after($("cancel"));
    card.replaceChildren();
    return;
  }
  const title = document.title.split(" · ")[0];
  const rules = element("button", { type: "button", className: "explains", onclick: explain }, "Rules");
  card.replaceChildren(
    $("status"),
    terms(seats, players, seat, node.dataset.terms ?? ""),
    ...seats.map((one) => invitation(one, title, seats.length > 1)),
    element("div", { className: "foot" }, rules, $("cancel")),
  );
}

/**
 * The line that says who plays which side, and the time.
 * @param {OpenSeat[]} seats
 * @param {Named[]} players
 * @param {number | null} seat
 * @param {string} time the clock, and whether the match is rated
 */
function terms(seats, players, seat, time) {
  const own = seat === null ? [] : ["You play ", signOf(seat, ""), `${players[seat]?.side} · `];
  const [only, ...others] = seats;
  const free = only && !others.length ? ["your friend ", signOf(only[0], ""), `${only[1]} · `] : [];
  return element("p", { className: "terms" }, ...own, ...(own.length ? free : []), time);
}

/**
 * A row with the link to an open seat, and the buttons that copy it and, if the browser can do that, share it.
 * @param {OpenSeat} seat
 * @param {string} title title of the game
 * @param {boolean} isNamed whether the row names the side
 */
function invitation([player, side, url], title, isNamed) {
  const field = element("input", { readOnly: true, value: url, "aria-label": `Link for ${side}` });
  field.addEventListener("focus", () => field.select());
  const copy = element("button", { type: "button", className: "button" }, "Copy link");
  copy.addEventListener("click", async () => {
    copy.textContent = (await copied(url, field)) ? "Copied" : "Copy the marked link";
  });
  const shares = typeof navigator.share === "function";
  const share = element("button", { type: "button", className: "button quiet", hidden: !shares }, "Share");
  // A person who closes the browser's dialog has decided, and needs no message.
  share.addEventListener("click", () =>
    navigator.share({ title: `Play ${title} with me`, url }).catch(() => undefined),
  );
  const name = isNamed ? [element("b", {}, signOf(player, ""), side)] : [];
  return element("div", { className: "seat" }, ...name, field, copy, share);
}
