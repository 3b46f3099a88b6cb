// Actions on a map: query, selection, view. LinkedMap draws the result and sends it to Python.

const ANNOUNCE_MS = 200;

class MapActions {
  toggleQuery(row) {
    this.query = row === this.query ? null : row;
    this.neighbors = null; // of the old query; Python sends the new ones
    this.say(this.query === null ? "No query" : `Query: image ${row + 1}`);
    this.toolbar.refresh();
    this.schedule();
    this.emit("query");
  }

  /** Opens the large picture of an image; false if the page has no viewer. */
  openLarge(row) {
    const { thumbnails } = this.source ?? {};
    return Boolean(thumbnails) && !dispatchEvent(new CustomEvent("likeness-open", { detail: { row, rows: [row], thumbnails }, cancelable: true }));
  }

  select(mask, how) {
    this.keepSelection(combineRows(this.selected, mask, how));
    this.say(this.selected ? `${countRows(this.selected)} selected` : "Nothing selected");
    this.refresh();
    this.emit("selection");
  }

  clear() {
    const changed = [this.selected && "selection", this.query !== null && "query"].filter(Boolean);
    this.keepSelection(null);
    this.query = null;
    this.refresh();
    if (changed.length) this.emit(...changed);
  }

  /** Undoes the first of these that there is: the unfinished shape, the selection, the query, the legend. */
  escape(event) {
    event.stopPropagation();
    const drawing = this.panels.find((panel) => panel.drag);
    if (drawing) cancelDrag(drawing);
    else if (this.selected) this.select(new Uint8Array(this.n), "replace");
    else if (this.query !== null) this.toggleQuery(this.query);
    else if (this.active) this.setActive(null);
  }

  setMode(mode) {
    this.mode = mode;
    this.root.dataset.mode = mode;
    this.toolbar.refresh();
  }

  setActive(active) {
    this.active = active;
    this.refresh();
  }

  resetView() {
    for (const panel of this.panels) panel.view?.reset();
    this.toolbar.refresh();
    this.repaint();
  }

  viewChanged() {
    this.toolbar.buttons.get("reset").disabled = this.panels.every((panel) => panel.view?.atHome ?? true);
  }

  say(text) {
    this.live.textContent = text;
  }

  /** Sends the current state to Python. */
  emit(...kinds) {
    this.send("edit", this.edits.next(kinds, { n: this.n, selected: this.selectedText, query: this.query }));
  }

  /** Zooms both maps around their centers. */
  zoomAll(factor) {
    for (const panel of this.panels) panel.view?.zoomAt(factor, panel.width / 2, panel.height / 2, panel.width, panel.height);
    for (const panel of this.panels) panel.changed();
    if (this.panels[0]?.view) this.sayZoom(this.panels[0]);
  }

  zoomToSelection() {
    if (!this.selected) {
      this.say("Nothing is selected");
      return;
    }
    for (const panel of this.panels) {
      const box = panel.target && boxAround(panel.target, this.selected);
      if (box) panel.view.frame(box, panel.width, panel.height);
      panel.changed();
    }
    this.say(`Zoomed to ${whole(countRows(this.selected))} selected`);
  }

  selectInSight(panel, how) {
    const mask = new Uint8Array(this.n);
    for (const row of rowsInBox(panel.grid, panel.sight())) mask[row] = this.shown[row];
    this.select(mask, how);
  }

  /** Selects the images of a name on a map. */
  async selectNamed(panel, entry, how) {
    const numbers = await panel.names.numbers(entry).catch(() => null);
    if (numbers?.length !== this.n) return;
    const mask = new Uint8Array(this.n);
    for (let i = 0; i < this.n; i++) if (numbers[i] === entry.cluster) mask[i] = this.shown[i];
    this.select(mask, how);
    this.say(`${entry.name}: ${this.selected ? `${whole(countRows(this.selected))} selected` : "nothing selected"}`);
  }

  togglePictures() {
    this.picturesOn = !this.picturesOn;
    this.say(this.picturesOn ? "Pictures on the map where few points are visible" : "No pictures on the map");
    this.toolbar.refresh();
    this.schedule();
  }

  sayZoom(panel) {
    const count = panel.target ? rowsInBox(panel.grid, panel.sight()).length : 0;
    this.say(`Zoom ${panel.view.zoom.toFixed(1)}, ${whole(count)} ${this.noun} visible`);
  }

  /** Announces the image that a key or a finger has reached. */
  announce(row) {
    clearTimeout(this.announceTimer);
    this.announceTimer = setTimeout(async () => {
      const found = this.source.describes ? await this.source.describe(row).catch(() => null) : null;
      if (this.hovered !== row) return;
      const attributes = Object.entries(found?.attributes ?? this.knownAttributes(row)).slice(0, 4).map(([name, value]) => `${plainName(name)} ${value}`);
      this.say([found?.label ?? `Image ${row + 1}`, ...attributes, this.selected?.[row] && "selected", this.query === row && "the query"].filter(Boolean).join(", "));
    }, ANNOUNCE_MS);
  }

  /** The colored range, as shares of the whole scale. */
  rangeOf(coloring) {
    return (coloring.codes?.id === this.coloring?.codes?.id && this.range) || [0, 1];
  }

  /** Spreads the colors over a part of the numbers; those outside of it become gray. */
  setRange(from, to) {
    this.spread = this.spreadColors(from, to);
  }

  async spreadColors(from, to) {
    const { coloring } = this;
    this.range = [from, to];
    const [shares, codes] = await Promise.all([coloring.values, coloring.codes].map((part) => loadPart(part, this.source)));
    if (coloring.codes.id !== this.coloring.codes?.id || this.range?.[0] !== from || this.range[1] !== to) return; // a newer request has finished first
    const isWhole = from <= 0 && to >= 1;
    if (isWhole) this.range = null;
    Object.assign(this, isWhole ? { codes, outside: 0 } : rangeCodes(shares, from, to, coloring.colors.length - 1));
    this.refresh();
  }

  async sayRange() {
    await this.spread;
    const { low, high } = this.coloring;
    const [from, to] = (this.range ?? [0, 1]).map((share) => low + share * (high - low));
    this.send("colored", this.range ? { low: from, high: to } : {});
    this.say(`Colored from ${short(from)} to ${short(to)}${this.outside ? `, ${whole(this.outside)} outside, in gray` : ""}`);
  }
}
