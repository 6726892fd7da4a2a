// @ts-check
// Times and durations in words.

const DAY_S = 86_400;

/**
 * Formats a duration as on a clock, such as 4:05 or 1:00:00. Durations from two days on are given in days.
 * @param {number} seconds
 */
export function duration(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole >= 2 * DAY_S) return `${Math.round(whole / DAY_S)} days`;
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, place) => (place ? String(part).padStart(2, "0") : String(part))).join(":");
}

/** Writes the time of each element <time data-at="SECONDS SINCE 1970"> into it, in this browser's time zone. */
export function writeTimes() {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("time[data-at]"))) {
    const at = new Date(1000 * Number(node.dataset.at));
    const isToday = at.toDateString() === new Date().toDateString();
    /** @type {Intl.DateTimeFormatOptions} */
    const day = isToday ? {} : { weekday: "short", day: "numeric", month: "short" };
    node.textContent = at.toLocaleString("en", { ...day, hour: "2-digit", minute: "2-digit", hour12: false });
  }
}
