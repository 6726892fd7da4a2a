// @ts-check
// The form for a new tournament: shows only the fields and options that the chosen kind and game allow.

import { element } from "../../../../../viewer/static/player/elements.js";
import { $, part } from "../../dom.js";
import { moment } from "../times.js";

const form = /** @type {HTMLFormElement} */ ($("new"));
/** Returns the field of the form that has this name. @param {string} name @returns {any} */
const field = (name) => form.elements.namedItem(name);

/** Returns the checked radio button of a group. @param {string} name @returns {HTMLInputElement} */
const chosen = (name) => /** @type {HTMLInputElement} */ (form.querySelector(`[name=${name}]:checked`));

/** Offers the lengths and the numbers of players that the chosen kind of tournament allows. */
function fitKind() {
  const { unit = "", lengths = "", most = "" } = chosen("kind").dataset;
  $("about").textContent = $(`about-${chosen("kind").value}`).textContent;
  const numbers = lengths.split(" ").map(Number);
  const [usual] = numbers;
  numbers.sort((one, other) => one - other);
  $("lengths").hidden = !unit;
  part($("lengths"), "span").textContent = unit.charAt(0).toUpperCase() + unit.slice(1);
  field("length").replaceChildren(
    ...numbers.map((number) => element("option", { value: number, selected: number === usual }, String(number))),
  );
  for (const name of ["least", "most"]) field(name).max = most;
  if (Number(field("most").value) > Number(most)) field("most").value = most;
}

/** Offers the variants of the chosen game. */
function fitGame() {
  /** @type {string[]} */
  const variants = (chosen("game").dataset.variants ?? "").split("|");
  $("variants").hidden = variants.length < 2;
  field("variant").replaceChildren(
    ...variants.map((name, place) => element("option", { value: place ? name : "" }, name || "usual")),
  );
}

function fitStart() {
  $("at").hidden = $("when", HTMLSelectElement).value !== "at";
}

/** When the tournament starts, in seconds since 1970; "" if the organiser starts it. */
function starts() {
  const when = $("when", HTMLSelectElement).value;
  if (when === "at") return Math.round(new Date(part($("at"), "input").value).getTime() / 1000) || "";
  return Number(when) ? Math.round(Date.now() / 1000) + 60 * Number(when) : "";
}

/** When the tournament starts, in words. */
function startWords() {
  const seconds = starts();
  if (!seconds) return $("when", HTMLSelectElement).value === "at" ? "" : "You start it";
  return `Starts ${moment(seconds)}`;
}

/** Says in one line what the form would create. */
function sumUp() {
  const { unit = "" } = chosen("kind").dataset;
  const number = field("length").value;
  const title = (/** @type {string} */ name) => chosen(name).labels?.[0].querySelector(".titled")?.textContent;
  const parts = [
    `${title("kind")} in ${title("game")}`,
    unit && `${number} ${number === "1" ? unit.replace(/s$/, "") : unit}`,
    field("time").selectedOptions[0].textContent,
    startWords(),
  ];
  $("sum").textContent = parts.filter(Boolean).join(" · ");
}

/** Shows a note below the form; "" hides it. @param {string} text */
function say(text) {
  $("state").textContent = text;
  $("state").hidden = !text;
}

async function make() {
  if ($("when", HTMLSelectElement).value === "at" && !starts()) return say("Choose a day and a time first.");
  const body = new URLSearchParams();
  new FormData(form).forEach((value, key) => body.append(key, String(value)));
  body.set("starts", String(starts()));
  try {
    const answer = await fetch("/tournaments", { method: "POST", body });
    const told = await answer.json();
    if (answer.ok) location.assign(told.address);
    else say(told.problem);
  } catch {
    say("The connection is lost. Try again.");
  }
  return undefined;
}

const rarer = /** @type {HTMLDetailsElement} */ (form.querySelector("details"));
// A field that the browser refuses must be seen.
rarer.addEventListener("invalid", () => (rarer.open = true), { capture: true });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void make();
});
form.querySelectorAll("[name=kind]").forEach((radio) => radio.addEventListener("change", fitKind));
form.querySelectorAll("[name=game]").forEach((radio) => radio.addEventListener("change", fitGame));
$("when").addEventListener("change", fitStart);
fitKind();
fitGame();
fitStart();
sumUp();
form.addEventListener("change", sumUp);
