// Sections of equal tiles. Tiles are kept between calls and updated in place, so that nothing flickers.

const galleries = new WeakMap();
const rowURL = (template, row) => template.replace("{row}", row);
const inOrder = (rows) => [...rows].sort((a, b) => a - b).join();
const OPEN = "likeness-open"; // opens a large picture in the page's viewer, if it has one
const TICK_MS = 250; // quick ticks are sent together
const PATIENCE_MS = 5000; // until the server must have received them
const HEARD = ["keydown", "pointerdown"];
const TICKING = [" ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Shift", "Control", "Meta"]; // keys
const whole = (number) => number.toLocaleString("en-US");

class Gallery {
  constructor(parent) {
    this.root = parent.querySelector(".ga");
    this.sections = [];
    this.selected = new Set();
    this.waiting = this.sent = null;
    this.hear = (event) => this.waiting && !this.ticksOn(event) && this.send();
    for (const kind of HEARD) addEventListener(kind, this.hear, true);
  }

  /** Opens a picture in the viewer, with those of its section before and after it, and what found them; false if the page has no viewer. */
  open(row, { rows, ranked }) {
    return !dispatchEvent(new CustomEvent(OPEN, { detail: { row, rows, thumbnails: this.data.thumbnails, of: this.data.query ?? (ranked ? "query" : undefined) }, cancelable: true }));
  }

  close() {
    this.forgetTicks();
    for (const kind of HEARD) removeEventListener(kind, this.hear, true);
  }

  /** Whether an event may continue ticking; others may act on the ticks, which are sent first. */
  ticksOn(event) {
    return event.composedPath().includes(this.root) && (event.type === "pointerdown" || TICKING.includes(event.key));
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.click = (row) => setTriggerValue("click", { row, id: Math.random() });
    this.add = (row) => setTriggerValue("add", { row, id: Math.random() });
    this.select = (rows) => setTriggerValue("select", { rows, id: Math.random() });
    const shown = JSON.stringify(data.sections.map(({ rows }) => rows));
    if (shown !== this.shown) this.forgetTicks(); // those of other pictures
    this.shown = shown;
    this.takeTicks(data.selected ?? []);
    this.root.classList.toggle("ga-ticking", this.selected.size > 0);
    this.answer = (section, row, alike) => setTriggerValue("answer", { section, row, alike, id: Math.random() });
    this.root.dataset.layout = data.layout;
    this.root.classList.toggle("ga-acts", data.acts_on_click || data.ticks_by_click);
    this.root.style.setProperty("--tile", `${data.tile}px`);
    while (this.sections.length < data.sections.length) this.sections.push(new SectionView(this));
    for (const section of this.sections.splice(data.sections.length)) section.root.remove();
    data.sections.forEach((described, i) => {
      if (this.sections[i].root.parentNode !== this.root) this.root.append(this.sections[i].root);
      this.sections[i].place = i;
      this.sections[i].show(described);
    });
  }

  /** The server's ticks, unless it has not received the last ones yet. */
  takeTicks(rows) {
    const isHeard = !this.sent || this.sent === inOrder(rows) || performance.now() > this.patience;
    if (this.waiting || !isHeard) return;
    this.sent = null;
    this.selected = new Set(rows);
  }

  /** Drops ticks that the server has not received. */
  forgetTicks() {
    clearTimeout(this.waiting);
    this.waiting = this.sent = null;
  }

  /** A click on a tick, or with Ctrl, changes one; with Shift it ticks all since the last one. */
  change(view, place, through) {
    const rows = view.section.rows;
    const verb = through || !this.selected.has(rows[place]) ? "add" : "delete";
    const from = through && view.ticked !== undefined ? view.ticked : place;
    for (let i = Math.min(from, place); i <= Math.max(from, place); i++) this.selected[verb](rows[i]);
    view.ticked = place;
    this.root.classList.toggle("ga-ticking", this.selected.size > 0);
    for (const each of this.sections) for (const tile of each.tiles) tile.showTick();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.send(), TICK_MS);
  }

  send() {
    clearTimeout(this.waiting);
    this.waiting = null;
    this.sent = inOrder([...this.selected]);
    this.patience = performance.now() + PATIENCE_MS;
    this.select([...this.selected]);
  }
}

class SectionView {
  constructor(gallery) {
    this.gallery = gallery;
    this.title = make("span", { className: "ga-title" });
    this.count = make("span", { className: "ga-count" });
    this.note = make("div", { className: "ga-note" });
    this.legend = make("div", { className: "ga-note ga-legend" });
    this.grid = make("div", { className: "ga-grid" });
    this.more = make("button", { className: "ga-more", type: "button", onclick: () => this.extend() });
    this.head = make("div", { className: "ga-head" }, this.title, this.count);
    this.root = make("section", { className: "ga-section" }, this.head, this.note, this.legend, this.grid, this.more);
    this.tiles = [];
  }

  show(section) {
    const rows = section.rows.join();
    if (rows !== this.rows) [this.limit, this.ticked] = [this.gallery.data.page, undefined];
    this.rows = rows;
    this.section = section;
    this.root.setAttribute("aria-label", section.title);
    this.title.textContent = section.title;
    this.head.hidden = !section.title;
    this.count.textContent = section.ranked ? "" : whole(section.rows.length);
    this.note.textContent = section.rows.length ? section.note : section.empty;
    this.note.hidden = !this.note.textContent;
    this.showLegend(section);
    this.fill();
  }

  /** Legend of the marks for same and different. */
  showLegend({ same, same_by: kind }) {
    this.legend.hidden = !same?.some((each) => each !== null);
    const mark = (name) => make("span", { className: "ga-mark", innerHTML: icon(name, 15) });
    const parts = Object.entries({ check: `same ${kind}`, cross: `another ${kind}` }).map(([name, text]) => {
      const sign = mark(name);
      sign.dataset.name = name;
      return make("span", { className: "ga-meaning" }, sign, make("span", { textContent: text }));
    });
    this.legend.replaceChildren(...parts);
  }

  /** Number of tiles in a line. */
  columns() {
    return Math.max(1, getComputedStyle(this.grid).gridTemplateColumns.split(" ").length);
  }

  extend() {
    const first = this.limit;
    this.limit += this.gallery.data.page;
    this.fill();
    this.tiles[first]?.root.focus({ preventScroll: true });
  }

  fill() {
    const count = Math.min(this.limit, this.section.rows.length);
    const left = this.section.rows.length - count;
    while (this.tiles.length < count) this.tiles.push(new Tile(this.gallery, this));
    this.tiles.forEach((tile, i) => {
      tile.cell.hidden = i >= count;
      if (i < count) tile.show(this.section, i);
      if (tile.cell.parentNode !== this.grid) this.grid.append(tile.cell);
    });
    this.more.hidden = left === 0;
    this.more.textContent = `Show ${whole(Math.min(left, this.gallery.data.page))} more of ${whole(left)}`;
  }
}

class Tile {
  constructor(gallery, view) {
    this.gallery = gallery;
    this.view = view;
    this.image = make("img", { loading: "lazy", decoding: "async", draggable: false });
    this.image.onerror = () => this.root.classList.add("ga-missing");
    this.image.onload = () => this.root.classList.remove("ga-missing");
    this.rank = make("span", { className: "ga-rank" });
    this.both = make("span", { className: "ga-both", title: "Found by both spaces", innerHTML: icon("both", 14) });
    this.similarity = make("span", { className: "ga-similarity" });
    this.mark = make("span", { className: "ga-mark" });
    this.caption = make("span", { className: "ga-caption" });
    this.text = make("span", { className: "ga-text" });
    this.facts = make("span", { className: "ga-facts" }, this.similarity, this.mark);
    this.root = make("button", { className: "ga-tile", type: "button", onclick: (event) => this.pressed(event), onkeydown: (event) => this.key(event) },
      make("span", { className: "ga-frame" }, this.image, this.rank, this.both), this.facts, this.caption, this.text);
    this.add = make("button", { className: "ga-add", type: "button", title: "Add to the query", textContent: "+", onclick: () => this.gallery.add(this.row) });
    this.enlarge = make("button", { className: "ga-enlarge", type: "button", title: "Open (Enter)", innerHTML: icon("enlarge", 14), onclick: () => this.open() });
    this.tick = make("button", { className: "ga-tick", type: "button", role: "checkbox", tabIndex: -1, innerHTML: icon("check", 15), onclick: (event) => this.change(event.shiftKey) });
    this.answers = make("div", { className: "ga-answers", role: "group" }, ...[true, false].map((alike) => make("button", {
      className: "ga-answer", type: "button", innerHTML: icon(alike ? "more" : "less", 15), onclick: () => this.gallery.answer(this.view.place, this.row, alike),
    })));
    this.cell = make("div", { className: "ga-cell", ondragstart: (event) => this.drag(event.dataTransfer) }, this.root, this.add, this.tick, this.enlarge, this.answers);
  }

  pressed(event) {
    const { data } = this.gallery;
    if (data.selected && (data.ticks_by_click || event.ctrlKey || event.metaKey || event.shiftKey)) this.change(event.shiftKey);
    else if (data.acts_on_click || !this.open()) this.gallery.click(this.row);
  }

  open() {
    return this.gallery.open(this.row, this.view.section);
  }

  /** Enter opens the picture, Space ticks, arrows go to the neighbors on the page, with Shift they tick them on the way. */
  key(event) {
    const { data } = this.gallery;
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && this.open()) {
      event.preventDefault();
      return;
    }
    if (event.key === " " && data.selected) {
      event.preventDefault();
      this.change(event.shiftKey);
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.view.columns(), ArrowUp: -this.view.columns() }[event.key];
    const next = step && this.view.tiles[this.place + step];
    if (!next || next.cell.hidden) return;
    event.preventDefault();
    if (event.shiftKey && data.selected) {
      if (this.view.ticked === undefined || !this.gallery.selected.has(this.row)) this.change(false);
      next.change(true);
    }
    next.root.focus();
  }

  change(through) {
    this.gallery.change(this.view, this.place, through);
  }

  showTick() {
    const ticked = this.gallery.selected.has(this.row);
    this.tick.hidden = !this.gallery.data.selected;
    this.cell.classList.toggle("ga-ticked", ticked && !this.tick.hidden);
    this.tick.setAttribute("aria-checked", String(ticked));
  }

  /** Data for a drop on the query bar. */
  drag(carried) {
    carried.setData("application/x-likeness-row", String(this.row));
    carried.setDragImage(this.image, 20, 20);
  }

  show(section, i) {
    const { data } = this.gallery;
    const row = section.rows[i];
    const url = rowURL(data.thumbnails, row);
    if (this.url !== url) this.image.src = url;
    this.url = url;
    [this.row, this.place] = [row, i];
    this.showTick();
    this.cell.draggable = data.addable;
    this.add.hidden = !data.addable;
    const same = section.same?.[i] ?? null;
    const both = Boolean(section.in_both?.[i]);
    const similarity = section.similarities ? digits(section.similarities[i]) : "";
    const caption = section.captions?.[i] ?? "";
    this.rank.textContent = section.ranked ? i + 1 : "";
    this.rank.hidden = !section.ranked;
    this.both.hidden = !both;
    this.similarity.textContent = similarity;
    this.showMark(same, section.same_by);
    this.facts.hidden = !similarity && same === null;
    this.caption.textContent = caption;
    this.caption.hidden = !section.captions;
    this.text.textContent = section.texts?.[i] ?? "";
    this.text.hidden = !section.texts;
    this.root.classList.toggle("ga-query", row === data.query);
    this.showAnswers(section, i);
    this.describe(section, i, { same, both, similarity, caption });
  }

  /** The two buttons below a neighbor; the given answer is pressed. */
  showAnswers({ answers, captions }, i) {
    this.answers.hidden = !answers || this.row === this.gallery.data.query;
    const named = captions?.[i] || `${this.gallery.data.noun} ${this.row + 1}`;
    [...this.answers.children].forEach((button, place) => {
      button.title = place ? "Not like this" : "More like this";
      button.setAttribute("aria-label", `${button.title}: rank ${i + 1}, ${named}`);
      button.setAttribute("aria-pressed", String(answers?.[i] === !place));
    });
  }

  showMark(same, kind) {
    this.mark.hidden = same === null;
    const name = same ? "check" : "cross";
    if (same === null) return;
    this.mark.title = same ? `Same ${kind} as the query` : `Another ${kind} than the query`;
    if (this.mark.dataset.name === name) return;
    this.mark.dataset.name = name;
    this.mark.innerHTML = icon(name, 15);
  }

  describe(section, i, { same, both, similarity, caption }) {
    const { noun, query } = this.gallery.data;
    const parts = [
      section.ranked && `Rank ${i + 1}`, caption || `${noun} ${this.row + 1}`, similarity && `similarity ${similarity}`,
      section.texts?.[i], same !== null && `${same ? "same" : "another"} ${section.same_by}`, both && "found by both spaces", this.row === query && "the query",
    ];
    this.root.title = parts.filter(Boolean).join(", ");
    this.image.alt = this.root.title;
    this.tick.setAttribute("aria-label", `Select ${caption || `${noun} ${this.row + 1}`}`);
    this.tick.title = "Select (Space; Ctrl or Shift with a click)";
    this.enlarge.setAttribute("aria-label", `Open ${caption || `${noun} ${this.row + 1}`}`);
    this.add.setAttribute("aria-label", `Add ${caption || `${noun} ${this.row + 1}`} to the query`);
  }
}

/** Three significant digits: 0.873, -0.0412. */
function digits(value) {
  return value === null || !Number.isFinite(value) ? "" : Number(value).toPrecision(3).replace("-", "−");
}

export default function ({ parentElement, ...component }) {
  if (!galleries.get(parentElement)?.root.isConnected) galleries.set(parentElement, new Gallery(parentElement));
  const gallery = galleries.get(parentElement);
  gallery.update(component);
  return () => {
    gallery.close();
    galleries.delete(parentElement);
  };
}
