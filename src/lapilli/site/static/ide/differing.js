// @ts-check
// The view of the differences between two versions of a bot, or between a version and the text in the editor.

import { element } from "../../../viewer/static/player/elements.js";
import { Differences } from "../vendor/codemirror.js";
import { getText } from "./asking.js";
import { framed } from "./framed.js";

const FRAME = ".cm-mergeView { height: 100%; overflow: auto; background: var(--paper); }";
const NARROW = "(max-width: 860px)";
const NOW = "now";

/** <lapilli-differences>: two texts beside each other. */
class LapilliDifferences extends HTMLElement {
  constructor() {
    super();
    this.root = framed(this, FRAME);
    /** @type {Differences | undefined} */
    this.shown = undefined;
  }

  /** @param {ConstructorParameters<typeof Differences>[1] | undefined} what */
  show(what) {
    this.shown?.close();
    this.shown = what && new Differences(this.root, what);
  }
}

customElements.define("lapilli-differences", LapilliDifferences);

export class Differing {
  /**
   * @param {HTMLElement} page
   * @param {string} bot the bot's address
   * @param {{language: any, now: () => string, bringBack: (text: string) => void, fail: (error: unknown) => void}} ide
   */
  constructor(page, bot, ide) {
    this.bot = bot;
    this.ide = ide;
    this.asked = 0;
    /** @type {(id: string) => any} */
    this.$ = (id) => page.querySelector(`#${id}`);
    /** @type {LapilliDifferences} */
    this.holder = this.$("differences").querySelector("lapilli-differences");
    this.$("differ").addEventListener("click", () => this.open(!this.isOpen));
    for (const id of ["differ-from", "differ-to", "differ-how"])
      this.$(id).addEventListener("change", () => void this.show());
    this.$("differ-next").addEventListener("click", () => this.holder.shown?.go(1));
    this.$("differ-back").addEventListener("click", () => this.holder.shown?.go(-1));
    this.$("differ-restore").addEventListener("click", () => void this.restore().catch(ide.fail));
    this.$("differ-how").value = matchMedia(NARROW).matches ? "one" : "two";
  }

  get isOpen() {
    return !this.$("differences").hidden;
  }

  /** @param {{number: number, when: string}[]} versions the last first */
  offer(versions) {
    this.versions = versions;
    const [from, to] = [this.$("differ-from").value, this.$("differ-to").value];
    const options = () =>
      versions.map(({ number, when }) => element("option", { value: String(number) }, `Version ${number} · ${when}`));
    this.$("differ-from").replaceChildren(...options());
    this.$("differ-to").replaceChildren(element("option", { value: NOW }, "The text as it is now"), ...options());
    this.$("differ-from").value = from || String(versions[0].number);
    this.$("differ-to").value = to || NOW;
    if (this.isOpen) void this.show();
  }

  /**
   * @param {boolean} isOpen
   * @param {number} [from] the version to begin with; by default the last one that may differ
   */
  open(isOpen, from) {
    const [last, before = last] = this.versions ?? [];
    this.$("differences").hidden = !isOpen;
    this.$("writing").hidden = isOpen;
    this.$("differ").setAttribute("aria-pressed", String(isOpen));
    if (!isOpen) return this.holder.show(undefined);
    this.$("differ-from").value = String(from ?? before.number);
    this.$("differ-to").value = NOW;
    return void this.show();
  }

  /** The text that is chosen there. @param {string} id */
  async text(id) {
    const { value } = this.$(id);
    return value === NOW ? this.ide.now() : getText(`${this.bot}/versions/${value}`);
  }

  async show() {
    const asked = ++this.asked;
    try {
      const [from, to] = await Promise.all([this.text("differ-from"), this.text("differ-to")]);
      if (asked !== this.asked || !this.isOpen) return;
      const [before, after] = ["differ-from", "differ-to"].map((id) => this.$(id).selectedOptions[0].textContent);
      this.holder.show({
        from: { text: from, label: before },
        to: { text: to, label: after },
        language: this.ide.language,
        isSplit: this.$("differ-how").value === "two",
      });
      const places = this.holder.shown?.places ?? 0;
      this.$("differ-told").textContent = places
        ? `${places} ${places > 1 ? "places differ" : "place differs"}`
        : "No difference";
      this.$("differ-next").disabled = this.$("differ-back").disabled = !places;
      this.$("differ-restore").textContent = `Restore version ${this.$("differ-from").value}`;
    } catch (error) {
      this.ide.fail(error);
    }
  }

  /** Makes the older text the one to work on. */
  async restore() {
    const text = await this.text("differ-from");
    this.open(false);
    this.ide.bringBack(text);
  }
}
