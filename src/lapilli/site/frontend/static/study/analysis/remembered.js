// @ts-check
// Data of analyses in the browser's storage: the last analysis, a record to open, and comments on turns.

import { store, stored } from "../../../../../viewer/static/board/storage.js";

/** Key of a record that another page has read, and that the analysis board must open. */
export const OPENED = "lapilli-opened";
const LAST = "lapilli-last-analysis";
const COMMENTS = "lapilli-comments";
/** Largest number of stored comments. The oldest are deleted first. */
const MOST = 500;

/** Returns the analysis that this browser opened last. @returns {{address: string, title: string} | undefined} */
export function lastAnalysis() {
  const last = stored(LAST);
  return typeof last?.address === "string" && last.address.startsWith("/analyse?") ? last : undefined;
}

/** Stores the analysis that is open as the last one. @param {string} address @param {string} title */
export function rememberAnalysis(address, title) {
  store(LAST, { address, title });
}

/** Returns the position of a record that another page has read, and removes it from the storage. @returns {any} */
export function openedRecord() {
  const place = stored(OPENED, "sessionStorage");
  if (place) sessionStorage.removeItem(OPENED);
  return place;
}

/** Comments on turns in analyses that begin at the same start. */
export class Comments {
  /** @param {string} start the start: game and setup as JSON */
  constructor(start) {
    this.start = start;
    /** @type {Record<string, string>} */
    this.all = stored(COMMENTS) ?? {};
  }

  /** The key of a turn. @param {string[]} moves the turns up to the commented one */
  key(moves) {
    return JSON.stringify([this.start, ...moves]);
  }

  /** The comment on a turn. @param {string[]} moves @returns {string} "" if there is none */
  get(moves) {
    return this.all[this.key(moves)] ?? "";
  }

  /** Stores a comment. @param {string[]} moves @param {string} text the comment; "" to delete it */
  set(moves, text) {
    this.all = stored(COMMENTS) ?? {}; // another page may have written some
    delete this.all[this.key(moves)];
    if (text) this.all[this.key(moves)] = text;
    this.all = Object.fromEntries(Object.entries(this.all).slice(-MOST));
    store(COMMENTS, this.all);
  }
}
