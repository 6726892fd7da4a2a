// @ts-check
// What a browser remembers of analyses: the last one, a record to open, and comments on turns.

/** A record that another page has read, to be opened once. */
export const OPENED = "lapilli-opened";
const LAST = "lapilli-last-analysis";
const COMMENTS = "lapilli-comments";
/** So many comments are remembered; the oldest are forgotten first. */
const MOST = 500;

/**
 * @param {string} key
 * @param {"localStorage" | "sessionStorage"} [where]
 * @returns {any} undefined where nothing is remembered, or nothing may be
 */
function read(key, where = "localStorage") {
  try {
    return JSON.parse(window[where].getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // a browser that stores nothing begins anew next time
  }
}

/** @returns {{address: string, title: string} | undefined} */
export function lastAnalysis() {
  const last = read(LAST);
  return typeof last?.address === "string" && last.address.startsWith("/analyse?") ? last : undefined;
}

/** @param {string} address @param {string} title */
export function rememberAnalysis(address, title) {
  write(LAST, { address, title });
}

/** The place of a record that another page has read; it is given out once. @returns {any} */
export function openedRecord() {
  const place = read(OPENED, "sessionStorage");
  if (place) sessionStorage.removeItem(OPENED);
  return place;
}

/** Comments on the turns of one start. */
export class Comments {
  /** @param {string} start which start: game and setup */
  constructor(start) {
    this.start = start;
    /** @type {Record<string, string>} */
    this.all = read(COMMENTS) ?? {};
  }

  /** @param {string[]} moves the turns to the commented one */
  key(moves) {
    return JSON.stringify([this.start, ...moves]);
  }

  /** @param {string[]} moves @returns {string} "" where there is none */
  get(moves) {
    return this.all[this.key(moves)] ?? "";
  }

  /** @param {string[]} moves @param {string} text "" to forget it */
  set(moves, text) {
    this.all = read(COMMENTS) ?? {}; // another page may have written some
    delete this.all[this.key(moves)];
    if (text) this.all[this.key(moves)] = text;
    this.all = Object.fromEntries(Object.entries(this.all).slice(-MOST));
    write(COMMENTS, this.all);
  }
}
