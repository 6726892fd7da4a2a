// @ts-check
// A WebSocket that connects again by itself.

import { unzipped } from "../../../../viewer/static/player/film/packed.js";

/** Delays before the first attempt and between later attempts. Up to as much again is added by chance, so that not all
 * pages of a process that has ended connect to the next one at the same moment. */
const FIRST_MS = 100;
const LONGEST_MS = 3000;
/** Code with which the site closes the connection if the table does not exist. */
const GONE = 4404;

export class Connection {
  /**
   * @param {string} path
   * @param {(message: any) => void} hear is called with every message. The site may send several at once, as a list
   * @param {(connected: boolean) => void} tell is called when the connection is opened (true) or lost (false)
   * @param {() => void} end is called when the site says that the table does not exist
   */
  constructor(path, hear, tell, end) {
    this.url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
    this.hear = hear;
    this.tell = tell;
    this.end = end;
    this.delay = FIRST_MS;
    this.timer = 0;
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
    /** Promise that is fulfilled when all messages received so far are handled. @type {Promise<unknown>} */
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
      this.inTurn(() => (code === GONE ? this.end() : this.tell(false)));
      if (code === GONE) return;
      this.timer = window.setTimeout(() => this.open(), this.delay * (1 + Math.random()));
      this.delay = Math.min(LONGEST_MS, 2 * this.delay);
    });
  }

  /** Calls functions one after the other, because unpacking a message is asynchronous. @param {() => unknown} act */
  inTurn(act) {
    this.told = this.told.then(act).then(undefined, reportError);
  }

  /**
   * Decodes messages, and passes them to `hear`.
   * @param {string | ArrayBuffer} data JSON as text, or compressed by gzip
   */
  async read(data) {
    const heard = JSON.parse(typeof data === "string" ? data : await unzipped(new Uint8Array(data)));
    for (const message of Array.isArray(heard) ? heard : [heard]) this.hear(message);
  }

  /** Sends a message. Without a connection, the message is lost. @param {object} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
