// @ts-check
// Studies: saves an analysis, which others can then open by a link. Their pages can follow the owner from turn to turn.

import { element } from "../../../../../viewer/static/player/elements.js";
import { $ } from "../../dom.js";
import { ask } from "../study.js";
import { packed } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Packed} Packed */
/**
 * A saved study. `access`: who may read it. `own`: whether this person owns it. `revision`: grows with each change
 * of the content. `at`: index of the node at which the owner is. `moves`: grows with each change of `at` or the
 * content.
 * @typedef {{id: string, name: string, access: string, owner: string, own: boolean, revision: number, at: number,
 *   moves: number, content: {setup: Record<string, unknown>, nodes: Packed[]}}} Saved
 */
/**
 * The page that shows a study.
 * @typedef {object} Page
 * @property {string} game
 * @property {Record<string, unknown>} start the setup
 * @property {Node} root
 * @property {Node} at
 * @property {{get: (moves: string[]) => string}} comments
 * @property {() => void} draw
 * @property {(text: string) => void} say shows a note
 * @property {(saved: Saved) => void} take replaces the tree by the saved one
 * @property {(node: Node, step: boolean) => Promise<void>} lead goes to the node to which the owner has gone
 */

/** Time without a further change after which a change is saved, in milliseconds. */
const PAUSE_MS = 400;
/** Time between two requests with which a page that follows asks where the owner is, in milliseconds. */
const FOLLOW_MS = 1000;
/** HTTP status of the response if another page has saved the study meanwhile. */
const CONFLICT = 409;

/** Comments on the turns of a study. */
export class StudyComments {
  /** @param {string[]} texts @param {Node[]} nodes */
  constructor(texts, nodes) {
    /** @type {Map<string, string>} */
    this.all = new Map(nodes.map((node, number) => [JSON.stringify(node.moves()), texts[number]]));
  }

  /** Returns the comment on the last of these turns, "" if there is none. @param {string[]} moves */
  get(moves) {
    return this.all.get(JSON.stringify(moves)) ?? "";
  }

  /** Sets the comment on the last of these turns. @param {string[]} moves @param {string} text */
  set(moves, text) {
    this.all.set(JSON.stringify(moves), text);
  }
}

export class Sharing {
  /** @param {HTMLElement} section @param {Page} page */
  constructor(section, page) {
    this.section = section;
    this.page = page;
    /** @type {Saved | undefined} */
    this.saved = undefined;
    /** The name, the access and the tree that the site has stored, as JSON. */
    this.stored = "";
    this.isFollowing = false;
    this.isSaving = false;
    this.isStale = false;
    this.seen = -1;
    this.timer = 0;
    this.edits = false;
    document.getElementById("edits")?.addEventListener("click", () => this.edit(!this.edits));
    this.part("follow")?.addEventListener("click", () => this.follow(!this.isFollowing));
    document.getElementById("copy-study")?.addEventListener("click", () => void this.copy());
    this.part("new")?.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.make();
    });
    for (const name of ["name", "access"])
      this.part(name)?.addEventListener("change", () => {
        this.stored = "";
        this.call();
        const [chosen] = this.part("access").selectedOptions;
        if (this.part("readers")) this.part("readers").textContent = chosen.text.toLowerCase();
        this.changed();
      });
  }

  /** Returns the part of the section with this name. @param {string} name @returns {any} */
  part(name) {
    return this.section.querySelector(`[data-part=${name}]`);
  }

  /** Shows the name of the study in the page's header. */
  call() {
    if (this.saved?.own) $("study-name").replaceChildren(element("bdi", { textContent: this.part("name").value }));
  }

  /** Whether the person may write comments, which are stored in the study or in this browser. */
  get mayComment() {
    return !this.saved || this.edits;
  }

  /** Shows or hides the tools with which the owner changes the study. @param {boolean} isOn */
  edit(isOn) {
    this.edits = isOn;
    this.part("settings").hidden = !isOn;
    $("edits").setAttribute("aria-pressed", String(isOn));
    $("panel").toggleAttribute("data-edits", isOn);
    this.page.draw();
  }

  /**
   * Sets the study that the page shows.
   * @param {Saved | undefined} saved
   * @returns {Node | undefined} the node at which its owner was last
   */
  begin(saved) {
    this.saved = saved;
    if (saved) this.stored = JSON.stringify([saved.name, saved.access, this.packed().nodes]);
    return saved && this.page.root.all()[saved.at];
  }

  /** The page's tree, as it is stored. */
  packed() {
    return packed(this.page.root, (node) => this.page.comments.get(node.moves()));
  }

  // -- the owner

  /** Must be called after the name, access, tree, a comment or the present node has changed: saves the study soon. */
  changed() {
    if (!this.saved?.own || this.isStale) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.save(), PAUSE_MS);
  }

  /**
   * Must be called when the person has gone to another node. Ends following; reports the node if the person is the
   * owner.
   */
  moved() {
    if (this.saved && !this.saved.own) this.follow(false);
    else this.changed();
  }

  async save() {
    const { saved, page } = this;
    if (!saved) return;
    if (this.isSaving) return this.changed(); // the next request needs the revision that the response will contain
    this.isSaving = true;
    const { nodes, numbers } = this.packed();
    const [fields, at] = [this.fields(nodes), numbers.get(page.at) ?? 0];
    const state = JSON.stringify([fields.name, fields.access, nodes]);
    try {
      if (state === this.stored) await ask(`/studies/${saved.id}/at`, { at });
      else {
        this.say("Saving …");
        const { revision } = await ask(`/studies/${saved.id}`, { ...fields, revision: saved.revision, at });
        saved.revision = revision;
        this.stored = state;
        this.say("Saved");
      }
    } catch (problem) {
      const { message, cause } = /** @type {Error} */ (problem);
      this.isStale = cause === CONFLICT;
      this.say(`Not saved: ${message}`);
    } finally {
      this.isSaving = false;
    }
  }

  /** The fields of a request that saves the study. @param {Packed[]} nodes */
  fields(nodes) {
    return {
      name: this.part("name").value,
      access: this.part("access").value,
      game: this.page.game,
      content: { setup: this.page.start, nodes },
    };
  }

  /** Saves the analysis as a new study, and goes to the study's page. */
  async make() {
    const { page } = this;
    const { nodes, numbers } = this.packed();
    try {
      const { id } = await ask("/studies", { ...this.fields(nodes), at: numbers.get(page.at) ?? 0 });
      location.assign(`/studies/${id}`);
    } catch (problem) {
      this.say(`Not saved: ${/** @type {Error} */ (problem).message}`);
    }
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(`${location.origin}/studies/${this.saved?.id}`);
      this.page.say("The link is copied.");
    } catch {
      this.page.say("The link is the address of this page.");
    }
  }

  /** Shows a note in the section. @param {string} text */
  say(text) {
    this.part("state")?.replaceChildren(element("span", {}, text));
  }

  // -- those who follow

  /** Begins or ends following the owner from turn to turn. @param {boolean} isOn */
  follow(isOn) {
    this.isFollowing = isOn;
    this.seen = -1;
    this.part("follow")?.setAttribute("aria-pressed", String(isOn));
    clearTimeout(this.timer);
    if (isOn) void this.look();
  }

  async look() {
    const { saved } = this;
    if (!saved || !this.isFollowing) return;
    if (!document.hidden) {
      try {
        const answer = await fetch(`/studies/${saved.id}/now?revision=${saved.revision}`);
        const told = await answer.json();
        if (!answer.ok) throw new Error(told.problem);
        await this.come(told);
        this.say("");
      } catch (problem) {
        this.say(problem instanceof TypeError ? "No connection" : /** @type {Error} */ (problem).message);
      }
    }
    clearTimeout(this.timer);
    if (this.isFollowing) this.timer = window.setTimeout(() => void this.look(), FOLLOW_MS);
  }

  /** Goes to the owner's node. @param {Saved} told the site's response, with the whole study if it has changed */
  async come(told) {
    if (!this.saved || !this.isFollowing) return;
    if (told.content) this.page.take(told);
    Object.assign(this.saved, told);
    if (told.moves === this.seen) return;
    this.seen = told.moves;
    const node = this.page.root.all()[told.at];
    if (node) await this.page.lead(node, node.parent === this.page.at);
  }
}
