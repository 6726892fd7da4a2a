// @ts-check
// Which steps of a game's tutorial are done. The browser stores it.

import { store, stored } from "../../../../viewer/static/board/storage.js";

/** @param {string} game */
const key = (game) => `lapilli-learn-${game}`;

/** Returns the indices of the steps of a game's tutorial that are done. @param {string} game @returns {Set<number>} */
export const stepsDone = (game) => new Set(stored(key(game)));

/**
 * Stores which steps of a game's tutorial are done.
 * @param {string} game
 * @param {Set<number>} done indices of these steps
 */
export const storeStepsDone = (game, done) => store(key(game), [...done]);
