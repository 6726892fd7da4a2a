// @ts-check
// Stores values in the browser for the next visit. In a browser that stores nothing, nothing happens.

/**
 * Returns a stored value.
 * @param {string} key
 * @param {"localStorage" | "sessionStorage"} [where]
 * @returns {any} undefined if nothing is stored under this key
 */
export function stored(key, where = "localStorage") {
  try {
    return JSON.parse(window[where].getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores a value.
 * @param {string} key
 * @param {unknown} value any value that JSON can represent
 */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // this browser stores nothing
  }
}
