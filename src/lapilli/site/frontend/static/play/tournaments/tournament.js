// @ts-check
// A tournament's page: requests the tournament's state every two seconds, and goes to the person's table when it is
// opened.

import { element, foreign } from "../../../../../viewer/static/player/elements.js";
import { store, stored } from "../../../../../viewer/static/board/storage.js";
import { $, choice } from "../../dom.js";
import { EnteredBots } from "./entered-bots.js";
import { matchRow } from "./match-row.js";
import { isSure } from "../sure.js";
import { duration } from "../times.js";

/**
 * Row: a player in the standings. `kind`: "level", "program" or "bot", "" for a person. `numbers`: the texts of the
 * columns. `table`: id of the table at which the player is playing, else "".
 * Match: `players` are their numbers, only one in a bye. `points` is empty until the match is over.
 * Shared: what is the same for everybody. Times are in seconds since 1970. `shownRound`: the round whose matches are in
 * `matches`. `timed`: whether the tournament has a duration instead of rounds. `podium`: numbers of the best players.
 * Own: what concerns this person. `own`: the person's player number. `isOut`: whether the person has been eliminated.
 * `table`: id of the table to which the person must go, else "". `time`: the site's clock.
 * @typedef {{place: number, number: number, name: string, kind: string, rating: number, state: string,
 *   numbers: string[], table: string}} Row
 * @typedef {{players: number[], table: string, points: string[], round?: number}} Match
 * @typedef {{version: number, state: string, starts: number, ends: number, nextAt: number, round: number,
 *   rounds: number, shownRound: number, timed: boolean, least: number, most: number, playing: number,
 *   columns: {title: string, meaning: string}[], rows: Row[], matches: Match[], podium: number[]}} Shared
 * @typedef {{own: number | null, isPlaying: boolean, isOut: boolean, table: string, isOrganiser: boolean, mine: Match[],
 *   bots: import("./entered-bots.js").EnteredBot[], time: number}} Own
 */

const EVERY_MS = 2000;
/** Largest number of columns with numbers in small windows, and the usual one: more are shown if they decide a place. */
const [MOST_ON_PHONES, USUAL_ON_PHONES] = [3, 2];

class Tournament {
  constructor() {
    this.id = $("tournament").dataset.id;
    /** Whether this person is an owner of the site, who may cancel a tournament that has begun. */
    this.isOwner = "owner" in $("tournament").dataset;
    /** @type {Shared | undefined} */
    this.now = undefined;
    /** @type {Own | undefined} */
    this.person = undefined;
    /** The round whose matches are shown; 0 for the current one. */
    this.chosenRound = 0;
    this.shownMine = "";
    /** Time of the site's clock minus time of this browser's clock, in seconds. */
    this.offset = 0;
    /** Number of columns with numbers that are shown in small windows, too. */
    this.onPhones = USUAL_ON_PHONES;
    this.bots = new EnteredBots((change, bot) => this.change(change, new URLSearchParams({ bot })));
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-change]")))
      button.addEventListener("click", () => this.press(button));
    $("levels")?.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      void this.change("level", new URLSearchParams({ engine: choice($("levels", HTMLFormElement), "engine").value }));
    });
    $("round").addEventListener("change", () => {
      const round = Number($("round", HTMLSelectElement).value);
      this.chosenRound = round === this.now?.round ? 0 : round;
      void this.look(true);
    });
    setInterval(() => this.tell(), 250);
    void this.run();
  }

  async run() {
    for (;;) {
      await this.look();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /**
   * Requests the tournament's state, and shows it.
   * @param {boolean} [whole] whether to send all, even if nothing changed
   */
  async look(whole = false) {
    const seen = whole ? -1 : (this.now?.version ?? -1);
    try {
      const answer = await fetch(`/tournaments/${this.id}/now?seen=${seen}&number=${this.chosenRound}`);
      if (answer.ok) this.show(await answer.json());
      else if (answer.status === 404) this.complain("This tournament does not exist any longer.");
    } catch {
      this.complain("The connection is lost; connecting again …");
    }
  }

  /**
   * Shows the state of the tournament.
   * @param {Own & Partial<Shared>} came the response; it lacks the fields of Shared if the tournament has not changed
   */
  show(came) {
    if ($("problem").dataset.passing) this.complain("");
    this.offset = came.time - Date.now() / 1000;
    this.person = came;
    if (came.version !== undefined) {
      this.now = /** @type {Shared} */ (/** @type {unknown} */ (came));
      this.standings(this.now);
      this.rounds(this.now);
      this.matches($("matches"), this.now.matches);
      $("none").hidden = this.now.matches.length > 0 || this.now.state === "open";
      $("how").hidden = this.now.state !== "open";
      $("matches-title").textContent = this.now.state === "open" ? "How it is played" : "Matches";
      this.podium(this.now);
      this.filled(this.now);
    }
    this.buttons();
    const mine = JSON.stringify(came.mine) + this.now?.version;
    if (mine !== this.shownMine) this.matches($("mine"), [...came.mine].reverse());
    this.shownMine = mine;
    $("own").hidden = !came.mine.length;
    this.tell();
    if (came.table) this.enter(came.table);
  }

  /** Goes to a table that was opened for this person. Does so only once for each table. @param {string} table */
  enter(table) {
    const key = `lapilli-tournament-${this.id}`;
    if (stored(key) === table || document.hidden) return;
    store(key, table);
    location.assign(`/t/${table}`);
  }

  // -- what people do

  /**
   * Sends the change that a button stands for. Cancelling and leaving take two clicks.
   * @param {HTMLButtonElement} button
   */
  press(button) {
    const change = button.dataset.change ?? "";
    if (!["cancel", "leave"].includes(change) || isSure(button)) void this.change(change, new URLSearchParams());
  }

  /**
   * Sends a change of the tournament to the site. If the site refuses it, shows the reason.
   * @param {string} change
   * @param {URLSearchParams} body
   */
  async change(change, body) {
    try {
      const answer = await fetch(`/tournaments/${this.id}/${change}`, { method: "POST", body });
      this.complain(answer.ok ? "" : (await answer.json()).problem, false);
    } catch {
      this.complain("The connection is lost. Try again.");
    }
    await this.look();
  }

  /**
   * Shows an error message.
   * @param {string} text the message; "" to remove it
   * @param {boolean} [isPassing] whether the next response of the site removes the message
   */
  complain(text, isPassing = true) {
    $("problem").textContent = text;
    $("problem").hidden = !text;
    $("problem").dataset.passing = isPassing && text ? "yes" : "";
  }

  // -- what the page shows

  /** Updates the sentences about the tournament's state, which count down the seconds to the next event. */
  tell() {
    if (!this.now) return;
    const text = this.standing(this.now);
    if ($("state").textContent !== text) $("state").textContent = text;
    const next = this.next(this.now);
    $("next").hidden = !next;
    if ($("next").textContent !== next) $("next").textContent = next;
  }

  /** The sentence about what comes next for a person who waits for a match; "" for other people. @param {Shared} now */
  next({ state, timed, round, rounds, nextAt, matches, shownRound }) {
    if (state !== "running" || !this.person?.isPlaying || this.person.table) return "";
    if (timed) return "You play as soon as another player is free. This page takes you to your table.";
    if (!round || shownRound !== round || nextAt > Date.now() / 1000 + this.offset)
      return "This page takes you to your table when the round begins.";
    const own = matches.find(({ players }) => players.includes(this.person?.own ?? -1));
    const done = own?.players.length === 1 ? "You have a bye in this round" : "Your match is over";
    const going = matches.filter(({ players, points }) => players.length > 1 && !points.length);
    const last = going.length === 1 ? `${this.pair(going[0])} ends` : `these ${going.length} matches end`;
    if (!going.length || round >= rounds) return `${done}.`;
    return `${done}. Round ${round + 1} begins when ${last}; then you see your opponent.`;
  }

  /** The sentence about the tournament's state. @param {Shared} now */
  standing(now) {
    const { state, starts, ends, nextAt, round, rounds, timed, playing, least, most, matches, shownRound } = now;
    const time = Date.now() / 1000 + this.offset;
    if (state === "cancelled") return "Cancelled";
    if (state === "over") return this.ending(now);
    if (state === "open") {
      const count = `${playing} of ${most} players`;
      if (!starts) return `${count} · starts when the organiser says so`;
      const lacking = playing < least ? ` · ${least - playing} more needed` : "";
      return starts > time ? `Starts in ${duration(starts - time)} · ${count}${lacking}` : "Starting …";
    }
    if (timed) return ends > time ? `Ends in ${duration(ends - time)}` : "Time is over: the last matches are played";
    if (nextAt > time) return `Round ${round + 1} of ${rounds} begins in ${duration(nextAt - time)}`;
    const open = shownRound === round ? matches.filter((match) => !match.points.length).length : 0;
    const waits = open ? ` · ${open} ${open > 1 ? "matches" : "match"} still in progress` : "";
    return round ? `Round ${round} of ${rounds}${waits}` : "Pairing the players …";
  }

  /** The sentence about a finished tournament: who has won, and whether only a tie-break decided. @param {Shared} now */
  ending({ rows }) {
    const winners = rows.filter((row) => row.place === 1).map((row) => row.name);
    if (winners.length !== 1)
      return winners.length ? `${winners.join(" and ")} share the first place` : "The tournament is over";
    const [first, ...others] = rows;
    const tied = others.filter((row) => first.numbers.length > 1 && row.numbers[0] === first.numbers[0]);
    const names = tied.map((row) => row.name).join(" and ");
    return `${winners[0]} wins${names ? ` on tie-break, with as many points as ${names}` : ""}`;
  }

  /** Shows how many seats are taken, or how many rounds are played. @param {Shared} now */
  filled({ state, timed, playing, most, round, rounds }) {
    const isOpen = state === "open";
    $("filled").hidden = !isOpen && (state !== "running" || timed || !rounds);
    $("filled", HTMLProgressElement).max = isOpen ? most : rounds;
    $("filled", HTMLProgressElement).value = isOpen ? playing : round;
  }

  buttons() {
    const { now, person } = this;
    if (!now || !person) return;
    const isOpen = now.state === "open";
    const canJoin = (isOpen || (now.state === "running" && now.timed)) && !person.isPlaying && !person.isOut;
    /** @type {Record<string, boolean>} */
    const shown = {
      join: canJoin,
      leave: person.isPlaying,
      start: isOpen && person.isOrganiser,
      cancel: isOpen || (now.state === "running" && this.isOwner),
    };
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-change]")))
      button.hidden = !shown[button.dataset.change ?? ""];
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-guest]")))
      link.hidden = !canJoin;
    $("play").hidden = !person.table;
    $("play", HTMLAnchorElement).href = `/t/${person.table}`;
    const going = person.table
      ? undefined
      : now.matches.find((match) => match.players.length > 1 && !match.points.length);
    $("watch").hidden = !going;
    if (going) {
      $("watch", HTMLAnchorElement).href = `/t/${going.table}`;
      $("watch").textContent = `Watch ${this.pair(going)}`;
    }
    if ($("levels")) $("levels").hidden = !isOpen;
    this.bots.show(person.bots, isOpen || (now.state === "running" && now.timed), isOpen || now.state === "running");
  }

  /** Shows the table of the standings. @param {Shared} now */
  standings(now) {
    const hasBegun = now.state !== "open";
    this.onPhones = Math.min(MOST_ON_PHONES, Math.max(USUAL_ON_PHONES, decisive(now.rows)));
    $("standings-title").textContent = hasBegun ? "Standings" : `Players: ${now.playing}`;
    /** @param {string} title @param {boolean} [more] @param {string} [meaning] */
    const head = (title, more = false, meaning = "") =>
      element("th", { scope: "col", className: more ? "more" : "", title: meaning }, title);
    const numbers = hasBegun
      ? now.columns.map(({ title, meaning }, place) => head(title, place >= this.onPhones, meaning))
      : [];
    const place = element("th", { scope: "col" }, element("span", { className: "unseen" }, "Place"));
    $("columns").replaceChildren(...(hasBegun ? [place] : []), head("Player"), head("Rating", hasBegun), ...numbers);
    $("standings").replaceChildren(...now.rows.map((row) => this.line(row, hasBegun)));
    const ties = now.columns.slice(1).map(({ title, meaning }) => `${title} (${meaning})`);
    $("ties").hidden = !hasBegun || !ties.length;
    $("ties").textContent = `Equal points are decided by ${ties.join(", then by ")}.`;
    $("then").hidden = !hasBegun;
  }

  /**
   * Returns a player's row of the standings.
   * @param {Row} row
   * @param {boolean} hasBegun
   */
  line(row, hasBegun) {
    const isGone = row.state !== "playing";
    const marks = [row.kind === "level" ? "computer" : row.kind, isGone ? row.state : ""].filter(Boolean).join(" · ");
    const who = element("th", { scope: "row" }, this.named(row));
    if (marks) who.append(" ", element("small", {}, marks));
    if (row.table) who.append(" ", element("small", {}, element("a", { href: `/t/${row.table}` }, "playing now")));
    const numbers = hasBegun ? row.numbers.map((text, place) => cell(text, place >= this.onPhones, place === 0)) : [];
    const isOwn = [this.person?.own, ...(this.person?.bots ?? []).map((bot) => bot.number)].includes(row.number);
    const own = isOwn ? "own" : "";
    return element(
      "tr",
      { className: [own, isGone ? "gone" : ""].filter(Boolean).join(" ") },
      ...(hasBegun ? [element("td", {}, ranked(row.place))] : []),
      who,
      cell(String(row.rating), hasBegun),
      ...numbers,
    );
  }

  /** Returns a player's name, with a link to the profile of a member. @param {Row} row */
  named(row) {
    return row.kind || row.name === "deleted"
      ? foreign(row.name)
      : element("a", { href: `/people/${row.name}` }, foreign(row.name));
  }

  /** Fills the list from which people choose a round. @param {Shared} now */
  rounds(now) {
    const label = /** @type {HTMLElement} */ ($("round").parentElement);
    label.hidden = now.timed || now.round < 2;
    if ($("round", HTMLSelectElement).options.length !== now.round)
      $("round").replaceChildren(
        ...Array.from({ length: now.round }, (_, place) => element("option", { value: place + 1 }, `${place + 1}`)),
      );
    $("round", HTMLSelectElement).value = String(now.shownRound);
  }

  /**
   * Shows matches in a list.
   * @param {HTMLElement} list
   * @param {Match[]} matches
   */
  matches(list, matches) {
    list.replaceChildren(
      ...matches.map((match) => matchRow(list === $("mine") ? this.mine(match) : this.match(match))),
    );
  }

  /** Names of the players of a match. @param {Match} match */
  pair({ players }) {
    return players.map((player) => this.called(player)).join(" – ");
  }

  /** Name of a player. @param {number} player */
  called(player) {
    return this.now?.rows.find((row) => row.number === player)?.name ?? "";
  }

  /** A match as data for a list of matches. @param {Match} match @returns {import("./match-row.js").MatchRow} */
  match({ players, table, points }) {
    const most = Math.max(...points.map(pointsOf));
    const hasWinner = points.length > 1 && pointsOf(points[0]) !== pointsOf(points[1]);
    const named = players.map((player, place) => ({
      name: this.called(player),
      won: hasWinner && pointsOf(points[place]) === most,
    }));
    const isOwn = players.includes(this.person?.own ?? -1);
    if (players.length < 2) return { players: named, isOwn, score: element("small", {}, "bye") };
    const isOver = points.length > 0;
    return {
      players: named,
      isOwn,
      href: `/${isOver ? "m" : "t"}/${table}`,
      score: isOver ? points.join("–") : element("small", {}, element("i", { className: "live" }), "playing"),
    };
  }

  /** One of this person's matches: only the opponent is named. @param {Match} match @returns {import("./match-row.js").MatchRow} */
  mine(match) {
    const row = this.match(match);
    const place = match.players.indexOf(this.person?.own ?? -1);
    const about = this.now?.timed || !match.round ? "" : `Round ${match.round}`;
    if (match.players.length < 2) return { ...row, isOwn: false, about };
    const [own, other] = [match.points[place], match.points[1 - place]].map(pointsOf);
    return {
      ...row,
      isOwn: false,
      about,
      players: [{ name: this.called(match.players[1 - place]), won: false }],
      score: match.points.length ? "" : row.score,
      standing: match.points.length ? (own > other ? "won" : own < other || !own ? "lost" : "drawn") : "",
    };
  }

  /** Shows the best players of a finished tournament. @param {Shared} now */
  podium(now) {
    const rows = now.podium.map((number) => now.rows.find((row) => row.number === number));
    $("podium").hidden = !rows.length;
    $("podium").replaceChildren(
      ...rows
        .filter((row) => row !== undefined)
        .map((row) => {
          const points = row.numbers.length ? [element("small", {}, `${now.columns[0].title}: ${row.numbers[0]}`)] : [];
          return element("div", { className: `place-${row.place}` }, ranked(row.place), foreign(row.name), ...points);
        }),
    );
  }
}

/** Number of columns that one must compare to understand all places. @param {Row[]} rows the standings */
function decisive(rows) {
  const pairs = rows.slice(1).map((row, number) => /** @type {[Row, Row]} */ ([rows[number], row]));
  return Math.max(
    0,
    ...pairs
      .filter(([one, other]) => one.place !== other.place)
      .map(([one, other]) => 1 + one.numbers.findIndex((text, column) => text !== other.numbers[column])),
  );
}

/** Points of a match as a number; the site writes halves as ½. @param {string} text */
function pointsOf(text) {
  return text === "½" ? 0.5 : Number(text);
}

/** A place in the standings; the first three have medals. @param {number} place */
function ranked(place) {
  return element("b", { className: `rank${place <= 3 ? ` medal-${place}` : ""}` }, `${place}`);
}

/**
 * A cell of the table of standings.
 * @param {string} text
 * @param {boolean} [more] whether the cell is hidden in small windows
 * @param {boolean} [isBold]
 */
function cell(text, more = false, isBold = false) {
  return element("td", { className: more ? "more" : "" }, isBold ? element("b", {}, text) : text);
}

void new Tournament();
