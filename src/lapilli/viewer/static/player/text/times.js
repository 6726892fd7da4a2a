// @ts-check
/** Formats durations in a suitable unit: milliseconds, seconds, or minutes and seconds. */

/** Formats a duration. @param {number} ms duration in milliseconds */
export function timeOf(ms) {
  if (ms < 999.5) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
