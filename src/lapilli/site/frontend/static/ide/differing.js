// @ts-check
// The view of the differences between two versions of a bot, or between a version and the text in the editor.

import { element } from "../../../../viewer/static/player/elements.js";
import { $ } from "../dom.js";
import { Differences } from "../vendor/codemirror.js";
import { getText } from "./asking.js";
import { framed } from "./framed.js";
import { optionsOf } from "./versions.js";

const FRAME = ".cm-mergeView { height: 100%; overflow: auto; background: var(--paper); }";
const NARROW = "(max-width: 860px)";
const NOW = "now";

/** The element <lapilli-differences>: shows two texts and their differences. */
class LapilliDifferences extends HTMLElement {
  constructor() {
    super();
    this.root = framed(this, FRAME);
    /** @type {Differences | undefined} */
    this.shown = undefined;
  }

  /**
   * Shows the differences of two texts; undefined removes them.
   * @param {ConstructorParameters<typeof Differences>[1] | undefined} what
   */
  show(what) {
    this.shown?.close();
    this.shown = what && new Differences(this.root, what);
  }
}

customElements.define("lapilli-differences", LapilliDifferences);

export class Differing {
  /**
   * @param {string} bot the bot's address
   * @param {{language: any, now: () => string, bringBack: (text: string) => void, fail: (error: unknown) => void}} ide
   */
  constructor(bot, ide) {
    this.bot = bot;
    this.ide = ide;
    this.asked = 0;
    this.holder = /** @type {LapilliDifferences} */ ($("differences").querySelector("lapilli-differences"));
    $("differ").addEventListener("click", () => this.open(!this.isOpen));
    for (const id of ["differ-from", "differ-to", "differ-how"])
      $(id).addEventListener("change", () => void this.show());
    $("differ-next").addEventListener("click", () => this.holder.shown?.go(1));
    $("differ-back").addEventListener("click", () => this.holder.shown?.go(-1));
    $("differ-restore").addEventListener("click", () => void this.restore().catch(ide.fail));
    $("differ-how", HTMLSelectElement).value = matchMedia(NARROW).matches ? "one" : "two";
  }

  get isOpen() {
    return !$("differences").hidden;
  }

  /** Lists the versions in both fields. @param {import("./versions.js").Version[]} versions the newest first */
  offer(versions) {
    this.versions = versions;
    const [from, to] = [$("differ-from", HTMLSelectElement).value, $("differ-to", HTMLSelectElement).value];
    $("differ-from").replaceChildren(...optionsOf(versions));
    $("differ-to").replaceChildren(element("option", { value: NOW }, "The text as it is now"), ...optionsOf(versions));
    $("differ-from", HTMLSelectElement).value = from || String(versions[0].number);
    $("differ-to", HTMLSelectElement).value = to || NOW;
    if (this.isOpen) void this.show();
  }

  /**
   * Opens the view of differences in place of the editor, or closes it.
   * @param {boolean} isOpen
   * @param {number} [from] the older version; by default the one before the newest
   */
  open(isOpen, from) {
    const [last, before = last] = this.versions ?? [];
    $("differences").hidden = !isOpen;
    $("writing").hidden = isOpen;
    $("differ").setAttribute("aria-pressed", String(isOpen));
    if (!isOpen) return this.holder.show(undefined);
    $("differ-from", HTMLSelectElement).value = String(from ?? before.number);
    $("differ-to", HTMLSelectElement).value = NOW;
    return void this.show();
  }

  /** The text that is chosen in a field. @param {string} id the field's id */
  async text(id) {
    const { value } = $(id, HTMLSelectElement);
    return value === NOW ? this.ide.now() : getText(`${this.bot}/versions/${value}`);
  }

  async show() {
    const asked = ++this.asked;
    try {
      const [from, to] = await Promise.all([this.text("differ-from"), this.text("differ-to")]);
      if (asked !== this.asked || !this.isOpen) return;
      const [before, after] = ["differ-from", "differ-to"].map(
        (id) => $(id, HTMLSelectElement).selectedOptions[0].textContent,
      );
      this.holder.show({
        from: { text: from, label: before },
        to: { text: to, label: after },
        language: this.ide.language,
        isSplit: $("differ-how", HTMLSelectElement).value === "two",
      });
      const places = this.holder.shown?.places ?? 0;
      $("differ-told").textContent = places
        ? `${places} ${places > 1 ? "places differ" : "place differs"}`
        : "No difference";
      $("differ-next", HTMLButtonElement).disabled = $("differ-back", HTMLButtonElement).disabled = !places;
      $("differ-restore").textContent = `Restore version ${$("differ-from", HTMLSelectElement).value}`;
    } catch (error) {
      this.ide.fail(error);
    }
  }

  /** Puts the older text into the editor. */
  async restore() {
    const text = await this.text("differ-from");
    this.open(false);
    this.ide.bringBack(text);
  }
}
