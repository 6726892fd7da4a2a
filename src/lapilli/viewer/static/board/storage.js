// @ts-check
// What the browser stores for the next visit. Some browsers store nothing; then every visit is the first one.

/**
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
 * @param {string} key
 * @param {unknown} value
 */
export function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // this browser stores nothing
  }
}
