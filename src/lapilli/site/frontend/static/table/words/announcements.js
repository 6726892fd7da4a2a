// @ts-check
// Announcements at a table: sentences and sounds about what happens beside the turns, such as players who come or go.

import { chime, click, ending } from "../../../../../viewer/static/player/sound.js";
import { arrivals, comings } from "./sentences.js";

/** @typedef {import("../messages.js").TableStatus} TableStatus */
/** @typedef {{name: string, side: string}[]} Players */

export class Announcements {
  /** @param {import("./status.js").Status} status the line that shows the sentences */
  constructor(status) {
    this.status = status;
    /** Whether the person has switched on sounds. */
    this.isLoud = false;
    /** Players whose seats were open in the last status. @type {number[]} */
    this.wereOpen = [];
  }

  /** The sound of an action or of a picture. */
  click() {
    if (this.isLoud) click();
  }

  /** Announces a new line of the chat. @param {string} text @param {boolean} isSeen whether the chat is on the screen */
  chat(text, isSeen) {
    if (!isSeen) this.status.notify(text);
    this.click();
  }

  /** Announces players who have taken open seats. @param {TableStatus} now @param {Players} players */
  arrived(now, players) {
    const joined = this.wereOpen.filter((player) => !now.open.includes(player));
    this.wereOpen = now.open;
    if (!joined.length) return;
    this.status.notify(`${arrivals(joined, players)}.`);
    if (this.isLoud) chime();
  }

  /**
   * Announces changes other than turns: players who have left or come back, and the end of the match.
   * @param {TableStatus} before
   * @param {TableStatus} now
   * @param {Players} players
   */
  changed(before, now, players) {
    const text = comings(before.away, now.away, players);
    if (text && !now.outcome) this.status.notify(`${text}.`);
    const ends = now.outcome && !before.outcome;
    if (ends) this.status.notify(""); // so that the line shows the result
    if (!this.isLoud) return;
    if (ends) ending();
    else if (now.draft && !before.draft && !now.planning) chime();
  }
}
