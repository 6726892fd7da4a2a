// @ts-check

/**
 * The element of this page with an id.
 * @param {string} id
 * @returns {any}
 */
export const $ = (id) => document.getElementById(id);
