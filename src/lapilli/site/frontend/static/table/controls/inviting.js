// @ts-check
// Links to open seats, with buttons that share a link or, if the browser cannot share, copy it.

import { element } from "../../../../../viewer/static/player/elements.js";
import { copied } from "../../play/copying.js";

/**
 * A label, and rows with the links to open seats, each with a button that shares or copies the link.
 * @param {[side: string, url: string][]} seats
 * @param {string} title title of the game
 * @param {(text: string) => void} notice shows a short message
 */
export function invitations(seats, title, notice) {
  if (!seats.length) return [];
  const words = seats.length > 1 ? "Send each of these links to a friend" : "Send this link to your friend";
  const rows = seats.map(([side, url]) => {
    const field = element("input", { readOnly: true, value: url, "aria-label": `Link for ${side}` });
    field.addEventListener("focus", () => field.select());
    const shares = typeof navigator.share === "function";
    const word = shares ? "Share the link" : "Copy the link";
    const send = async () => {
      if (shares) await share(title, url);
      else notice((await copied(url, field)) ? "Link copied. Send it to your opponent." : "Copy the marked link.");
    };
    const button = element("button", { type: "button", className: "button", onclick: () => void send() }, word);
    return element("div", {}, ...(seats.length > 1 ? [element("b", {}, side)] : []), field, button);
  });
  return [element("p", {}, words), ...rows];
}

/**
 * Shares the link to a seat with the browser's own dialog for sharing.
 * @param {string} title
 * @param {string} url
 */
async function share(title, url) {
  try {
    await navigator.share({ title: `Play ${title} with me`, url });
  } catch {
    // the person has closed the dialog
  }
}
