// @ts-check
/** Times in words, in the unit that people would use: of bots mostly milliseconds, of people seconds and minutes. */

/** @param {number} ms */
export function timeOf(ms) {
  if (ms < 999.5) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
