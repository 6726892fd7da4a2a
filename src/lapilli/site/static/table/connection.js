// @ts-check
// A WebSocket that connects again by itself.

import { unzipped } from "../../../viewer/static/player/packed.js";

const FIRST_MS = 300;
const LONGEST_MS = 5000;
/** What the site closes with where there is nothing to connect to. */
const GONE = 4404;

export class Connection {
  /**
   * @param {string} path
   * @param {(message: any) => void} hear is told every message; several may come together, as a list
   * @param {(connected: boolean) => void} tell is told whether there is a connection
   */
  constructor(path, hear, tell) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.hear = hear;
    this.tell = tell;
    this.delay = FIRST_MS;
    this.timer = 0;
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
    /** Once all that has come is told. @type {Promise<unknown>} */
    this.told = Promise.resolve();
    addEventListener("online", () => this.open());
    addEventListener("pageshow", (event) => event.persisted && this.open());
    this.open();
  }

  open() {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    clearTimeout(this.timer);
    const socket = (this.socket = new WebSocket(this.url));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      this.delay = FIRST_MS;
      this.inTurn(() => this.read(data));
    });
    socket.addEventListener("open", () => this.inTurn(() => this.tell(true)));
    socket.addEventListener("close", ({ code }) => {
      if (this.socket !== socket) return;
      this.inTurn(() => this.tell(false));
      if (code === GONE) return;
      this.timer = window.setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(LONGEST_MS, 2 * this.delay);
    });
  }

  /** Does one thing after the other, since unpacking takes a while. @param {() => unknown} act */
  inTurn(act) {
    this.told = this.told.then(act).then(undefined, reportError);
  }

  /** @param {string | ArrayBuffer} data text as it is, or packed */
  async read(data) {
    const heard = JSON.parse(typeof data === "string" ? data : await unzipped(new Uint8Array(data)));
    for (const message of Array.isArray(heard) ? heard : [heard]) this.hear(message);
  }

  /** @param {object} message is lost where there is no connection */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
