// @ts-check
// The lobby: requests the open offers from the site every two seconds, and goes to the table when an opponent is found.

import { element } from "../../../../viewer/static/player/elements.js";
import { writeTimes } from "./times.js";
import { $ } from "../dom.js";

/**
 * Offer: a match that a person offers to others. `limits`: range of ratings of possible opponents, "" for any rating.
 * `quick`: whether the site looks for an opponent. `slow`: whether it is a correspondence match.
 * Level: a built-in opponent for a person who has waited long, with the form's fields that start a match against it.
 * Now: the state of the lobby. `table`: id of the person's table if an opponent was found, else "". `online`: names of the members who are there, and
 * `playing`: names of people who play a live match.
 * @typedef {{id: string, name: string, own: boolean, rating: number, game: string, title: string, clock: string, rated: boolean,
 *   limits: string, quick: boolean, slow: boolean}} Offer
 * @typedef {{title: string, form: Record<string, string>}} Level
 * @typedef {{table: string, offers: Offer[], online: string[], playing: string[], level: Level | ""}} Now
 */

const EVERY_MS = 2000;

class Lobby {
  constructor() {
    /** @type {HTMLFormElement} */
    this.form = $("seek");
    /** The site's reason for refusing this person's last request; "" if it was not refused. */
    this.problem = "";
    this.shown = "";
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.seek(/** @type {HTMLButtonElement | null} */ (event.submitter));
    });
    this.games = /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("[name=game]")]);
    for (const game of this.games) game.addEventListener("change", () => this.suggest(game));
    this.suggest(this.games.find((game) => game.checked) ?? this.games[0]);
    const clock = /** @type {HTMLSelectElement} */ (this.form.elements.namedItem("time"));
    clock.addEventListener("change", () => this.rate(clock));
    this.rate(clock);
    void this.run();
  }

  /** Shows this person's ratings in matches with the chosen kind of clock. @param {HTMLSelectElement} clock */
  rate({ selectedOptions: [chosen] }) {
    for (const rating of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll("small[data-kind]")))
      rating.hidden = rating.dataset.kind !== chosen.dataset.kind;
  }

  /** Makes the links to other opponents lead to the chosen game. @param {HTMLInputElement} game */
  suggest({ value, dataset }) {
    $("computer").textContent = dataset.called ?? "";
    const computer = /** @type {HTMLAnchorElement} */ ($("computer").parentElement);
    computer.dataset.opponent = dataset.level;
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-opponent]")))
      link.href = `/play?${new URLSearchParams({ game: value, opponent: link.dataset.opponent ?? "" })}`;
  }

  async run() {
    for (;;) {
      await this.look();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /** Requests the state of the lobby, and shows it. */
  async look() {
    const now = await this.ask("/lobby/now", "GET");
    if (now) this.show(now);
    else this.shown = ""; // so the next successful request replaces the error message
  }

  /**
   * Sends a request. If it fails, shows the error message, and returns null.
   * @param {string} path
   * @param {string} method
   * @param {URLSearchParams} [body]
   */
  async ask(path, method, body) {
    try {
      const answer = await fetch(path, { method, body });
      const told = await answer.json();
      if (method === "POST") this.problem = answer.ok ? "" : told.problem;
      if (!answer.ok) $("state").textContent = told.problem;
      return answer.ok ? told : null;
    } catch {
      $("state").textContent = "The connection is lost; connecting again …";
      return null;
    }
  }

  /** Sends the offer in the form. @param {HTMLButtonElement | null} button the button that was pressed */
  async seek(button) {
    const body = new URLSearchParams();
    new FormData(this.form, button).forEach((value, key) => body.append(key, String(value)));
    if (button?.name === "quick") ["low", "high"].forEach((limit) => body.delete(limit));
    if (await this.ask("/lobby/seeks", "POST", body)) await this.look();
  }

  /** Accepts an offer, or withdraws this person's own offer. @param {Offer} offer */
  async choose(offer) {
    const made = await this.ask(`/lobby/seeks/${offer.id}/${offer.own ? "withdraw" : "accept"}`, "POST");
    if (made?.table) this.enter(made.table);
    else if (made) await this.look();
  }

  /** Goes to the table that was opened. @param {string} table */
  enter(table) {
    location.assign(`/t/${table}`);
  }

  /** Shows the state of the lobby. @param {Now} now */
  show(now) {
    if (now.table) return this.enter(now.table);
    const text = JSON.stringify(now);
    if (text === this.shown) return undefined;
    this.shown = text;
    const own = now.offers.filter((offer) => offer.own);
    $("state").textContent = this.problem || this.told(own);
    $("offers").replaceChildren(...now.offers.map((offer) => this.line(offer)));
    $("none").hidden = now.offers.length > own.length;
    $("here").hidden = !now.online.length;
    $("count").textContent = String(now.online.length);
    const looking = now.offers.filter((offer) => !offer.slow).map((offer) => offer.name);
    const first = (/** @type {string} */ name) => Number(!looking.includes(name));
    const sorted = [...now.online].sort((one, other) => first(one) - first(other));
    const people = sorted.map((name) =>
      this.person(name, looking.includes(name) ? "looking" : now.playing.includes(name) ? "playing" : ""),
    );
    $("online").replaceChildren(...people);
    this.offerLevel(now);
    return undefined;
  }

  /** A member who is online. @param {string} name @param {string} does what the member does, "" for nothing */
  person(name, does) {
    return element("a", { href: `/people/${name}` }, name, ...(does ? [element("small", {}, does)] : []));
  }

  /** A sentence about this person's own offers; "" if there are none. @param {Offer[]} own */
  told(own) {
    if (own.some((offer) => offer.quick && !offer.slow))
      return "Looking for somebody of your strength. If it takes long, you can play a level of the computer instead.";
    if (own.some((offer) => !offer.slow)) return "Your offer stands below as long as this page is open.";
    return own.length ? "Your offer stands for a week. You find the match under Matches once it has begun." : "";
  }

  /** The line of an offer in the list. @param {Offer} offer */
  line(offer) {
    const facts = [offer.clock, offer.rated ? "rated" : "not rated", offer.limits && `for ${offer.limits}`];
    const about = `${offer.title} · ${facts.filter(Boolean).join(" · ")}`;
    const who = element("bdi", {}, offer.own ? "You" : offer.name);
    const words = offer.own ? "Withdraw" : "Play";
    const label = `${words}: ${offer.own ? "your offer" : offer.name}, ${about}`;
    const button = element("button", { type: "button", "aria-label": label, onclick: () => this.choose(offer) }, words);
    const rating = element("span", { className: "muted" }, String(offer.rating));
    const text = element("div", {}, who, " ", rating, element("small", {}, about));
    const sign = this.games.find((game) => game.value === offer.game)?.parentElement?.querySelector(".emblem");
    return element("li", {}, ...(sign ? [sign.cloneNode(true)] : []), text, button);
  }

  /** Offers a built-in level as the opponent, if the site suggests one after a long wait. @param {Now} now */
  offerLevel({ level, offers }) {
    $("level").hidden = !level;
    if (!level) return;
    const play = async () => {
      for (const { id } of offers.filter((offer) => offer.own)) await this.ask(`/lobby/seeks/${id}/withdraw`, "POST");
      const inputs = Object.entries(level.form).map(([name, value]) =>
        element("input", { type: "hidden", name, value }),
      );
      const form = /** @type {HTMLFormElement} */ (element("form", { method: "post", action: "/play" }, ...inputs));
      document.body.append(form);
      form.submit();
    };
    const button = element("button", { type: "button", onclick: play }, `Play ${level.title} instead`);
    $("level").replaceChildren(element("span", {}, "Nobody yet."), button);
  }
}

writeTimes();
void new Lobby();
