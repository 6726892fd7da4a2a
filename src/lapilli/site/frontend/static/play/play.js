// @ts-check
// The page with the form for a new table. A board beside the form plays matches of the game, and others show its rules.

import { store, stored } from "../../../../viewer/static/board/storage.js";
import { choice } from "../dom.js";
import { playAll } from "./looping.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form.table-form"));
const game = /** @type {HTMLInputElement} */ (form.elements.namedItem("game")).value;
/** Time between two questions how much of the opponents is prepared, in milliseconds. */
const READY_MS = 2000;
const CHOSEN = `lapilli-play-${game}`;

/** A radio button whose value is chosen by another control: a slider over levels, or a list of bots. */
class Finer {
  /** @param {HTMLElement} card contains the radio button, the other control, and an <output> for the choice in words */
  constructor(card) {
    this.radio = /** @type {HTMLInputElement} */ (card.querySelector("input[type=radio]"));
    this.control = /** @type {HTMLInputElement | HTMLSelectElement} */ (card.querySelector("select, [type=range]"));
    this.words = card.querySelector("output");
    /** @type {[value: string, words: string][]} */
    this.values = JSON.parse(card.dataset.values ?? "[]");
    this.control.addEventListener("input", () => this.choose());
    this.show();
  }

  get value() {
    return this.values.length ? this.values[Number(this.control.value)][0] : this.control.value;
  }

  choose() {
    this.radio.checked = true;
    /** @type {HTMLDetailsElement} */ (this.radio.closest("details")).open = true;
    this.show();
    this.radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  show() {
    this.radio.value = this.value;
    if (this.words) this.words.textContent = this.values[Number(this.control.value)][1];
    if (this.values.length) this.control.setAttribute("aria-valuetext", this.words?.textContent ?? "");
  }

  /** Chooses a value. Returns false if this control does not offer the value. @param {string} value */
  restore(value) {
    const at = this.values.findIndex(([name]) => name === value);
    const isOption = [...this.control.querySelectorAll("option")].some((option) => option.value === value);
    if (at < 0 && !isOption) return false;
    this.control.value = at < 0 ? value : `${at}`;
    this.choose();
    return true;
  }
}

const finer = [...form.querySelectorAll(".finer")].map((card) => new Finer(/** @type {HTMLElement} */ (card)));
const radios = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("[name=opponent1]")]);

/** The fields with a choice that is remembered, besides the opponent. */
const fields = () =>
  [clock, seat, ...others, form.elements.namedItem("variant")].filter((one) => one instanceof HTMLSelectElement);

/** Chooses what was chosen last time, unless the page's address names an opponent. */
function restore() {
  /** @type {{opponent?: string, rated?: boolean, choices?: Record<string, string>} | undefined} */
  const last = stored(CHOSEN);
  if (!last?.opponent || new URLSearchParams(location.search).has("opponent")) return;
  const { opponent, choices = {} } = last;
  const radio = radios.find((one) => one.value === opponent);
  if (radio) radio.checked = true;
  else finer.some((one) => one.restore(opponent));
  for (const one of fields()) {
    const value = choices[one.name];
    if ([...one.options].some((option) => option.value === value)) one.value = value;
  }
  if (rated) rated.checked = Boolean(last.rated) && clock.value !== "none";
}

/** Stores what is chosen. */
function remember() {
  const opponent = radios.find((radio) => radio.checked)?.value;
  const choices = Object.fromEntries(fields().map(({ name, value }) => [name, value]));
  store(CHOSEN, { opponent, choices, rated: rated?.checked });
}

/** Shows how much of the opponents is prepared, until all of it is. @param {HTMLElement} words the sentence */
async function watchReady(words) {
  while (words.textContent) {
    await new Promise((resolve) => setTimeout(resolve, READY_MS));
    const answer = await fetch(`/play/ready/${game}`).catch(() => null);
    const told = answer?.ok ? await answer.json() : null;
    if (told && told.words !== words.textContent) words.textContent = told.words;
  }
  words.hidden = true;
}

const seat = choice(form, "seat");
const others = /** @type {HTMLSelectElement[]} */ ([...form.querySelectorAll(".pairs [name^=opponent]")]);
const clock = choice(form, "time");
const rated = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("rated"));

/** Offers only the sides that a match of so many players has. */
function offerSides() {
  const players = 2 + others.filter(({ value }) => value).length;
  for (const option of seat.options) option.disabled = Number(option.value) > players;
  if (seat.selectedOptions[0]?.disabled) seat.value = seat.options[0].value;
}

for (const other of others) other.addEventListener("change", offerSides);
// A rated match needs a clock.
rated?.addEventListener("change", () => {
  if (rated.checked && clock.value === "none") clock.value = clock.dataset.usual ?? "";
});
clock.addEventListener("change", () => {
  if (rated && clock.value === "none") rated.checked = false;
});
form.addEventListener("submit", remember);
restore();
offerSides();
playAll();
const ready = document.getElementById("ready");
if (ready) void watchReady(ready);
