// @ts-check
/** Tabs. Each tab shows one page. People choose a tab by a click or by the arrow keys. */

export class Tabs {
  /**
   * @param {HTMLElement} box element that contains the tabs and the pages
   * @param {(id: string) => void} say function that is called with the id of the shown page
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

  /** Returns the id of a tab's page. @param {HTMLElement} tab */
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

  /** Shows a page. @param {string} id */
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
   * Shows or hides a tab.
   * @param {string} id id of its page
   * @param {boolean} offered whether the tab is visible
   */
  offer(id, offered) {
    const tab = this.tabs.find((one) => this.idOf(one) === id);
    if (tab) tab.hidden = !offered;
  }
}
