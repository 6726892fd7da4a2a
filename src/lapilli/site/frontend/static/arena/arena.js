// @ts-check
// Keeps a page of the arena up to date: asks for its contents every two seconds, and replaces the parts that changed.

const EVERY_MS = 2000;
/** Longest time between two requests, after several have failed, in milliseconds. */
const SLOW_MS = 15000;
const FOCUSABLE = "a, [tabindex]";

class LivePage {
  /**
   * @param {HTMLElement} main the contents of the page
   * @param {HTMLElement} status element for the message that there is no connection
   */
  constructor(main, status) {
    this.main = main;
    this.status = status;
    this.version = main.dataset.version ?? "";
    this.failures = 0;
    this.timer = 0;
  }

  /** Schedules the next request, unless the page is hidden. */
  wait() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    this.timer = window.setTimeout(() => this.update(), Math.min(SLOW_MS, EVERY_MS * 2 ** this.failures));
  }

  async update() {
    try {
      const headers = { "If-None-Match": this.version };
      const answer = await fetch(this.main.dataset.address ?? "", { headers, cache: "no-store" });
      if (answer.status === 404) {
        this.status.textContent = await answer.text();
        return;
      }
      if (answer.status !== 304) {
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        const html = await answer.text();
        this.version = answer.headers.get("ETag") ?? "";
        this.show(html);
      }
      this.failures = 0;
      this.status.textContent = "";
    } catch {
      this.failures += 1;
      this.status.textContent = "No connection. Trying again …";
    }
    this.wait();
  }

  /** Replaces the parts of the page that differ from `html`. @param {string} html */
  show(html) {
    const now = [...this.main.children];
    const next = [...new DOMParser().parseFromString(html, "text/html").body.children];
    next.forEach((part, place) => {
      if (place >= now.length) this.main.append(part);
      else if (!now[place].isEqualNode(part)) exchange(now[place], part);
    });
    for (const part of now.slice(next.length)) part.remove();
  }
}

/**
 * Replaces a part of the page. Focus and scroll positions stay.
 * @param {Element} old
 * @param {Element} part
 */
function exchange(old, part) {
  const scrolled = [...old.querySelectorAll(".scroll")].map((region) => region.scrollLeft);
  const focused = [...old.querySelectorAll(FOCUSABLE)].findIndex((one) => one === document.activeElement);
  old.replaceWith(part);
  part.querySelectorAll(".scroll").forEach((region, place) => (region.scrollLeft = scrolled[place] ?? 0));
  const again = part.querySelectorAll(FOCUSABLE)[focused];
  if (again instanceof HTMLElement || again instanceof SVGElement) again.focus({ preventScroll: true });
}

const main = document.getElementById("live");
const shown = document.getElementById("connection");
if (main && shown) {
  const live = new LivePage(main, shown);
  document.addEventListener("visibilitychange", () => (document.hidden ? undefined : live.update()));
  live.wait();
}
