// The maps of a component: state from Python, actions of a person, and drawing once per frame.

const instances = new WeakMap();

class LinkedMap extends MapActions {
  constructor(parent) {
    super();
    this.root = parent.querySelector(".lm");
    this.holder = this.root.querySelector(".lm-panels");
    this.panels = [];
    this.n = 0;
    this.mode = "pan";
    this.selected = null; // one byte per row, and the same as it is sent
    this.selectedText = null;
    this.version = 0; // of the points' look
    this.query = null;
    this.hovered = -1;
    this.picturesOn = true; // at their points, where few are visible
    this.active = null; // classes shown alone, or null for all
    this.edits = new Edits();
    this.toolbar = new Toolbar(this.root.querySelector(".lm-bar"), this);
    this.legend = new Legend(this.root.querySelector(".lm-legend"), this);
    this.card = new Card(this.root.querySelector(".lm-card"), this);
    this.live = this.root.querySelector(".lm-live");
    this.shortcuts = new Shortcuts(this.root);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.holder);
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.escape(event));
  }

  /** Applies the data from Python: at the start, and whenever it or the theme has changed. */
  async update({ data, setTriggerValue, source = new ServerSource(data) }) {
    this.send = setTriggerValue;
    this.source = source;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    try {
      const arrays = await twice(() => Promise.all([data.coloring.codes, ...data.panels.map((panel) => panel.positions)].map((part) => part && loadPart(part, source))));
      if (turn === this.turn) this.take(data, arrays);
    } catch (error) {
      if (turn === this.turn) this.fail(error);
    }
  }

  take(data, [codes, ...positions]) {
    const fresh = data.identity !== this.identity || data.n !== this.n;
    Object.assign(this, { n: data.n, identity: data.identity, noun: data.noun, renderer: data.renderer });
    if (fresh || data.dimmed !== this.dimmedText) this.dimmed = unpackRows(data.dimmed, data.n);
    this.dimmedText = data.dimmed;
    if (fresh) this.active = null;
    this.takeColoring(data.coloring, codes);
    if (this.edits.answered(data.seen) || fresh) {
      if (fresh || data.selected !== this.selectedText) this.keepSelection(unpackRows(data.selected, data.n), data.selected);
      this.query = data.query;
    }
    this.neighbors = data.query === this.query ? data.neighbors : null;
    this.theme = readTheme(this.root);
    this.takePanels(data.panels, positions, fresh);
    this.root.dataset.state = "ready";
    this.root.classList.toggle("lm-dark", this.theme.dark);
    this.refresh();
  }

  takePanels(described, positions, fresh) {
    while (this.panels.length < described.length) this.panels.push(new Panel(this, this.panels.length));
    for (const gone of this.panels.splice(described.length)) gone.forget();
    const roots = this.panels.map((panel) => panel.root);
    if (roots.length !== this.holder.children.length || roots.some((root, i) => root !== this.holder.children[i])) this.holder.replaceChildren(...roots);
    this.root.dataset.panels = described.length;
    described.forEach((panel, i) => {
      this.panels[i].describe(panel);
      this.panels[i].place(panel.positions.id, positions[i], panel.home, !fresh);
    });
    this.resized();
  }

  takeColoring(coloring, codes) {
    if (coloring.label !== this.coloring?.label || coloring.kind !== this.coloring?.kind) this.active = null;
    const isSame = coloring.codes?.id === this.coloring?.codes?.id;
    this.coloring = coloring;
    this.coloringLabel = coloring.label;
    if (isSame && this.range) return; // a person chose the range of the colors
    this.range = null;
    this.outside = 0;
    this.codes = codes;
    if (!isSame) this.colorAsAsked(coloring);
  }

  /** The range of a link or the session, in values. */
  colorAsAsked({ colored, values, low, high }) {
    if (!colored || !values || !(high > low)) return;
    const [from, to] = colored.map((value) => Math.min(1, Math.max(0, (value - low) / (high - low))));
    if (from < to) this.setRange(from, to);
  }

  keepSelection(mask, text = packRows(mask)) {
    this.selected = mask;
    this.selectedText = text;
  }

  /** Updates all that depends on selection, filter, legend and theme. */
  refresh() {
    const { kind, gray } = this.coloring;
    if (this.countedOf !== this.codes || this.countedFor !== this.dimmed) {
      Object.assign(this, { countedOf: this.codes, countedFor: this.dimmed });
      this.countLeft();
    }
    const used = this.usedColors();
    this.legend.show(this.coloring);
    const { background, text } = this.theme;
    const seen = [this.identity, this.n, this.selectedText, this.dimmedText, this.active && [...this.active].join(), this.codes, kind, used.join(), background.join(), text.join()];
    if (seen.some((value, i) => value !== this.seen?.[i])) {
      this.seen = seen;
      this.takeColors(used.map((color) => parseColor(color)), kind, used.map((color) => (color === gray ? 1 : 0)));
      this.findRoles();
      this.version++;
      this.repaint();
    }
    this.legend.refresh(this.colors, this.active, this.theme, kind, this.left, this.selected && this.pickedCounts());
    this.toolbar.refresh();
    this.schedule();
  }

  takeColors(colors, kind, under) {
    this.colors = colors;
    this.table = colorTable(colors, this.theme, kind, under);
    this.inks = inkTable(colors, this.theme, kind, under);
  }

  /** The coloring's colors; gray classes that are shown alone, or left by a filter, borrow free colors, the largest first. */
  usedColors() {
    const { kind, colors, names, gray, legend } = this.coloring;
    if (kind !== "category" || !(this.active || this.dimmed)) return colors;
    const isShown = (code) => (this.active ? this.active.has(code) : this.left[code] > 0);
    const taken = new Set(colors.filter((_, code) => isShown(code)));
    const free = [...new Set(colors)].filter((color) => color !== gray && !taken.has(color));
    const used = [...colors];
    const borrowing = legend.filter((code) => isShown(code) && colors[code] === gray && names[code] !== this.coloring.missing);
    for (const code of borrowing.sort((a, b) => this.left[b] - this.left[a])) if (free.length) used[code] = free.shift();
    return used;
  }

  /** Number of unfiltered rows of each class. */
  countLeft() {
    this.left = new Array(this.coloring.colors.length).fill(0);
    if (this.codes) for (let i = 0; i < this.n; i++) if (!this.dimmed?.[i]) this.left[this.codes[i]]++;
  }

  /** shown (can be selected) and the role of each row: full where it is shown and, if there is a selection, in it. */
  findRoles() {
    const { n, dimmed, active, codes, selected } = this;
    const on = Uint8Array.from(this.colors, (_, code) => (!active || active.has(code) ? 1 : 0));
    this.shown = new Uint8Array(n);
    this.roles = new Uint8Array(n);
    const seen = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const shown = !(dimmed && dimmed[i]) && on[codes ? codes[i] : 0];
      this.shown[i] = shown ? 1 : 0;
      this.roles[i] = !shown ? FADED : !selected ? NORMAL : selected[i] ? PICKED : FADED;
      seen[this.roles[i]]++;
    }
    this.has = { hasFaded: seen[FADED] > 0, hasNormal: seen[NORMAL] > 0, hasPicked: seen[PICKED] > 0, front: n - seen[FADED] };
  }

  /** Selected rows of each class. */
  pickedCounts() {
    const counts = new Array(this.coloring.colors.length).fill(0);
    if (this.codes) for (let i = 0; i < this.n; i++) if (this.roles[i] === PICKED) counts[this.codes[i]]++;
    return counts;
  }

  repaint() {
    for (const panel of this.panels) panel.dirty = true;
    this.schedule();
  }

  resized() {
    for (const panel of this.panels) {
      if (panel.stage.clientWidth !== panel.width || panel.stage.clientHeight !== panel.height || devicePixelRatio !== panel.ratio) panel.resize();
    }
    this.schedule(true);
  }

  /** Draws at the next frame; at once after a resize, which has emptied the canvas. */
  schedule(now = false) {
    if (now && this.roles) this.frame(performance.now());
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((time) => {
      this.waiting = false;
      this.frame(time);
    });
  }

  frame(time) {
    if (!this.roles) return;
    let more = false;
    for (const panel of this.panels) {
      more = panel.step(time) || more;
      more = panel.draw(this.scene) || more;
    }
    this.root.dataset.drawn = !more;
    if (more) this.schedule();
  }

  /** What renderers draw, except the positions. */
  get scene() {
    const { roles, codes, table, inks, version, theme } = this;
    return { roles, codes, table, inks, version, background: packColor(theme.background), ...this.has };
  }

  hover(row, panel) {
    if (row !== this.hovered) {
      this.hovered = row;
      this.schedule();
    }
    this.root.classList.toggle("lm-pointing", row >= 0);
    this.card.show(row, panel);
  }

  /** What the coloring says about a row, without a request to the server. */
  knownAttributes(row) {
    const { coloring, codes } = this;
    return coloring.names && codes ? { [coloring.label]: coloring.names[codes[row]] } : {};
  }

  fail(error) {
    this.root.dataset.state = "failed";
    this.say(error.message);
  }

  close() {
    this.observer.disconnect();
    for (const panel of this.panels) panel.forget();
    this.shortcuts.close();
    clearTimeout(this.card.timer);
  }
}

/** A second try after a moment: a part may be asked for just before the server has it. */
const twice = (load) => load().catch(() => new Promise((done) => setTimeout(done, 400)).then(load));

/** Builds or updates the map in `parentElement` from `component`; returns a function that removes it. */
function showMap(component) {
  const { parentElement } = component;
  const fresh = !instances.get(parentElement)?.root.isConnected;
  if (fresh) instances.set(parentElement, new LinkedMap(parentElement));
  const map = instances.get(parentElement);
  map.update(component);
  return () => {
    map.close();
    instances.delete(parentElement);
  };
}
