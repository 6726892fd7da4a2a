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

/**
 * Formats a time in this browser's time zone, such as "16:14", or "Sun 29 Nov, 16:14" if it is not today.
 * @param {number} seconds since 1970
 */
export function moment(seconds) {
  const at = new Date(1000 * seconds);
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (at.toDateString() === new Date().toDateString()) return time;
  const [weekday, month] = ["weekday", "month"].map((part) => at.toLocaleDateString("en", { [part]: "short" }));
  return `${weekday} ${at.getDate()} ${month}, ${time}`;
}

/** Writes the time of each element <time data-at="SECONDS SINCE 1970"> into it. */
export function writeTimes() {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("time[data-at]")))
    node.textContent = moment(Number(node.dataset.at));
}
