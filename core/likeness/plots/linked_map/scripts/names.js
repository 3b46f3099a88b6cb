// Names on a map: of clusters, coarse or fine depending on the zoom, or of the groups of the colors.

const DEEPER = 1.75; // zoom by which the next depth is shown: its clusters are a third as large
const NAME_LINE = 22; // px
const MOST_NAMES = 60; // elements in a map at a time
const HALF = 0.5; // share of a cluster's images in finer ones with names, from which on these stand for it

/** The depth whose clusters are large enough to be named at a zoom. */
function depthAt(zoom, depths) {
  return Math.max(0, Math.min(depths - 1, Math.floor(Math.log(Math.max(zoom, 1e-6)) / Math.log(DEEPER))));
}

/** Of `entries` {depth, cluster, parent, name, count, ...} those to show at a depth, the largest first: its own, and a coarser one where these leave more than half of it unnamed. */
function namesAtDepth(entries, depth) {
  const byPlace = new Map(entries.map((entry) => [`${entry.depth} ${entry.cluster}`, entry]));
  const covered = new Map(); // entry -> images in finer ones with names
  const left = [];
  for (const entry of [...entries].sort((a, b) => b.depth - a.depth)) {
    if (entry.depth > depth) continue;
    const isOwn = entry.name && (covered.get(entry) ?? 0) < HALF * entry.count;
    if (isOwn) left.push(entry);
    const above = byPlace.get(`${entry.depth - 1} ${entry.parent}`);
    if (above) covered.set(above, (covered.get(above) ?? 0) + (isOwn ? entry.count : (covered.get(entry) ?? 0)));
  }
  return left.sort((a, b) => b.count - a.count);
}

/** Of boxes {x, y, width} of one line, the first ones first, those that cover none of the ones before. */
function withoutOverlap(boxes, line = NAME_LINE) {
  const kept = [];
  for (const box of boxes) {
    if (kept.every((other) => Math.abs(other.x - box.x) >= (other.width + box.width) / 2 || Math.abs(other.y - box.y) >= line)) kept.push(box);
  }
  return kept;
}

class Names {
  constructor(panel) {
    this.panel = panel;
    this.root = make("div", { className: "lm-names" });
    this.root.setAttribute("role", "group");
    this.root.addEventListener("keydown", (event) => this.go(event));
    this.entries = [];
    this.buttons = new Map(); // name -> button, those of entries that have been shown
    this.boxes = [];
  }

  /** Takes what Python sent for this map: {kind, entries, labels}, or null. */
  take(described) {
    const text = described && described.id;
    if (text === this.text) return;
    this.text = text;
    this.kind = described?.kind;
    this.labels = described?.labels;
    this.entries = described?.entries ?? [];
    this.depths = 1 + this.entries.reduce((most, { depth }) => Math.max(most, depth), 0);
    this.sizes = null;
    this.buttons.clear();
    this.root.replaceChildren();
    this.root.setAttribute("aria-label", this.kind === "groups" ? "Names of groups" : "Names of clusters");
  }

  /** Places the names in the view; after a pan they are only moved. */
  draw() {
    const { panel } = this;
    this.root.hidden = !this.entries.length || Boolean(panel.morph);
    if (this.root.hidden) {
      this.boxes = [];
      return;
    }
    const { scale, x0, y0 } = panel.transform();
    const key = `${this.text} ${scale} ${panel.width} ${this.countsKey()}`;
    if (key !== this.key) this.layOut(scale);
    this.key = key;
    const inside = this.kept.map((box) => this.moved(box, x0, y0)).filter(Boolean).slice(0, MOST_NAMES);
    this.boxes = withoutOverlap(inside);
    this.show();
  }

  countsKey() {
    return this.kind === "groups" ? this.panel.host.left.join() : "";
  }

  /** The names that fit at a scale, independent of the pan, so that none appears or disappears while the map moves. */
  layOut(scale) {
    const { host, view } = this.panel;
    const usable = this.entries.filter(({ cluster }) => this.kind !== "groups" || host.left[cluster] > 0);
    const wanted = namesAtDepth(usable, depthAt(view.zoom, this.depths));
    this.kept = withoutOverlap(wanted.map((entry) => ({ entry, x: scale * entry.x, y: -scale * entry.y, width: this.widthOf(entry) })));
  }

  /** A box on the screen, pushed inside where the rim would cut it; null where its place is out of sight. */
  moved({ entry, x, y, width }, x0, y0) {
    const [px, py] = [x0 + x, y0 + y];
    if (px < 0 || py < 0 || px > this.panel.width || py > this.panel.height) return null;
    const clampTo = (value, half, room) => (room > 2 * half ? Math.min(room - half, Math.max(half, value)) : room / 2);
    return { entry, width, x: clampTo(px, width / 2 + 2, this.panel.width), y: clampTo(py, NAME_LINE / 2 + 2, this.panel.height) };
  }

  widthOf({ name }) {
    if (!this.sizes) {
      this.sizes = new Map();
      this.ink = document.createElement("canvas").getContext("2d");
      this.ink.font = `600 12.5px ${getComputedStyle(this.root).fontFamily || "sans-serif"}`;
    }
    if (!this.sizes.has(name)) this.sizes.set(name, Math.min(this.ink.measureText(name).width, 180) + 18);
    return this.sizes.get(name);
  }

  show() {
    const shown = new Set();
    for (const box of this.boxes) {
      const button = this.button(box);
      button.style.transform = `translate(${Math.round(box.x - box.width / 2)}px, ${Math.round(box.y - NAME_LINE / 2)}px)`;
      shown.add(button);
    }
    const current = [...shown].find((button) => button.tabIndex === 0) ?? shown.values().next().value;
    for (const button of this.buttons.values()) {
      if (button.hidden === shown.has(button)) button.hidden = !shown.has(button);
      const index = button === current ? 0 : -1;
      if (button.tabIndex !== index) button.tabIndex = index;
    }
  }

  /** A name as a button for keys; the pointer goes through it to the map, which calls `at`. */
  button({ entry, width }) {
    const id = `${entry.depth} ${entry.cluster}`;
    if (!this.buttons.has(id)) {
      const button = make("button", { className: "lm-map-name", type: "button", textContent: entry.name, tabIndex: -1, onclick: (event) => this.panel.host.selectNamed(this.panel, entry, event.shiftKey ? "add" : "replace") });
      button.setAttribute("aria-label", `${entry.name}, ${whole(entry.count)} ${this.panel.host.noun}: select`);
      button.style.width = `${Math.ceil(width)}px`;
      this.buttons.set(id, button);
      this.root.append(button);
    }
    return this.buttons.get(id);
  }

  /** Arrow keys go from name to name. */
  go(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const order = [...this.boxes].sort((a, b) => a.y - b.y || a.x - b.x).map((box) => this.button(box));
    if (!step || !order.length) return;
    event.preventDefault();
    event.stopPropagation();
    const next = order[(order.indexOf(event.target) + step + order.length) % order.length];
    for (const button of order) button.tabIndex = button === next ? 0 : -1;
    next.focus({ preventScroll: true });
  }

  /** The entry whose name covers a place in CSS px; null for none. */
  at([x, y]) {
    return this.boxes.find((box) => Math.abs(box.x - x) <= box.width / 2 && Math.abs(box.y - y) <= NAME_LINE / 2)?.entry ?? null;
  }

  /** The numbers (n,) that say which rows an entry names: those of its depth, or the codes of the colors. */
  async numbers({ depth }) {
    const { host } = this.panel;
    return this.kind === "groups" ? host.codes : loadPart(this.labels[depth], host.source);
  }
}
