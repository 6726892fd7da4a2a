// @ts-check
// The chat of a table: the list of lines, buttons with ready-made phrases, and a field for the person's own lines.

import { store, stored } from "../../../../../viewer/static/board/storage.js";
import { element, foreign, signOf } from "../../../../../viewer/static/player/elements.js";

/** @typedef {import("../messages.js").ShownLine} ShownLine */

const HIDDEN = "lapilli-hidden-people";
const OFF = "lapilli-chat-off";
/** Largest number of people whose lines this browser hides, and also of tables without chat. The oldest are dropped. */
const MOST = 200;
/** When lines are added, the list scrolls to its end if it was less than this distance from its end, in pixels. */
const NEAR = 40;

export class Chat {
  /**
   * @param {string} table id of the table
   * @param {HTMLElement} part the part of the panel that holds the chat
   * @param {HTMLElement} tab the button that opens this part
   * @param {{say: (text: string) => void, report: (line: number) => void, heard: (text: string) => void,
   *     counted: (unread: number) => void}} how functions: `say` sends a line, `report` reports a line, `heard`
   * announces a new line, and `counted` shows the number of unread lines
   */
  constructor(table, part, tab, how) {
    this.table = table;
    this.part = part;
    this.isOff = this.without().includes(table);
    this.writes = false;
    this.tab = tab;
    this.how = how;
    this.unread = 0;
    /** @type {string[]} */
    this.hidden = stored(HIDDEN) ?? [];
    this.list = /** @type {HTMLElement} */ (part.querySelector("ol"));
    this.form = /** @type {HTMLFormElement} */ (part.querySelector("form"));
    this.field = /** @type {HTMLInputElement} */ (part.querySelector("input"));
    this.phrases = /** @type {HTMLElement} */ (part.querySelector(".phrases"));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.field.value.trim()) how.say(this.field.value);
      this.field.value = "";
    });
    tab.addEventListener("click", () => this.read());
    this.switch = /** @type {HTMLButtonElement} */ (part.querySelector(".off"));
    this.switch.addEventListener("click", () => {
      const others = this.without().filter((one) => one !== table);
      this.isOff = !this.isOff;
      store(OFF, (this.isOff ? [...others, table] : others).slice(-MOST));
      this.arrange();
    });
    this.arrange();
  }

  /** Ids of the tables at which this browser shows no chat. @returns {string[]} */
  without() {
    return stored(OFF) ?? [];
  }

  /** Shows or hides the parts of the chat, depending on whether it is switched on at this table. */
  arrange() {
    this.list.hidden = this.phrases.hidden = this.isOff;
    this.form.hidden = this.isOff || !this.writes;
    this.switch.textContent = this.isOff ? "Switch chat on here" : "Switch chat off here";
    if (this.isOff) this.unread = 0;
    this.count();
  }

  /** Receives lines from the site, and shows them. @param {import("../messages.js").ChatLines} message */
  hear({ whole, lines, phrases, writes, on }) {
    this.tab.hidden = !on;
    if (whole) {
      this.list.replaceChildren();
      this.writes = writes;
      this.arrange();
      this.phrases.replaceChildren(
        ...phrases.map((text) => element("button", { type: "button", onclick: () => this.how.say(text) }, text)),
      );
    }
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - NEAR;
    this.list.append(...lines.map((line) => this.row(line)));
    if (isAtEnd) this.list.scrollTop = this.list.scrollHeight;
    const news = whole || this.isOff ? [] : lines.filter((line) => !line.own && !this.hidden.includes(line.who));
    if (this.part.hidden) this.unread += news.length;
    this.count();
    for (const { name, text } of news) this.how.heard(`${name}: ${text}`);
  }

  /** Marks all lines as read. */
  read() {
    this.unread = 0;
    this.count();
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** Shows the number of unread lines on the tab. */
  count() {
    this.tab.textContent = this.unread ? `Chat (${this.unread})` : "Chat";
    this.how.counted(this.unread);
  }

  /** Returns a list item with a line of the chat. @param {ShownLine} line */
  row({ id, who, name, player, own, text }) {
    const sign = player === null ? element("span") : signOf(player, name);
    const said = element("p", {}, element("b", {}, foreign(name)), " ", foreign(text));
    const row = element("li", {}, sign, said);
    row.dataset.who = who;
    row.hidden = this.hidden.includes(who);
    if (!own) row.append(this.menu(id, who, name));
    return row;
  }

  /**
   * The menu of a line, with which people hide or report it.
   * @param {number} id
   * @param {string} who
   * @param {string} name
   */
  menu(id, who, name) {
    const menu = element(
      "details",
      {},
      element("summary", { title: "Hide or report", "aria-label": `Hide or report ${name}` }, "⋯"),
      element("button", { type: "button", onclick: () => this.hide(who) }, `Hide what ${name} writes`),
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            this.how.report(id);
            menu.replaceChildren(element("span", { className: "muted" }, "Reported to the site's owners"));
            menu.open = true;
          },
        },
        "Report this message",
      ),
    );
    return menu;
  }

  /** Hides all lines of a person, at all tables. @param {string} who identifies the person */
  hide(who) {
    this.hidden = [...this.hidden.filter((one) => one !== who), who].slice(-MOST);
    store(HIDDEN, this.hidden);
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(`[data-who="${who}"]`)))
      row.hidden = true;
  }
}
