// @ts-check
/** Tabs over pages, of which one is seen: by click, by the arrow keys. */

export class Tabs {
  /**
   * @param {HTMLElement} box
   * @param {(id: string) => void} say is told which page is shown
   */
  constructor(box, say) {
    this.say = say;
    /** @type {HTMLElement[]} */
    this.tabs = [...box.querySelectorAll("[role=tab]")].map((tab) => /** @type {HTMLElement} */ (tab));
    this.pages = new Map(
      [...box.querySelectorAll("[role=tabpanel]")].map((page) => [page.id, /** @type {HTMLElement} */ (page)]),
    );
    for (const tab of this.tabs) tab.addEventListener("click", () => this.choose(this.idOf(tab)));
    box
      .querySelector("[role=tablist]")
      ?.addEventListener("keydown", (event) => this.onKey(/** @type {KeyboardEvent} */ (event)));
    this.choose(this.idOf(this.tabs[0]));
  }

  /** @param {HTMLElement} tab */
  idOf(tab) {
    return tab.getAttribute("aria-controls") ?? "";
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const offered = this.tabs.filter((tab) => !tab.hidden);
    const at = offered.findIndex((tab) => tab.ariaSelected === "true");
    const next = offered[(at + by + offered.length) % offered.length];
    this.choose(this.idOf(next));
    next.focus();
  }

  /** @param {string} id */
  choose(id) {
    for (const tab of this.tabs) {
      const chosen = this.idOf(tab) === id;
      tab.ariaSelected = String(chosen);
      tab.tabIndex = chosen ? 0 : -1;
      const page = this.pages.get(this.idOf(tab));
      if (page) page.hidden = !chosen;
    }
    this.say(id);
  }

  /**
   * @param {string} id
   * @param {boolean} offered
   */
  offer(id, offered) {
    const tab = this.tabs.find((one) => this.idOf(one) === id);
    if (tab) tab.hidden = !offered;
  }
}
