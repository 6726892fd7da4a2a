// @ts-check
// The HTML element <lapilli-board>: shows a position, and lets people play on it. It works the same for all games.

import { BOARD_STYLE } from "./boardstyle.js";
import { Walk } from "./input/choosing.js";
import { Drag } from "./input/dragging.js";
import { Globe } from "./drawing/globe.js";
import { Hands } from "./input/hands.js";
import { Laying } from "./input/laying.js";
import { GLIDE_MS, LAYERS, Layers } from "./drawing/layers.js";
import { Magnifier } from "./input/magnifier.js";
import { Overlay } from "./drawing/overlay.js";
import { Picking } from "./input/picking.js";
import { Picture, Pictures } from "./pictures.js";
import { Plates } from "./drawing/plates.js";
import { Realms } from "./layout/realms.js";
import { arrange, isThumbnail, Largest } from "./layout/room.js";
import { Bar, Legend, Viewing } from "./saying.js";
import { Sight } from "./layout/sight.js";
import { Skeleton } from "./drawing/skeleton.js";
import { turned } from "./layout/turning.js";
import { Zoom } from "./layout/zoom.js";

/** @typedef {import("./input/choosing.js").Choice} Choice */
/** @typedef {import("./pictures.js").Drawn} Drawn */
/** @typedef {import("./pictures.js").Frame} Frame */
/** @typedef {import("./layout/room.js").Size} Size */

/**
 * The data of a board that is the same in all positions of a match. A film contains it.
 * @typedef {object} Look
 * @property {string} style CSS of the game's classes
 * @property {string} defs the game's own SVG definitions: the only text that is inserted as markup
 * @property {import("./naming.js").Name[]} [names] patterns by which names of places are found in texts
 * @property {boolean} [dark] whether the board is dark in both themes
 * @property {Record<string, import("./drawing/overlay.js").Link[]>} links by key of a shape: the shapes highlighted with it
 * @property {Record<string, [number, number, number][]>} globe by key of a shape: its corners on the globe
 * @property {import("./saying.js").Line[]} legend
 * @property {{name: string, side: string}[]} players
 * @property {Frame[]} [frames] all pictures of the match, so that there is space for the largest one
 */

/** Time in which the globe turns until a changed part faces the viewer, in milliseconds. */
const TURN = 450;
/**
 * Least share of the available height that the flat board fills; if it fills less, the globe is shown, if there is one. In
 * a narrow window, where the places of the flat board are small, it has to fill more.
 */
const [SPARSE, SPARSE_IF_NARROW] = [0.5, 0.75];

/** Least size of the names of places, in pixels, and the greatest factor by which a small board enlarges them. */
const [NAME, MOST_ENLARGED] = [9.5, 2];

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class LapilliBoard extends HTMLElement {
  static observedAttributes = ["plates", "small", "headline", "dimmed"];

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const own = new CSSStyleSheet();
    own.replaceSync(BOARD_STYLE);
    this.sheet = new CSSStyleSheet();
    root.adoptedStyleSheets = [own, this.sheet];
    /** @type {Look} */
    this.given = { style: "", defs: "", links: {}, globe: {}, legend: [], players: [] };
    /**
     * `upright` is the picture as it was set; `picture` is the picture as it is drawn, possibly turned by 90 degrees.
     */
    this.upright = this.picture = new Picture();
    this.isTurned = false;
    this.largest = new Largest();
    /** @type {Walk | undefined} */
    this.walk = undefined;
    /** @type {Globe | undefined} */
    this.globe = undefined;
    /** The person's choice. Undefined: the view that fits the window better. @type {"board" | "globe" | undefined} */
    this.wanted = undefined;
    this.fits = /** @type {"board" | "globe"} */ ("board");
    /** Width of the window for which `fits` was chosen, in pixels. */
    this.fitted = 0;
    this.parts = new Skeleton();
    const { frame, head, above, below, common, camera, controls, marks, board, stage, sky, live } = this.parts;
    this.legend = new Legend();
    this.viewing = new Viewing((view) => (this.view = view));
    head.append(this.legend.button, this.viewing.button);
    this.parts.under.prepend(this.legend.key);
    this.bar = new Bar(
      (word) => this.picking.say(word),
      () => this.undo(),
    );
    controls.prepend(this.bar.node);
    root.append(frame, live, this.legend.dialog);
    this.plates = new Plates(above, below, common);
    this.layers = new Layers(camera, sky);
    camera.append(marks);
    this.zoom = new Zoom(stage, board, camera, () => this.hands.tip.show(""));
    this.realms = new Realms(this.parts, this.zoom, this.plates);
    this.sight = new Sight(this.layers, this.plates, this.realms, marks);
    this.overlay = new Overlay(this.sight);
    this.picking = new Picking(this);
    this.drag = new Drag(this);
    this.laying = new Laying(this);
    this.hands = new Hands(this);
    this.magnifier = new Magnifier(this);
    this.watch = new ResizeObserver(() => {
      this.arrange();
      this.overlay.drawRest(); // realms have other places now
      if (this.walk) this.picking.mark(); // places may now be too small for a finger
    });
  }

  /** Returns the duration of an animation; 0 if the person's system settings ask for less motion. @param {number} ms */
  calmed(ms) {
    return calm.matches ? 0 : ms;
  }

  connectedCallback() {
    this.watch.observe(this);
    this.arrange();
  }

  disconnectedCallback() {
    this.watch.disconnect();
    this.drag.cancel(); // a drag and a pale copy (`laying`) have listeners on the window until they end
    this.laying.hide();
    this.magnifier.cancel();
  }

  attributeChangedCallback() {
    this.parts.frame.inert = this.hasAttribute("dimmed");
    if (this.isConnected) this.arrange();
  }

  // -- what is shown

  get look() {
    return this.given;
  }

  /** @param {Look} look */
  set look(look) {
    this.given = look;
    this.sheet.replaceSync(look.style);
    this.parts.stage.classList.toggle("is-dark", Boolean(look.dark));
    this.parts.defs.innerHTML = look.defs; // the game's own patterns; nothing that a player wrote
    this.legend.explain(look.legend);
    this.parts.frame.toggleAttribute("data-keyed", !this.legend.key.hidden);
    this.largest = new Largest();
    for (const frame of look.frames ?? []) this.largest.see(frame.size, frame.supplies);
    this.layers.show(new Picture(), 0, new Map());
    this.upright = this.picture = new Picture();
    this.realms.take(this.picture, false);
    this.plates.name(look.players);
    for (const drawing of this.globe?.drawings ?? []) drawing.remove();
    this.globe = Object.keys(look.globe).length
      ? new Globe(
          look.globe,
          () => this.overlay.draw(),
          (ms) => this.calmed(ms),
        )
      : undefined;
    if (this.globe) this.parts.stage.append(...this.globe.drawings);
    this.viewing.button.hidden = !this.globe;
    this.lookAt();
  }

  /** Shows the flat board or the globe: the value of `view`. */
  lookAt() {
    this.drag.cancel();
    this.magnifier.cancel();
    for (const overlay of this.sight.overlays()) overlay.replaceChildren();
    this.sight.globe = this.view === "globe" ? this.globe : undefined;
    this.parts.stage.classList.toggle("is-globe", this.sight.globe !== undefined);
    this.viewing.show(this.view);
    this.zoom.fit();
    this.sight.globe?.show(this.upright, 0);
    this.turnTo([], this.marked);
    this.overlay.mark({ targets: this.walk?.keys() ?? [], cursor: undefined, pointed: undefined, linked: [] });
    this.tell("view", { view: this.view });
  }

  /** Shows the last frame of a scene. @param {Look & {frames: Frame[]}} scene */
  set scene(scene) {
    const isSame =
      JSON.stringify([scene.style, scene.players]) === JSON.stringify([this.given.style, this.given.players]);
    if (!isSame) this.look = scene;
    const pictures = new Pictures(scene.frames);
    this.show(pictures.seek(pictures.length - 1), { glide: isSame ? GLIDE_MS : 0 });
  }

  /**
   * Shows a picture.
   * @param {Picture} picture
   * @param {{glide?: number, holds?: boolean}} [how] glide: time in which pieces move to their new places, in
   *   milliseconds; 0 to jump. holds: whether the players' realms (their own parts of the board) keep their size, as is
   *   needed while a person composes a turn
   */
  show(picture, { glide = 0, holds = false } = {}) {
    const ms = this.calmed(glide);
    this.drag.settle();
    this.parts.frame.classList.toggle("glides", ms > 0);
    const leavers = ms ? this.layers.leavers(picture) : new Map();
    this.upright = picture;
    this.largest.see(picture.size, picture.supplies);
    this.plates.show(picture, ms);
    const isNew = this.realms.take(picture, holds);
    for (const name of this.layers.places.keys())
      if (!LAYERS.includes(name) && !this.plates.strips.has(name) && !this.realms.all.has(name))
        this.layers.places.delete(name);
    for (const [name, realm] of this.realms.all) this.layers.hold(name, realm.holder);
    for (const [name, strip] of this.plates.strips) this.layers.hold(name, strip.holder);
    this.parts.headline.textContent = picture.panels.headline;
    this.parts.entitle(picture.label);
    const grows = !holds && !this.realms.isEmpty && this.plates.haveGrown;
    if (this.largest.isNew || isNew || grows) this.arrange();
    else this.realms.place();
    this.draw(ms, leavers);
    this.sight.globe?.show(picture, ms && TURN);
    this.picking.mark();
  }

  /**
   * Draws the flat board, turned by 90 degrees if it fits better then.
   * @param {number} ms time in which pieces move to their new places, in milliseconds
   * @param {Map<string, DOMMatrix>} leavers result of `Layers.leavers`
   */
  draw(ms, leavers) {
    this.picture = this.sight.picture = this.isTurned ? turned(this.upright, this.flipped) : this.upright;
    if (this.realms.isEmpty) this.zoom.resize(this.picture.size, ms);
    this.layers.show(this.picture, ms, leavers);
  }

  get view() {
    return this.globe ? (this.wanted ?? this.fits) : "board";
  }

  /** @param {"board" | "globe"} view */
  set view(view) {
    this.wanted = view;
    this.lookAt();
    this.arrange();
  }

  get flipped() {
    return this.plates.flipped;
  }

  /** @param {boolean} flipped whether the players' panels and realms are in reverse order */
  set flipped(flipped) {
    this.plates.flipped = this.realms.isFlipped = flipped;
    this.plates.seat();
    this.realms.place();
    if (!this.isTurned) return;
    this.draw(0, new Map()); // a turned board has the side of the player below it below
    this.picking.mark();
  }

  get own() {
    return this.realms.own;
  }

  /**
   * @param {number | undefined} own the player who looks at the board; this player's realm is first and may be larger
   */
  set own(own) {
    this.realms.own = own;
    this.arrange();
  }

  get arrows() {
    return this.overlay.marked.arrows;
  }

  /**
   * @param {import("./drawing/overlay.js").Arrow[]} arrows keys of two shapes, and best, other, bad, reply or last; and a
   *   label, if there is one
   */
  set arrows(arrows) {
    const before = this.overlay.marked.arrows;
    this.overlay.mark({ arrows });
    this.turnTo(
      before.map(([, to]) => to),
      arrows.map(([, to]) => to),
    );
  }

  /** Keys of the places that a note, dots or arrows mark. */
  get marked() {
    const { noted, dots, arrows } = this.overlay.marked;
    return [...noted, ...dots.map(([key]) => key), ...arrows.map(([, to]) => to)];
  }

  /**
   * Turns the globe to places that are marked now, unless the person has turned it.
   * @param {string[]} before keys of the places that were marked before
   * @param {string[]} keys
   */
  turnTo(before, keys) {
    const { globe } = this.sight;
    if (globe && !globe.isHeld && keys.length && keys[0] !== before[0]) globe.faceAll(keys, this.calmed(TURN));
  }

  get lit() {
    return this.overlay.marked.lit;
  }

  /** @param {string[]} lit keys of the places whose names in a text are pointed at */
  set lit(lit) {
    this.overlay.mark({ lit });
    if (lit.length) this.sight.globe?.faceKey(lit[0], this.calmed(TURN));
  }

  /** @param {readonly string[]} noted keys of the places that a note beside the board explains */
  set noted(noted) {
    const isNew = noted.join() !== this.overlay.marked.noted.join();
    this.overlay.mark({ noted });
    const { globe } = this.sight;
    if (isNew && noted.length) globe?.faceAll([...noted, ...(globe.last ? [globe.last] : [])], this.calmed(TURN));
  }

  get dots() {
    return this.overlay.marked.dots;
  }

  /** @param {import("./drawing/overlay.js").Dot[]} dots key of a shape, and a kind and a label as for arrows */
  set dots(dots) {
    const before = this.overlay.marked.dots;
    this.overlay.mark({ dots });
    this.turnTo(
      before.map(([key]) => key),
      dots.map(([key]) => key),
    );
  }

  /** Opens the dialog "How to read this". */
  explain() {
    this.legend.dialog.showModal();
  }

  /** Divides the available space between the board and the strips and panels beside it. @returns {void} */
  arrange() {
    this.largest.isNew = false;
    const small = isThumbnail(this);
    const supplies = small ? [] : this.upright.panels.supplies;
    const strips = supplies.map((name) => this.largest.strips.get(name) ?? [0, 0]);
    const hasPlates = this.getAttribute("plates") !== "off" && this.given.players.length > 0;
    this.plates.areSmall = this.hasAttribute("small");
    const [width, height] = this.largest.board;
    const { frame, middle } = this.parts;
    const hasControls = !this.bar.node.hidden || this.querySelector("[slot=controls]") !== null;
    frame.toggleAttribute("data-small", small);
    this.offerHelp();
    const sizes = /** @type {Size[]} */ (strips);
    if (!this.realms.isEmpty) return this.realms.arrange(this, sizes, hasPlates, hasControls);
    if (!width) return;
    const isGlobe = this.sight.globe !== undefined;
    const keeps = this.hasAttribute("over") && this.fitted === innerWidth; // the end of a match changes no view
    const has = {
      plates: hasPlates && !this.plates.areSmall,
      controls: hasControls,
      turnable: this.upright.turnable,
      globe: isGlobe,
      turned: keeps ? this.isTurned : undefined,
    };
    const { isTurned, share } = arrange(this, frame, middle, [width, height], sizes, has);
    this.enlargeNames();
    const isSparse = share < (frame.dataset.narrow === "true" ? SPARSE_IF_NARROW : SPARSE);
    const fits = small || isSparse ? "globe" : "board";
    if (fits !== this.fits && !keeps) {
      this.fits = fits;
      if (this.globe && !this.wanted) this.lookAt();
      if (isGlobe !== (this.sight.globe !== undefined)) return this.arrange();
    }
    this.fitted = innerWidth;
    if (isTurned === this.isTurned) return;
    this.isTurned = isTurned;
    this.draw(0, new Map());
    this.picking.mark();
  }

  /** Whether the board shows the names of places. */
  get showsNames() {
    const { dataset } = this.parts.frame;
    const isSmall = dataset.narrow === "true" || dataset.low === "true";
    const names = this.getAttribute("names");
    return names === null || names === "auto"
      ? !isSmall || "legible" in dataset || this.view === "globe"
      : names !== "off";
  }

  /** Enlarges the names on a small board, and decides whether they can be read there. */
  enlargeNames() {
    const { frame, camera } = this.parts;
    const name = camera.querySelector("text.lapilli-label");
    const size = name
      ? parseFloat(getComputedStyle(name).fontSize) * parseFloat(frame.style.getPropertyValue("--unit"))
      : 0;
    frame.style.setProperty("--named", `${Math.min(MOST_ENLARGED, Math.max(1, NAME / (size || NAME)))}`);
    frame.toggleAttribute("data-legible", size * MOST_ENLARGED >= NAME);
  }

  /**
   * Moves the buttons for help and globe into the bar if there is no space above the board, or no headline. On a page with
   * controls of its own, the button for the globe is in the lower right corner of the board and its strips.
   */
  offerHelp() {
    const { frame, head, middle } = this.parts;
    const isSmall = this.clientHeight >= 100 && (this.clientWidth < 600 || this.clientHeight < 480);
    const isInBar = !this.bar.node.hidden && (isSmall || this.getAttribute("headline") === "off");
    frame.dataset.asks = isInBar ? "bar" : "head";
    // A page that adds its own controls shows the legend elsewhere, beside the rules.
    const isExplained = this.querySelector("[slot=controls]") !== null;
    frame.toggleAttribute("data-explained", isExplained);
    const holder = isInBar ? this.bar.node : head;
    const corner = isExplained && this.getAttribute("headline") === "off" ? middle : holder;
    if (this.legend.button.parentNode !== holder) holder.append(this.legend.button);
    if (this.viewing.button.parentNode !== corner) corner.append(this.viewing.button);
  }

  // -- what is chosen

  get choices() {
    return this.walk?.choices ?? null;
  }

  /**
   * @param {Choice[] | null} choices the actions to choose from; [] for none now; null if nobody plays on this board
   */
  set choices(choices) {
    this.drag.cancel();
    this.magnifier.cancel();
    this.drag.settle();
    this.walk = choices ? new Walk(choices) : undefined;
    if (choices?.length) this.realms.open(undefined);
    this.overlay.marked.cursor = undefined;
    const before = this.bar.node.hidden;
    this.bar.node.hidden = !choices;
    if (before !== this.bar.node.hidden) this.arrange();
    this.picking.mark();
  }

  get undoable() {
    return !this.bar.undo.hidden;
  }

  /** @param {boolean} undoable whether the last action of the draft (the unfinished turn) can be undone */
  set undoable(undoable) {
    this.bar.undo.hidden = !undoable;
  }

  /** Asks the page to undo the last action of the draft. @returns {boolean} whether there is one */
  undo() {
    if (this.undoable) this.tell("undo", {});
    return this.undoable;
  }

  /** Whether the draft is a whole turn that can be played. The page sets the attribute. */
  get isComplete() {
    return this.hasAttribute("complete");
  }

  /** Asks the page to play the chosen turn. */
  finish() {
    this.tell("finish", {});
    return true;
  }

  /** Handles a key press as if the board had the focus. @param {KeyboardEvent} event */
  press(event) {
    this.parts.stage.focus({ preventScroll: true });
    this.hands.press(event, true);
  }

  /** Chooses a shape as the next step of an action. @param {string} key @returns {boolean} whether it can be chosen */
  choose(key) {
    return this.picking.choose(key);
  }

  /**
   * Dispatches an event to the page.
   * @param {string} name
   * @param {object} detail
   */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

customElements.define("lapilli-board", LapilliBoard);
