// Plays a film: pictures as differences, what players said, a timeline. It knows no game.
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** An element with properties and children; text is always text, never markup. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function drawn(tag, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** A text as it is searched: whatever its case and its line ends. */
function searchable(text) {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

async function readFilm() {
  const packed = Uint8Array.from(atob($("film").textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// ---------------------------------------------------------------- pictures

/** The shapes of every frame, worked out from the differences: {order: keys, shapes: key -> shape}. */
class Pictures {
  constructor(frames) {
    this.frames = frames;
    this.at = -1;
    this.shapes = new Map();
    this.order = [];
  }

  seek(number) {
    if (number < this.at) Object.assign(this, { at: -1, shapes: new Map(), order: [] });
    while (this.at < number) this.advance(this.frames[++this.at]);
    return this;
  }

  advance({ gone = [], changed = [], placed = [] }) {
    for (const key of gone) this.shapes.delete(key);
    for (const shape of changed) this.shapes.set(shape[0], shape);
    for (const [, shape] of placed) this.shapes.set(shape[0], shape);
    if (!gone.length && !placed.length) return;
    const moved = new Set(placed.map(([, shape]) => shape[0]));
    const before = new Map();
    for (const [next, shape] of placed) before.set(next, [...(before.get(next) ?? []), shape[0]]);
    const order = [];
    const put = (key) => {
      for (const earlier of (before.get(key) ?? []).reverse()) put(earlier);
      if (key) order.push(key);
    };
    for (const key of this.order) if (this.shapes.has(key) && !moved.has(key)) put(key);
    put("");
    this.order = order;
  }
}

const NUMBER = /-?\d+(?:\.\d+)?/g;

/** Keeps an <svg> like the current picture; shapes whose geometry has the same form glide. */
class Board {
  constructor(svg, film) {
    this.layer = drawn("g");
    const defs = drawn("defs");
    defs.innerHTML = film.defs; // the game's own patterns; nothing that a bot wrote
    svg.setAttribute("viewBox", `0 0 ${film.width} ${film.height}`);
    svg.append(defs, this.layer);
    this.svg = svg;
    this.parts = new Map();
    this.gliding = new Map();
  }

  show(picture, label, glideMs) {
    this.svg.setAttribute("aria-label", label);
    for (const [key, part] of this.parts) {
      if (picture.shapes.has(key)) continue;
      part.node.remove();
      this.parts.delete(key);
      this.gliding.delete(key);
    }
    const fresh = this.parts.size > 0;
    for (const key of picture.order) this.update(key, picture.shapes.get(key), glideMs, fresh);
    let next = null;
    for (let i = picture.order.length - 1; i >= 0; i--) {
      const { node } = this.parts.get(picture.order[i]);
      if (node.nextSibling !== next || !node.parentNode) this.layer.insertBefore(node, next);
      next = node;
    }
    if (this.gliding.size && !this.ticking) this.ticking = requestAnimationFrame((now) => this.tick(now));
  }

  update(key, shape, glideMs, fresh) {
    const part = this.parts.get(key);
    if (part?.shape === shape) return;
    if (!part || part.shape[1] !== shape[1]) {
      part?.node.remove();
      this.parts.set(key, { shape, node: this.make(shape, fresh && glideMs) });
      return;
    }
    const { node, shape: old } = part;
    part.shape = shape;
    if (old[3] !== shape[3]) node.setAttribute("class", shape[3]);
    if (old[4] !== shape[4]) node.firstChild ? (node.firstChild.data = shape[4]) : node.append(shape[4]);
    if (old[5] !== shape[5]) this.entitle(node, shape[5]);
    for (const [name, value] of Object.entries(shape[2])) {
      const from = node.getAttribute(name) ?? "";
      if (from === value) continue;
      const numbers = value.match(NUMBER) ?? [];
      if (glideMs && !calm.matches && from.replace(NUMBER, "#") === value.replace(NUMBER, "#")) {
        this.gliding.set(`${key}\n${name}`, { node, name, from: from.match(NUMBER).map(Number), to: numbers.map(Number), value, glideMs });
      } else {
        this.gliding.delete(`${key}\n${name}`);
        node.setAttribute(name, value);
      }
    }
    for (const name of Object.keys(old[2])) if (!(name in shape[2])) node.removeAttribute(name);
  }

  make([key, tag, attributes, classes, text, title], entering) {
    const node = drawn(tag, attributes);
    if (classes) node.setAttribute("class", classes);
    node.dataset.key = key;
    if (text) node.append(text);
    if (title) this.entitle(node, title);
    if (entering) {
      node.classList.add("entering");
      setTimeout(() => node.classList.remove("entering"), 300);
    }
    return node;
  }

  entitle(node, title) {
    node.querySelector("title")?.remove();
    if (!title) return;
    const made = drawn("title");
    made.textContent = title;
    node.append(made);
  }

  tick(now) {
    for (const [id, glide] of this.gliding) {
      glide.start ??= now;
      const done = Math.min(1, (now - glide.start) / glide.glideMs);
      if (done === 1) {
        glide.node.setAttribute(glide.name, glide.value);
        this.gliding.delete(id);
        continue;
      }
      const eased = done * done * (3 - 2 * done);
      let i = 0;
      const at = glide.value.replace(NUMBER, () => (glide.from[i] + (glide.to[i] - glide.from[i++]) * eased).toFixed(2));
      glide.node.setAttribute(glide.name, at);
    }
    this.ticking = this.gliding.size ? requestAnimationFrame((later) => this.tick(later)) : 0;
  }
}

/** The same shapes on a sphere that turns by dragging or with the arrow keys. */
class Globe {
  constructor(svg, places) {
    this.svg = svg;
    this.places = Object.entries(places);
    this.turned = { across: 0, up: 0.35 };
    this.layer = drawn("g");
    svg.append(drawn("circle", { class: "sea", r: 100 }), this.layer);
    svg.setAttribute("aria-label", "The board as a globe; drag it, or turn it with the arrow keys");
    svg.addEventListener("pointerdown", (event) => svg.setPointerCapture(event.pointerId));
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons) this.turn(event.movementX / 150, event.movementY / 150);
    });
    svg.addEventListener("keydown", (event) => {
      const turns = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] }[event.key];
      if (!turns) return;
      event.preventDefault();
      event.stopPropagation();
      this.turn(...turns);
    });
  }

  turn(across, up) {
    this.turned.across += across;
    this.turned.up = Math.max(-1.55, Math.min(1.55, this.turned.up + up));
    this.draw();
  }

  show(picture) {
    this.picture = { order: picture.order, shapes: new Map(picture.shapes) };
    this.draw();
  }

  project([x, y, z]) {
    const { across, up } = this.turned;
    const [sideways, towards] = [x * Math.cos(across) + z * Math.sin(across), z * Math.cos(across) - x * Math.sin(across)];
    return [100 * sideways, -100 * (y * Math.cos(up) - towards * Math.sin(up)), towards * Math.cos(up) + y * Math.sin(up)];
  }

  draw() {
    if (this.svg.hidden || !this.picture) return;
    const places = new Map(this.places);
    const [tiles, texts] = [[], []];
    for (const key of this.picture.order) {
      if (!places.has(key)) continue;
      const [, , , classes, text, title] = this.picture.shapes.get(key);
      const points = places.get(key).map((point) => this.project(point));
      const facing = points.reduce((sum, point) => sum + point[2], 0) / points.length;
      if (facing < (points.length > 1 ? 0.1 : 0.42)) continue;
      const node = points.length > 1
        ? drawn("polygon", { points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), class: classes, "vector-effect": "non-scaling-stroke" })
        : drawn("text", { x: 0.9 * points[0][0], y: 0.9 * points[0][1] + 2, class: classes, style: `font-size: ${classes.includes("lapilli-label") ? 5.5 : 9}px` });
      if (text) node.textContent = text;
      if (title) node.append(Object.assign(drawn("title"), { textContent: title }));
      node.dataset.key = key;
      (points.length > 1 ? tiles : texts).push(node);
    }
    this.layer.replaceChildren(...tiles, ...texts);
  }
}

// ---------------------------------------------------------------- the page

class Player {
  constructor(film) {
    this.film = film;
    this.at = -1;
    this.timer = 0;
    document.head.append(element("style", { textContent: film.style }));
    this.pictures = new Pictures(film.frames);
    this.board = new Board($("board"), film);
    this.globe = Object.keys(film.globe).length ? new Globe($("globe"), film.globe) : null;
    this.layOut();
    this.listen();
    this.seek(this.frameOfHash() ?? 0, false);
    $("player").removeAttribute("aria-busy");
  }

  // -- what stands still

  layOut() {
    const { film } = this;
    document.querySelector("h1").textContent = film.title;
    const end = film.outcome;
    const reason = end ? end.reason : film.cut || "The record stops before the end.";
    const culprit = end && end.culprit !== undefined && end.culprit !== null ? `${film.players[end.culprit].side}: ` : "";
    $("outcome").textContent = culprit + reason;
    $("seek").max = film.frames.length - 1;
    this.layOutViews();
    this.layOutMarks();
    this.layOutPlayers();
    this.layOutChart();
    this.layOutLog();
    this.layOutDebugs();
  }

  layOutViews() {
    if (!this.globe) return;
    const views = [["net", $("board")], ["globe", $("globe")]];
    const buttons = views.map(([name, svg]) => element("button", { textContent: name, onclick: () => choose(svg) }));
    const choose = (chosen) => views.forEach(([, svg], i) => {
      svg.toggleAttribute("hidden", svg !== chosen);
      buttons[i].setAttribute("aria-pressed", svg === chosen);
      this.globe.draw();
    });
    $("views").append(...buttons);
    $("views").hidden = false;
    choose($("board"));
  }

  layOutMarks() {
    const { frames, turns, outcome } = this.film;
    const last = Math.max(1, frames.length - 1);
    const mark = (at, kind, title) => {
      const line = drawn("line", { x1: at / last, x2: at / last, y1: 0, y2: 1, class: kind });
      line.append(Object.assign(drawn("title"), { textContent: title }));
      $("marks").append(line);
    };
    $("marks").setAttribute("viewBox", "0 0 1 1");
    frames.forEach((frame, i) => frame.mark && mark(i, "", `turn ${turns[frame.turn].turn}: ${frame.mark}`));
    for (const turn of turns) {
      for (const entry of turn.entries) {
        if (entry.fault) mark(turn.frames[1], entry.action === null ? "bad silent" : "bad", `turn ${turn.turn}: ${entry.fault}`);
        else if (entry.notes) mark(turn.frames[1], "noted", `turn ${turn.turn}: ${entry.notes[0]}`);
      }
    }
    if (outcome) mark(frames.length - 1, "end", "the end");
  }

  chip(player) {
    const { side } = this.film.players[player];
    return element("span", { className: `chip p${player}`, textContent: this.letter(player), title: side });
  }

  /** A side's initial where those differ, else its number. */
  letter(player) {
    const initials = this.film.players.map(({ side }) => side[0]);
    return new Set(initials).size === initials.length ? initials[player] : String(player);
  }

  layOutPlayers() {
    const { players, outcome } = this.film;
    const heads = ["player", "score", "ms"].map((text) => element("th", { textContent: text, scope: "col" }));
    this.scoreCells = [];
    this.timeCells = [];
    const rows = players.map(({ name, side }, player) => {
      const best = outcome && outcome.ranks[player] === 1;
      const score = element("td");
      const time = element("td", { title: "time used so far" });
      this.scoreCells.push(score);
      this.timeCells.push(time);
      const who = element("td", { className: best ? "best" : "" });
      who.append(element("span", { className: "who", title: name }, this.chip(player), name === side ? side : `${side}: ${name}`));
      if (best && outcome.ranks.filter((rank) => rank === 1).length === 1) who.append(" ", element("span", { className: "won", textContent: "winner" }));
      return element("tr", {}, who, score, time);
    });
    $("players").append(element("tr", {}, ...heads), ...rows);
  }

  layOutChart() {
    const { turns, gauge } = this.film;
    const high = Math.max(1, ...turns.flatMap((turn) => turn.gauge));
    const low = Math.min(0, ...turns.flatMap((turn) => turn.gauge));
    document.querySelector("#chart figcaption").append(element("span", { id: "worth" }), ` (at most ${high}; click to go there)`);
    this.plot(turns.map((turn) => turn.gauge), low, high, `${gauge} over time`);
  }

  /** A line for each player. The rows hold their values after each turn; where one is not known, the line goes on. */
  plot(rows, low, high, label) {
    const { turns, players } = this.film;
    const svg = document.querySelector("#chart svg");
    const x = (i) => (400 * i) / Math.max(1, turns.length - 1);
    const y = (value) => 106 - (102 * (value - low)) / (high - low);
    players.forEach((_, player) => {
      const known = rows.map((row, i) => [i, row[player]]).filter(([, value]) => value !== null);
      const points = known.map(([i, value]) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
      svg.append(drawn("polyline", { points, class: `p${player}` }));
    });
    this.needle = drawn("line", { y1: 0, y2: 110, class: "now" });
    svg.append(this.needle);
    this.chartX = x;
    this.chartY = y;
    svg.setAttribute("aria-label", label);
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      this.toTurn(Math.round(((event.clientX - box.left) / box.width) * (turns.length - 1)));
    });
  }

  layOutLog() {
    const list = document.querySelector("#log ol");
    this.rows = [];
    this.film.turns.forEach((turn, index) => {
      const entries = turn.entries.length ? turn.entries : [{ action: turn.event }];
      for (const entry of entries) {
        const bad = entry.fault ? "bad" : "";
        const cells = [
          element("span", { textContent: turn.turn }),
          entry.player === undefined ? element("span") : this.chip(entry.player),
          element("span", { className: bad, textContent: entry.action ?? "no reply" }),
          element("span", { textContent: entry.ms === undefined ? "" : `${entry.ms.toFixed(1)} ms` }),
        ];
        const text = searchable([turn.turn, entry.action ?? "no reply", entry.message, entry.stderr, entry.fault, ...(entry.notes ?? [])].join(" "));
        const row = element("li", {}, element("button", { onclick: () => this.toTurn(index) }, ...cells));
        this.rows.push({ row, index, text, player: entry.player });
        list.append(row);
      }
    });
    $("search").addEventListener("input", () => {
      const wanted = searchable($("search").value);
      for (const { row, text } of this.rows) row.hidden = !text.includes(wanted);
      $("nothing").hidden = this.rows.some(({ row }) => !row.hidden);
    });
  }

  layOutDebugs() {
    const has = new Set();
    for (const frame of this.film.frames) {
      for (const shape of [...(frame.changed ?? []), ...(frame.placed ?? []).map(([, placed]) => placed)]) {
        const found = shape[3].includes("lapilli-debug") && shape[3].match(/player-(\d)/);
        if (found) has.add(Number(found[1]));
      }
    }
    for (const player of [...has].sort()) {
      const box = element("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => $("stage").classList.toggle(`hide-debug-${player}`, !box.checked));
      $("debugs").append(element("label", {}, box, ` Debug drawings of ${this.film.players[player].side}`));
    }
  }

  // -- what people do

  listen() {
    const does = { first: () => this.seek(0), last: () => this.seek(this.film.frames.length - 1), back: () => this.stepTurn(-1), forward: () => this.stepTurn(1), play: () => this.toggle() };
    for (const [id, action] of Object.entries(does)) {
      $(id).addEventListener("click", () => {
        if (id !== "play") this.pause();
        action();
      });
    }
    $("seek").addEventListener("input", () => {
      this.pause();
      this.seek(Number($("seek").value), false);
    });
    const keys = { " ": "play", ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    document.addEventListener("keydown", (event) => {
      if (this.isForOthers(event)) return;
      if (event.key === "," || event.key === ".") {
        this.pause();
        this.seek(this.at + (event.key === "." ? 1 : -1));
      } else if (keys[event.key]) {
        event.preventDefault();
        $(keys[event.key]).click();
      }
    });
    // A click leaves no focus on what it pressed, so that the next space plays.
    document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur());
    addEventListener("hashchange", () => {
      const frame = this.frameOfHash();
      if (frame !== null && this.film.frames[this.at].turn !== this.film.frames[frame].turn) this.seek(frame, false);
    });
    const options = $("options");
    document.addEventListener("pointerdown", (event) => options.contains(event.target) || (options.open = false));
    document.addEventListener("keydown", (event) => event.key === "Escape" && (options.open = false));
    $("words").addEventListener("toggle", () => this.spellOut());
    $("enlarge").addEventListener("click", () => {
      const large = $("stage").classList.toggle("enlarged");
      $("enlarge").setAttribute("aria-pressed", large);
    });
    $("labels").addEventListener("change", () => $("stage").classList.toggle("hide-labels", !$("labels").checked));
    $("lastmove").addEventListener("change", () => $("stage").classList.toggle("hide-last", !$("lastmove").checked));
    $("theme").addEventListener("change", () => {
      if ($("theme").value) document.documentElement.dataset.theme = $("theme").value;
      else delete document.documentElement.dataset.theme;
    });
    $("stage").addEventListener("pointerover", (event) => this.point(event.target.dataset?.key));
    $("stage").addEventListener("pointerleave", () => this.point(null));
  }

  /** Whether a key is not for the page: whoever writes, chooses from a list or scrolls a text keeps the keys; space
   * presses what Tab has reached. */
  isForOthers({ ctrlKey, metaKey, altKey, key, target }) {
    if (ctrlKey || metaKey || altKey) return true;
    if (target.matches("input[type=search], select, textarea, pre, .what")) return true;
    return key === " " && target.matches("button, summary, input[type=checkbox]");
  }

  /** What the board shows. */
  picture() {
    return this.pictures.seek(this.at);
  }

  /** The board in words, for those who cannot point at it. */
  spellOut() {
    if (!$("words").open) return;
    const picture = this.picture();
    const words = picture.order.map((key) => picture.shapes.get(key)[5] || picture.shapes.get(key)[4]);
    $("words").querySelector("ul").replaceChildren(...[...new Set(words)].filter((text) => text.length > 2).map((text) => element("li", { textContent: text })));
  }

  /** Lights up what belongs to the shape somebody points at. */
  point(key) {
    for (const node of $("stage").querySelectorAll(".near, .pointed")) node.classList.remove("near", "pointed");
    const linked = key && this.film.links[key];
    if (!linked) return;
    const light = (which, name) => {
      for (const node of $("stage").querySelectorAll(`[data-key="${CSS.escape(which)}"]`)) node.classList.add(name);
    };
    light(key, "pointed");
    for (const other of linked) light(other, "near");
  }

  frameOfHash() {
    const found = location.hash.match(/^#turn=(\d+)$/);
    if (!found) return null;
    const turn = this.film.turns.find((one) => one.turn === Number(found[1]));
    return turn ? turn.frames[1] : null;
  }

  toTurn(index) {
    this.pause();
    this.seek(this.film.turns[index].frames[1]);
  }

  stepTurn(by) {
    const { turns, frames } = this.film;
    const turn = frames[this.at].turn;
    const midway = by > 0 && this.at < turns[turn].frames[1];
    const next = Math.max(0, Math.min(turns.length - 1, midway ? turn : turn + by));
    this.seek(turns[next].frames[1]);
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.at === this.film.frames.length - 1) this.seek(0, false);
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", "Pause");
    this.schedule();
  }

  schedule() {
    this.timer = setTimeout(() => {
      this.seek(this.at + 1);
      if (this.at < this.film.frames.length - 1) this.schedule();
      else this.pause();
    }, this.interval());
  }

  interval() {
    return 900 / Number($("speed").value);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", "Play");
  }

  // -- what moves

  seek(number, glide = true) {
    const { frames, turns } = this.film;
    const at = Math.max(0, Math.min(frames.length - 1, number));
    if (at === this.at) return;
    this.at = at;
    const frame = frames[at];
    const turn = turns[frame.turn];
    const picture = this.pictures.seek(at);
    this.board.show(picture, frame.label, glide ? Math.min(450, 0.6 * this.interval()) : 0);
    this.globe?.show(picture);
    $("caption").setAttribute("aria-live", this.timer ? "off" : "polite");
    $("caption").textContent = frame.caption;
    if ($("words").open) this.spellOut();
    $("seek").value = at;
    $("seek").setAttribute("aria-valuetext", `turn ${turn.turn}: ${frame.caption}`);
    $("counter").textContent = `turn ${turn.turn} of ${turns.at(-1).turn}`;
    if (this.shownTurn !== frame.turn) this.showTurn(frame.turn);
  }

  showTurn(index) {
    this.shownTurn = index;
    const { turns, players } = this.film;
    const turn = turns[index];
    const used = players.map(() => 0);
    for (const past of turns.slice(0, index + 1)) for (const entry of past.entries) used[entry.player] += entry.ms ?? 0;
    this.showScores(this.scores(index));
    this.timeCells.forEach((cell, player) => (cell.textContent = used[player].toFixed(used[player] < 100 ? 1 : 0)));
    $("worth").textContent = this.worth(index);
    this.needle.setAttribute("x1", this.chartX(index));
    this.needle.setAttribute("x2", this.chartX(index));
    for (const { row, index: its } of this.rows) {
      row.classList.toggle("current", its === index);
      if (its === index) row.firstChild.setAttribute("aria-current", "true");
      else row.firstChild.removeAttribute("aria-current");
    }
    requestAnimationFrame(() => this.scrollLog());
    $("now").replaceChildren(element("h2", { textContent: turn.turn ? `Turn ${turn.turn}` : "The start" }), ...this.told(turn));
    if (turn.turn || location.hash) this.link(turn.turn);
  }

  scores(index) {
    const { turns, outcome } = this.film;
    return outcome && index === turns.length - 1 ? outcome.scores : turns[index].scores;
  }

  showScores(scores) {
    this.scoreCells.forEach((cell, player) => (cell.textContent = scores[player]));
  }

  /** What the chart shows at a turn, in words. */
  worth(index) {
    const { turns, players, gauge } = this.film;
    return `${gauge}: ${players.map(({ side }, player) => `${side} ${turns[index].gauge[player]}`).join(", ")}`;
  }

  /** Lets the address lead to this turn; a page within a notebook has no address of its own. */
  link(turn) {
    try {
      history.replaceState(null, "", `#turn=${turn}`);
    } catch {
      // nothing is lost
    }
  }

  scrollLog() {
    const current = this.rows.find(({ index }) => index === this.shownTurn)?.row;
    const list = current?.parentNode;
    if (list) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  told(turn) {
    const asked = Object.keys(turn.inputs).map(Number);
    const entries = turn.entries.length || !asked.length ? turn.entries : asked.map((player) => ({ player, action: null }));
    if (!entries.length) return [element("p", { textContent: turn.event })];
    return entries.map((entry) => this.part(entry, turn));
  }

  /** A player's part in a turn. */
  part(entry, turn) {
    const head = element("div", {}, this.chip(entry.player), this.film.players[entry.player].side, " ");
    if (entry.ms !== undefined) head.append(element("span", { className: "ms", textContent: `${entry.ms.toFixed(1)} ms ` }));
    const input = turn.inputs[entry.player];
    if (input !== undefined) head.append(this.copier(input));
    const part = element("article", {}, head);
    part.append(element("div", { className: "what", textContent: entry.action ?? "no reply" }));
    if (entry.usage) part.append(element("div", { className: "note", textContent: entry.usage }));
    if (entry.fault) part.append(element("div", { className: "fault", textContent: entry.fault }));
    for (const note of entry.notes ?? []) part.append(element("div", { className: "note", textContent: note }));
    if (entry.message) part.append(element("div", { className: "message", textContent: `“${entry.message}”` }));
    if (entry.stderr) part.append(element("pre", { textContent: entry.stderr, title: "stderr", tabIndex: 0 }));
    return part;
  }

  copier(text) {
    const button = element("button", { textContent: "copy input", title: "Copy what this bot was sent this turn" });
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
      setTimeout(() => (button.textContent = "copy input"), 1200);
    });
    return button;
  }
}
