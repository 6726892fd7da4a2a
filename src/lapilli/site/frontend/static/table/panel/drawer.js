// @ts-check
// The panel beside a table's board: the turns, and the rules, which are loaded when they are first opened.

import { element } from "../../../../../viewer/static/player/elements.js";
import { observe } from "../../play/still.js";

export class Drawer {
  /**
   * @param {HTMLElement} side the panel
   * @param {string} game
   * @param {() => void} explain shows the explanation of the board
   */
  constructor(side, game, explain) {
    this.side = side;
    this.game = game;
    this.explain = explain;
    this.isLoaded = false;
    this.isWaiting = false;
    /** Whether the rules are unfolded: once a person has opened them. */
    this.isUnfolded = false;
    this.chosen = "log";
    for (const tab of side.querySelectorAll("[data-tab]"))
      tab.addEventListener("click", () => this.open(/** @type {HTMLElement} */ (tab).dataset.tab ?? ""));
    side.querySelector(".close")?.addEventListener("click", () => this.close());
  }

  /** Opens the panel with a tab. @param {string} name name of the tab, which is also the id of its part of the panel */
  open(name) {
    this.isUnfolded ||= name === "rules";
    const rules = this.side.querySelector("#rules > details");
    if (rules instanceof HTMLDetailsElement) rules.open = this.isUnfolded;
    this.choose(name);
    this.side.classList.add("open");
  }

  /** Chooses a tab of the panel. @param {string} name */
  choose(name) {
    this.chosen = name;
    for (const tab of /** @type {NodeListOf<HTMLElement>} */ (this.side.querySelectorAll("[data-tab]"))) {
      const isChosen = tab.dataset.tab === name;
      tab.setAttribute("aria-pressed", String(isChosen));
      const part = document.getElementById(tab.dataset.tab ?? "");
      if (part) part.hidden = !isChosen;
    }
    if (name === "rules") void this.load();
  }

  /**
   * Where the panel is always visible, shows the rules, folded, instead of a list without turns while a match waits for players.
   * @param {boolean} isWaiting
   */
  wait(isWaiting) {
    if (this.isWaiting === isWaiting) return;
    this.isWaiting = isWaiting;
    const [from, to] = isWaiting ? ["log", "rules"] : ["rules", "log"];
    if (this.side.checkVisibility() && this.chosen === from) this.choose(to);
  }

  /** Closes the panel where it covers the board, as on phones. */
  close() {
    this.side.classList.remove("open");
  }

  async load() {
    if (this.isLoaded) return;
    this.isLoaded = true;
    const holder = /** @type {HTMLElement} */ (document.getElementById("rules"));
    const explain = element("button", { type: "button", onclick: this.explain }, "How to read the board");
    try {
      const answer = await fetch(`/rules/${this.game}`);
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const text = document.importNode(/** @type {Element} */ (page.querySelector(".prose")), true);
      const lesson = page.querySelector('a[href^="/learn/"]') && `/learn/${this.game}`;
      const links = lesson
        ? [element("a", { href: lesson, target: "_blank", className: "button quiet" }, "Learn step by step")]
        : [];
      const sheets = [...page.querySelectorAll('link[rel=stylesheet][href$="/prose.css"]')].map((sheet) =>
        document.importNode(sheet, true),
      );
      const first = element("div", { className: "prose" }, ...text.querySelectorAll(":scope > :is(h1, h1 + p)"));
      const rest = element("details", { open: this.isUnfolded }, element("summary", {}, "The rules"), text);
      holder.replaceChildren(...sheets, first, element("div", { className: "row" }, ...links, explain), rest);
      observe(holder);
    } catch {
      this.isLoaded = false;
      const link = element("a", { href: `/rules/${this.game}`, target: "_blank" }, "Open the rules in a new tab");
      holder.replaceChildren(element("p", {}, "The rules could not be loaded. "), link);
    }
  }
}
