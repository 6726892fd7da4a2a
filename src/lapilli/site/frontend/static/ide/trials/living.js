// @ts-check
// Shows a bot's test match while it is being played: receives new pictures and turns over a WebSocket.

/** @typedef {import("../../../../../viewer/static/player/player.js").Player} Player */

export class Living {
  /**
   * @param {string} bot the bot's address
   * @param {Player} player
   * @param {() => void} begun is called when the player has the first pictures of a match
   */
  constructor(bot, player, begun) {
    this.bot = bot;
    this.player = player;
    this.begun = begun;
    this.id = "";
    this.hasFilm = false;
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
  }

  /** Follows the match of this trial. @param {string} id */
  watch(id) {
    if (this.id === id) return;
    this.close();
    this.id = id;
    this.hasFilm = false;
    this.socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}${this.bot}/trials/${id}/live`);
    this.socket.addEventListener("message", ({ data }) => this.id === id && this.hear(JSON.parse(data)));
  }

  /** Receives the film of the match, or its continuation. @param {any} told the message */
  hear(told) {
    const { player } = this;
    if (told.type === "film") {
      player.film = told.film;
      this.hasFilm = true;
      this.begun();
      player.toTurn(told.film.turns.length - 1);
      return;
    }
    for (const turn of told.turns) {
      const [from, to] = turn.frames.map((/** @type {number} */ at) => at - told.first);
      player.add(told.frames[from], turn);
      for (let at = from + 1; at <= to; at++) player.add(told.frames[at]);
    }
  }

  /** Whether the board shows the match of this trial already. @param {string} id */
  shows(id) {
    return this.id === id && this.hasFilm;
  }

  close() {
    this.socket?.close();
    this.socket = undefined;
  }
}
