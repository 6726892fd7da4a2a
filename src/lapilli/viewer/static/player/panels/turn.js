// @ts-check
/** The details of a turn: each player's input, reply, time, messages and faults. */

import { signOf, element, foreign } from "../elements.js";
import { NO_REPLY, told } from "./log.js";
import { timeOf } from "../text/times.js";

/** @typedef {import("../film/reel.js").Entry} Entry */
/** @typedef {import("../film/reel.js").Film} Film */

/**
 * Returns a button that copies a bot's input to the clipboard.
 * @param {string} text the input
 * @param {string} name text of the button
 */
export function copier(text, name) {
  const button = element("button", {
    type: "button",
    className: "small detail",
    textContent: name,
    title: "Copy what this bot was sent",
  });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = element("textarea", { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "copied";
    setTimeout(() => (button.textContent = name), 1200);
  });
  return button;
}

/**
 * Returns an element with a text of several lines, scrolled to its end.
 * @param {string} text
 * @param {string} name label of the element
 */
export function lines(text, name) {
  const box = element("pre", { title: name, tabIndex: 0, ariaLabel: name, role: "region" }, foreign(text));
  const watch = new ResizeObserver(() => {
    if (!box.clientHeight) return;
    box.scrollTop = box.scrollHeight;
    watch.disconnect();
  });
  watch.observe(box);
  return box;
}

/**
 * Returns an element that describes a player's part in a turn.
 * @param {Film} film
 * @param {Entry} entry
 * @param {string | undefined} input text that was sent to the player, if it is known
 */
export function partOf(film, entry, input) {
  const { side, name } = film.players[entry.player];
  const who = element("h3", {}, signOf(entry.player, ""), name === side ? side : `${side}: `);
  if (name !== side) who.append(foreign(name));
  const head = element("div", { className: "who" }, who);
  if (entry.ms !== undefined) head.append(element("span", { className: "ms detail", textContent: timeOf(entry.ms) }));
  if (input !== undefined) head.append(copier(input, "copy input"));
  const part = element("article", {}, head, element("div", { className: "told" }, foreign(told(entry))));
  const raw = element("div", { className: "raw what", tabIndex: 0, role: "region", ariaLabel: "as the bot wrote it" });
  raw.append(foreign(entry.action ?? NO_REPLY));
  part.append(raw);
  if (entry.usage) part.append(element("div", { className: "note detail", textContent: entry.usage }));
  if (entry.fault) part.append(element("div", { className: "fault" }, foreign(entry.fault)));
  for (const note of entry.notes ?? []) part.append(element("div", { className: "note" }, foreign(note)));
  if (entry.message) part.append(element("div", { className: "message" }, "“", foreign(entry.message), "”"));
  if (entry.stderr) {
    const written = lines(entry.stderr, "stderr");
    written.classList.add("detail");
    part.append(written);
  }
  return part;
}

/**
 * Returns, for each player who was asked in a turn, the answer and an element that describes it.
 * @param {Film} film
 * @param {number} index
 * @returns {[Entry, HTMLElement][]}
 */
export function partsOf(film, index) {
  const { entries, inputs } = film.turns[index];
  /** @type {Entry[]} */
  const silent = Object.keys(inputs).map((player) => ({ player: Number(player), action: null }));
  return (entries.length ? entries : silent).map((entry) => [entry, partOf(film, entry, inputs[entry.player])]);
}

/**
 * Returns elements that describe the unanswered turn of a match that was cut short.
 * @param {Film} film
 * @returns {HTMLElement[]}
 */
export function waitedFor({ waiting, players, cut }) {
  if (!waiting) return cut ? [element("p", { className: "fault", textContent: cut })] : [];
  /** @type {HTMLElement[]} */
  const found = [element("h2", { textContent: `Turn ${waiting.turn} was not answered` })];
  if (cut) found.push(element("p", { className: "fault", textContent: cut }));
  for (const [player, input] of Object.entries(waiting.inputs)) {
    const { side } = players[Number(player)];
    const head = element(
      "div",
      { className: "who" },
      element("h3", {}, signOf(Number(player), ""), `${side} was being asked`),
    );
    const part = element("article", {}, head);
    const asked = element(
      "pre",
      { className: "question", tabIndex: 0, role: "region", ariaLabel: `what ${side} was sent` },
      foreign(input),
    );
    const entry = waiting.entries.find((one) => one.player === Number(player));
    if (entry?.ms !== undefined && entry.ms !== null)
      head.append(element("span", { className: "ms", textContent: timeOf(entry.ms) }));
    head.append(copier(input, "copy input"));
    part.append(asked);
    if (entry?.usage) part.append(element("div", { className: "note", textContent: entry.usage }));
    if (entry?.stderr) part.append(lines(entry.stderr, "stderr"));
    found.push(part);
  }
  return found;
}
