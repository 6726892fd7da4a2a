// @ts-check
// What a browser remembers of analyses: the last one, a record to open, and comments on turns.

import { store, stored } from "../../../viewer/static/board/storage.js";

/** A record that another page has read, to be opened once. */
export const OPENED = "lapilli-opened";
const LAST = "lapilli-last-analysis";
const COMMENTS = "lapilli-comments";
/** So many comments are remembered; the oldest are forgotten first. */
const MOST = 500;

/** @returns {{address: string, title: string} | undefined} */
export function lastAnalysis() {
  const last = stored(LAST);
  return typeof last?.address === "string" && last.address.startsWith("/analyse?") ? last : undefined;
}

/** @param {string} address @param {string} title */
export function rememberAnalysis(address, title) {
  store(LAST, { address, title });
}

/** The place of a record that another page has read; it is given out once. @returns {any} */
export function openedRecord() {
  const place = stored(OPENED, "sessionStorage");
  if (place) sessionStorage.removeItem(OPENED);
  return place;
}

/** Comments on the turns of one start. */
export class Comments {
  /** @param {string} start which start: game and setup */
  constructor(start) {
    this.start = start;
    /** @type {Record<string, string>} */
    this.all = stored(COMMENTS) ?? {};
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
    this.all = stored(COMMENTS) ?? {}; // another page may have written some
    delete this.all[this.key(moves)];
    if (text) this.all[this.key(moves)] = text;
    this.all = Object.fromEntries(Object.entries(this.all).slice(-MOST));
    store(COMMENTS, this.all);
  }
}
