// @ts-check
// Realms are parts of a board that belong to one player each. This module computes where and how large they are drawn.

import { svg } from "../drawing/drawing.js";
import { freed, GAP, LEAST_HIGH, needed, spread, TITLE } from "./room.js";

/** @typedef {import("./room.js").Size} Size */
/** @typedef {import("../pictures.js").Point} Point */
/** @typedef {import("../pictures.js").Picture} Picture */
/**
 * @typedef {[player: number, left: number, top: number, width: number, height: number]} RealmData player, and shown
 *   area
 */
/**
 * Where a realm is drawn: the upper left corner and the width of its plate (the player's panel above the realm), and
 * the distance from there to the top of the realm, in pixels; and the pixels for each unit of the realm's coordinates.
 * A realm in a chip is drawn small inside its plate: `inside` has the distance from the plate's left side to the realm, and
 * the plate's height, in pixels.
 * @typedef {{x: number, y: number, scale: number, width: number, head: number, inside?: Size}} Place
 */
/**
 * Returns the height of a realm's plate and the gap below it, in pixels; always 0 if there are no plates.
 * @callback Head
 * @param {number} number index of the realm
 * @param {number} width width of the plate
 * @returns {number}
 */
/**
 * @typedef {{places: Place[], size: Size, worth: number}} Packing an arrangement of all realms; a higher `worth` is
 *   better
 */

/** Least width of a plate above its realm, and the width that it has if there is space, in pixels. */
const [LEAST_WIDE, WISHED] = [132, 280];
/** Distance between two realms, in pixels. */
const APART = 12;
/** Greatest width and height of a realm in a chip, and its distance from the chip's border, in pixels. */
const [THUMB, INSET] = [48, 4];
/** Height of the line of text above the realm in a chip that is narrower than BROAD, in pixels. */
const [NAME_HIGH, BROAD] = [22, 240];
/** A realm that a tap opens counts as if it had this share of the scale of the large realm. */
const OPENED = 0.35;
/** Weight of the size of the reader's own realm in the worth of an arrangement; the other realms have the rest. */
const OWN = 0.75;
/**
 * Returns the share of the window's height that a board without a height of its own may fill. A page sets it in `--share`.
 *
 * @param {HTMLElement} host
 */
function shareOf(host) {
  return parseFloat(getComputedStyle(host).getPropertyValue("--share")) || 0.85;
}

/** Sizes in which strips are tried, as shares of their largest possible size. */
const SMALLER = [1, 0.85, 0.7];
/** Least height of a strip in a narrow window, in pixels: so that fingers hit what it shows. */
const NARROW_HIGH = 50;
/** Number of sizes that are tried for the reader's own realm. */
const TRIES = 24;

/**
 * Arranges realms in an area.
 * @param {Size} room width and height of the area, in pixels
 * @param {Size[]} realms sizes of the realms, in the order in which they are drawn
 * @param {boolean} hasOwn whether the first realm is the reader's own, and may be larger than the others
 * @param {Head} head
 * @param {boolean} hasChips whether the other realms may be chips, which a tap opens
 * @returns {Packing}
 */
export function packed(room, realms, hasOwn, head, hasChips) {
  const equal = gridded(room, realms, head);
  const found = hasOwn && realms.length > 1 ? [equal, ...led(room, realms, head)] : [equal];
  if (hasOwn && hasChips && realms.length > 1) found.push(chipped(room, realms, head));
  return found.reduce((best, one) => (one.worth > best.worth ? one : best));
}

/**
 * Arranges realms in equal scale, in the number of rows in which they become largest.
 * @param {Size} room
 * @param {Size[]} realms
 * @param {Head} head
 * @param {number} [most] the largest allowed scale
 * @returns {Packing}
 */
function gridded([width, height], realms, head, most = Infinity) {
  const [wide, high] = [0, 1].map((axis) => Math.max(...realms.map((size) => size[axis])));
  const hasPlates = head(0, WISHED) > 0;
  const tried = realms.map((_, number) => {
    const [across, lines] = [number + 1, Math.ceil(realms.length / (number + 1))];
    const free = width - APART * (across - 1);
    const cell = hasPlates ? Math.min(free / across, Math.max(LEAST_WIDE, WISHED)) : 0;
    const above = Math.max(...realms.map((_realm, one) => head(one, Math.max(cell, 1))));
    if (across > 1 && hasPlates && free < across * LEAST_WIDE) return { scale: 0, across, lines, cell, above };
    const down = height - lines * above - APART * (lines - 1);
    const scale = Math.max(0, Math.min(most, free / (across * wide), down / (lines * high)));
    return { scale, across, lines, cell: Math.max(cell, scale * wide), above };
  });
  const { scale, across, lines, cell, above } = tried.reduce((best, one) => (one.scale > best.scale ? one : best));
  const line = scale * high + above;
  const places = realms.map((_, number) => {
    const row = Math.floor(number / across);
    const inRow = Math.min(across, realms.length - across * row);
    const x = ((across - inRow) / 2 + (number % across)) * (cell + APART);
    return { x, y: row * (line + APART), scale, width: cell, head: above };
  });
  return { places, size: [across * (cell + APART) - APART, lines * (line + APART) - APART], worth: scale };
}

/**
 * Returns arrangements with the first realm in various sizes, and the others beside it or below it.
 * @param {Size} room
 * @param {Size[]} realms
 * @param {Head} head
 * @returns {Packing[]}
 */
function led([width, height], [[wide, high], ...others], head) {
  const hasPlates = head(0, WISHED) > 0;
  const most = Math.min(width / wide, (height - head(0, width)) / high);
  /** @type {Head} */
  const heads = (number, plate) => head(number + 1, plate);
  return Array.from({ length: 2 * TRIES }, (_, number) => {
    const [scale, isBelow] = [(most * ((number >> 1) + 1)) / TRIES, Boolean(number % 2)];
    const across = Math.max(scale * wide, hasPlates ? Math.min(LEAST_WIDE, width) : 0);
    const above = head(0, across);
    const down = scale * high + above;
    const rest = isBelow
      ? gridded([width, height - down - APART], others, heads, scale)
      : gridded([width - across - APART, height], others, heads, scale);
    const size = /** @type {Size} */ (
      isBelow
        ? [Math.max(across, rest.size[0]), down + APART + rest.size[1]]
        : [across + APART + rest.size[0], Math.max(down, rest.size[1])]
    );
    const [left, top] = isBelow ? [(size[0] - rest.size[0]) / 2, down + APART] : [across + APART, 0];
    const hasRoom = down <= height && (isBelow || !hasPlates || width - across - APART >= LEAST_WIDE);
    const first = { x: isBelow ? (size[0] - across) / 2 : 0, y: 0, scale, width: across, head: above };
    const places = rest.places.map((place) => ({ ...place, x: place.x + left, y: place.y + top }));
    return { places: [first, ...places], size, worth: hasRoom ? scale ** OWN * rest.worth ** (1 - OWN) : 0 };
  });
}

/**
 * Arranges the first realm as large as possible, and the others as chips in a row below it.
 * @param {Size} room
 * @param {Size[]} realms
 * @param {Head} head
 * @returns {Packing}
 */
function chipped([width, height], [[wide, high], ...others], head) {
  const chip = (width - GAP * (others.length - 1)) / others.length;
  const above = chip < BROAD ? NAME_HIGH : INSET;
  const tall = above + THUMB + INSET;
  const first = head(0, width);
  const scale = Math.max(0, Math.min(width / wide, (height - first - GAP - tall) / high));
  const y = first + scale * high + GAP;
  const small = THUMB / Math.max(...others.flat()); // the same scale for all, so that they can be compared
  /** @type {Place[]} */
  const places = others.map(([across, down], number) => {
    const [aside, under] = [(THUMB - small * across) / 2, (THUMB - small * down) / 2];
    const place = { x: number * (chip + GAP), y, scale: small, width: chip, head: above + under };
    return { ...place, inside: /** @type {Size} */ ([INSET + aside, tall]) };
  });
  const own = { x: 0, y: 0, scale, width, head: first };
  return { places: [own, ...places], size: [width, y + tall], worth: scale * OPENED ** (1 - OWN) };
}

/** A realm on the board: its elements, its shown area, and its place. */
class Realm {
  /** @param {RealmData} data */
  constructor(data) {
    this.data = data;
    this.holder = svg("g", { class: "layer" });
    this.overlay = svg("g", { class: "marked" });
    this.node = svg("g", { class: "realm" }, this.holder, this.overlay);
    /** @type {Place} */
    this.place = { x: 0, y: 0, scale: 1, width: 0, head: 0 };
  }

  /** Draws the realm at a place. @param {Place} place */
  put(place) {
    this.place = place;
    this.node.classList.toggle("chipped", place.inside !== undefined);
    const [x, y] = this.onBoard([0, 0]);
    this.node.style.transform = `translate(${x}px, ${y}px) scale(${place.scale})`;
  }

  /** Converts a point of the realm to the board's coordinates. @param {Point} point @returns {Point} */
  onBoard([x, y]) {
    const [, left, top, wide] = this.data;
    const { place } = this;
    const aside = place.inside?.[0] ?? (place.width - place.scale * wide) / 2;
    return [place.x + aside + place.scale * (x - left), place.y + place.head + place.scale * (y - top)];
  }
}

/** All realms of a board. Empty in games in which all players share the board. */
export class Realms {
  /**
   * @param {import("../drawing/skeleton.js").Skeleton} parts
   * @param {import("./zoom.js").Zoom} zoom
   * @param {import("../drawing/plates.js").Plates} plates
   */
  constructor(parts, zoom, plates) {
    this.parts = parts;
    this.zoom = zoom;
    this.plates = plates;
    /** @type {Map<string, Realm>} */
    this.all = new Map();
    /** @type {Map<string, Size>} the largest size of each realm so far, for which space is reserved */
    this.largest = new Map();
    /** @type {number | undefined} number of the reader's player */
    this.own = undefined;
    /** Number of the player whose realm was opened by a tap; undefined for none. @type {number | undefined} */
    this.opened = undefined;
    this.plates.open = (player) => this.open(player);
    this.isFlipped = false;
    this.hasPlates = true;
    /** Whether the realms keep their size. Then the plates keep theirs, too. */
    this.isHeld = false;
  }

  /** Whether the window is so narrow that each plate has one line. */
  get isNarrow() {
    return this.parts.frame.dataset.narrow === "true";
  }

  get isEmpty() {
    return !this.all.size;
  }

  /**
   * Reads the realms of a picture.
   * @param {Picture} picture
   * @param {boolean} holds whether the shown area of each realm stays the same
   * @returns {boolean} whether the picture has other realms than the picture before
   */
  take({ realms }, holds) {
    const names = Object.keys(realms);
    this.isHeld = holds;
    const isNew = names.join() !== [...this.all.keys()].join();
    if (isNew) {
      for (const { node } of this.all.values()) node.remove();
      this.all = new Map(names.map((name) => [name, new Realm(realms[name])]));
      this.largest.clear();
      this.parts.marks.before(...[...this.all.values()].map(({ node }) => node));
      this.plates.seats = names.length ? this.parts.seats : undefined;
      this.plates.seat();
    }
    for (const [name, data] of Object.entries(realms)) {
      const realm = /** @type {Realm} */ (this.all.get(name));
      if (!holds || isNew) realm.data = data;
      const [wide, high] = this.largest.get(name) ?? [0, 0];
      this.largest.set(name, [Math.max(wide, data[3]), Math.max(high, data[4])]);
    }
    return isNew;
  }

  /**
   * Returns the realms' names in the order of drawing: the reader's own first, then the next players in order. On a small
   * board, only the first one is drawn.
   */
  order() {
    const names = [...this.all.keys()];
    if (this.parts.frame.hasAttribute("data-small")) return names.slice(0, 1);
    const shown = this.opened ?? this.own;
    const first = names.findIndex((name) => this.all.get(name)?.data[0] === shown);
    if (first < 0) return this.isFlipped ? names.reverse() : names;
    return [...names.slice(first), ...names.slice(0, first)];
  }

  /** Draws another player's realm large, in place of the one that was large. @param {number | undefined} player */
  open(player) {
    if (player === this.opened) return;
    this.opened = player === this.own ? undefined : player;
    this.place();
  }

  /** Arranges the realms. @param {Size} room @param {Size[]} sizes the realms' sizes, in the order of `order` */
  pack(room, sizes) {
    const hasOwn = this.own !== undefined && this.all.size > 1;
    const players = this.order().map((name) => /** @type {Realm} */ (this.all.get(name)).data[0]);
    const { isNarrow } = this;
    /** @type {Head} */
    const head = (number, width) => (this.hasPlates ? this.plates.height(players[number], width, isNarrow) : 0);
    return packed(room, sizes, hasOwn, head, isNarrow && this.hasPlates);
  }

  /** Draws all realms as large as possible. */
  place() {
    if (this.isEmpty) return;
    if (!this.isHeld) this.plates.measure();
    const { stage } = this.parts;
    /** @type {Size} */
    const room = [Math.max(1, stage.clientWidth), Math.max(1, stage.clientHeight)];
    const names = this.order();
    const { places, size } = this.pack(
      room,
      names.map((name) => {
        const [, , , wide, high] = /** @type {Realm} */ (this.all.get(name)).data;
        return [wide, high];
      }),
    );
    const [left, top] = [(room[0] - size[0]) / 2, (room[1] - size[1]) / 2];
    this.zoom.resize(room, 0);
    for (const [name, { node }] of this.all)
      if (!names.includes(name)) node.remove();
      else if (!node.parentNode) this.parts.marks.before(node);
    names.forEach((name, number) => {
      const realm = /** @type {Realm} */ (this.all.get(name));
      const place = { ...places[number], x: places[number].x + left, y: places[number].y + top };
      realm.put(place);
      this.plates.stand(realm.data[0], place);
    });
    if (this.isHeld && !this.isNarrow) this.plates.fit();
  }

  /**
   * Divides the space of a <lapilli-board> between the realms and the strips that belong to no player.
   * @param {HTMLElement} host the <lapilli-board>
   * @param {Size[]} strips sizes of the strips, in scene units
   * @param {boolean} hasPlates whether there are players' panels
   * @param {boolean} hasControls whether there are buttons below or beside the board
   */
  arrange(host, strips, hasPlates, hasControls) {
    this.hasPlates = hasPlates;
    const { frame, middle } = this.parts;
    const free = freed(host, frame, hasControls);
    if (free === undefined) return;
    frame.dataset.layout = "stack";
    const room = /** @type {Size} */ ([
      middle.clientWidth,
      free ? Math.max(240, shareOf(host) * innerHeight) : middle.clientHeight,
    ]);
    if (!this.isHeld) this.plates.measure();
    const sizes = this.order().map((name) => /** @type {Size} */ (this.largest.get(name)));
    const { isNarrow } = this;
    const best = laid(room, strips, isNarrow ? NARROW_HIGH : LEAST_HIGH, isNarrow ? 0.3 : 0.5)
      .map((one) => ({ ...one, packing: this.pack(one.room, sizes) }))
      .reduce((found, one) => (one.packing.worth * one.worth > found.packing.worth * found.worth ? one : found));
    frame.dataset.common = best.common;
    const [wide, tall] = best.packing.size.map(Math.ceil);
    const [aside, under] = [room[0] - best.room[0], room[1] - best.room[1]];
    const row = strips.length && best.common !== "beside" ? best.row : 0;
    const found = { wide: Math.min(room[0], Math.max(wide + aside, row)), tall, row: tall + under, unit: best.unit };
    for (const [name, value] of Object.entries(found)) frame.style.setProperty(`--${name}`, `${value}px`);
    if (hasControls && !free) spread(frame);
    if (!free) host.style.setProperty("--needed", `${needed(frame)}px`);
    this.place();
  }
}

/**
 * Returns possible layouts of strips beside or below the realms.
 * @param {Size} room width and height of the whole area, in pixels
 * @param {Size[]} strips sizes of the strips, in scene units
 * @param {number} low least height of a strip, in pixels
 * @param {number} weight how much the size of the strips counts, from 0 to 1
 * @returns {{common: string, room: Size, unit: number, row: number, worth: number}[]} for each layout: where the strips
 *   are; the size of the area left for the realms; pixels for each scene unit of a strip; width of all strips together;
 *   and a number that is higher if the strips are larger
 */
function laid([width, height], strips, low, weight) {
  if (!strips.length) return [{ common: "below", room: [width, height], unit: 1, row: 0, worth: 1 }];
  const [widest, highest] = [0, 1].map((axis) => Math.max(...strips.map((strip) => strip[axis])));
  const [wides, highs] = [0, 1].map((axis) => strips.reduce((sum, strip) => sum + strip[axis], 0));
  const gaps = GAP * (strips.length - 1);
  const units = {
    below: Math.min(1.25, (width - gaps) / wides),
    stacked: Math.min(1.25, width / widest),
    beside: Math.min(1.25, (0.36 * width) / widest, (height - gaps - TITLE * strips.length) / highs),
  };
  const least = low / highest;
  const tried = Object.entries(units).flatMap(([common, most]) => SMALLER.map((by) => ({ common, most: by * most })));
  return tried.map(({ common, most }) => {
    const unit = Math.max(least, most);
    const titles = TITLE * strips.length;
    /** @type {Record<string, Size>} */
    const left = {
      below: [width, height - GAP - TITLE - unit * highest],
      stacked: [width, height - GAP - titles - gaps - unit * highs],
      beside: [width - GAP - unit * widest, height],
    };
    const row = common === "below" ? unit * wides + gaps : unit * widest;
    return { common, room: left[common], unit, row, worth: row > width + 1 ? 0 : unit ** weight };
  });
}
