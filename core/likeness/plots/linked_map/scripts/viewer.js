// A large picture over the page, opened by galleries and maps with the event "likeness-open"; pages without this script ignore the event.

const viewers = new WeakMap();
const OPEN = "likeness-open";
const SWIPE_PX = 45;
const NEIGHBORS = 8; // tiles of each space
const rowURL = (template, row) => template.replace("{row}", row);

class Viewer {
  constructor(parent) {
    this.parent = parent;
    this.build();
    parent.querySelector(".vi").append(this.root);
    this.hear = (event) => {
      event.preventDefault(); // tells the sender that it was opened
      this.open(event.detail);
    };
    addEventListener(OPEN, this.hear);
  }

  close() {
    removeEventListener(OPEN, this.hear);
    if (this.root.open) this.root.close();
  }

  build() {
    const act = (label, name, onclick) => make("button", { className: "vi-act", type: "button", textContent: label, name, onclick });
    const tool = (label, name, onclick) => {
      const button = make("button", { className: "vi-tool", type: "button", title: label, innerHTML: icon(name, 20), onclick });
      button.setAttribute("aria-label", label);
      return button;
    };
    this.name = make("h2", { className: "vi-name" });
    this.place = make("span", { className: "vi-place" });
    this.before = tool("Previous (left arrow)", "before", () => this.step(-1));
    this.after = tool("Next (right arrow)", "after", () => this.step(1));
    this.image = make("img", { draggable: false, decoding: "async" });
    this.missing = make("p", { className: "vi-missing", textContent: "This picture can no longer be read." });
    this.image.onerror = () => this.failed();
    this.image.onload = () => this.image.classList.toggle("vi-tiny", Math.max(this.image.naturalWidth, this.image.naturalHeight) <= 96);
    this.stage = make("button", { className: "vi-stage", type: "button", title: "Close (Esc)" }, this.image, this.missing);
    this.bindStage();
    this.select = act("Select", "select", () => this.toggleSelected());
    this.actions = make("div", { className: "vi-actions" },
      act("Search with it", "search", () => this.leave("search")), this.select,
      act("What does this space look at?", "saliency", () => this.leave("saliency")));
    this.facts = make("dl", { className: "vi-facts" });
    this.labels = make("div", { className: "vi-labels" });
    this.field = make("input", { className: "vi-field", placeholder: "New label, like good or breed: beagle" });
    this.field.setAttribute("aria-label", "New label");
    this.field.addEventListener("keydown", (event) => event.key === "Enter" && this.giveTyped());
    this.labeling = make("section", {}, make("h3", { textContent: "Labels" }), this.labels, this.field);
    this.refusal = make("p", { className: "vi-note" });
    this.near = make("div", { className: "vi-near" });
    this.side = make("div", { className: "vi-side" }, this.actions, this.facts, this.labeling, this.refusal, this.near);
    this.root = make("dialog", { className: "vi-dialog" },
      make("div", { className: "vi-head" }, this.name, this.place, this.before, this.after, tool("Close (Esc)", "clear", () => this.root.close())),
      make("div", { className: "vi-body" }, this.stage, this.side));
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("close", () => (this.image.src = ""));
  }

  /** A click closes, a swipe goes to the next or previous picture. */
  bindStage() {
    let start = null;
    this.stage.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
    this.stage.addEventListener("click", (event) => {
      const [dx, dy] = start && event.detail ? [event.clientX - start[0], event.clientY - start[1]] : [0, 0];
      start = null;
      if (Math.abs(dx) > SWIPE_PX && Math.abs(dx) > Math.abs(dy)) this.step(dx < 0 ? 1 : -1);
      else if (Math.hypot(dx, dy) < SWIPE_PX) this.root.close();
    });
    this.stage.addEventListener("pointercancel", () => (start = null));
  }

  update({ data, setTriggerValue }) {
    const labels = JSON.stringify([data.info, data.labels, data.refusal]);
    const spaces = JSON.stringify(data.spaces);
    this.data = data;
    this.send = (action, more = {}) => setTriggerValue("act", { action, row: this.row, id: Math.random(), ...more });
    this.selected = new Set(data.selected);
    if (this.root.open) {
      this.showSelected();
      if (labels !== this.shown?.labels) this.showLabeling();
      if (spaces !== this.shown?.spaces) this.showNeighbors();
    }
    this.shown = { labels, spaces };
    this.follow(data.next);
  }

  /** Follows a hidden link to the action's page once the server knows of the action. */
  follow([action, id]) {
    if (action && id !== this.followed) document.querySelector(`.st-key-viewer_${action} a`)?.click();
    this.followed = id;
  }

  /** `rows`: rows of the tiles, in order; `thumbnails`: template of their URLs; `of`: the row that they are neighbors of, or "query". */
  open({ rows, row, thumbnails, of }) {
    [this.rows, this.thumbnails, this.of] = [rows, thumbnails, of];
    this.isOwn = this.dataset(thumbnails) === this.dataset(this.data.thumbnails);
    this.go(row);
    if (!this.root.open) this.root.showModal();
    this.stage.focus({ preventScroll: true });
  }

  /** The part of a URL that identifies the images. */
  dataset(template) {
    return template.replace(/^.*?(thumbnails|labeled)\//, "").split("/{")[0];
  }

  /** URLs of other routes for the same images. */
  route(name) {
    return this.thumbnails.replace(/(thumbnails|labeled)\//, `${name}/`).split("?")[0];
  }

  step(by) {
    const row = this.rows[this.rows.indexOf(this.row) + by];
    if (row !== undefined) this.go(row);
  }

  go(row) {
    this.row = row;
    const at = this.rows.indexOf(row);
    this.place.textContent = this.rows.length > 1 && at >= 0 ? `${at + 1} of ${this.rows.length.toLocaleString("en-US")}` : "";
    this.before.disabled = at <= 0;
    this.after.disabled = at < 0 || at === this.rows.length - 1;
    const focused = this.root.getRootNode().activeElement;
    // a disabled button would keep the focus, and a removed tile would lose it
    if (this.root.open && (focused?.disabled || this.near.contains(focused))) this.stage.focus({ preventScroll: true });
    this.side.scrollTop = 0;
    this.showPicture();
    this.showDetails();
  }

  /** The small picture at once, replaced by the large one when it has loaded. */
  showPicture() {
    const { row } = this;
    this.root.classList.remove("vi-failed");
    this.image.src = rowURL(this.thumbnails, row);
    const large = new Image();
    large.onload = () => row === this.row && this.root.open && (this.image.src = large.src);
    large.src = rowURL(this.route("pictures"), row);
  }

  failed() {
    if (this.image.getAttribute("src")) this.root.classList.add("vi-failed");
  }

  showDetails() {
    this.actions.hidden = !this.isOwn;
    this.showSelected();
    this.showLabeling();
    this.showNeighbors();
  }

  showLabeling() {
    this.refusal.textContent = this.isOwn ? this.data.refusal : "";
    this.refusal.hidden = !this.refusal.textContent;
    this.labeling.hidden = !this.isOwn || Boolean(this.data.refusal);
    this.showInfo();
  }

  async showInfo() {
    const { row } = this;
    const info = await fetchJSON(rowURL(this.isOwn ? this.data.info : this.route("info"), row));
    if (row !== this.row) return;
    const { label = `Image ${row + 1}`, attributes = {}, labels = [] } = info ?? {};
    this.name.textContent = this.image.alt = label;
    this.root.setAttribute("aria-label", label);
    this.facts.replaceChildren(...Object.entries(attributes).flatMap(([name, text]) => [make("dt", { textContent: name }), make("dd", { textContent: text })]));
    this.has = new Set(labels.map((each) => JSON.stringify(each)));
    this.showLabels();
    const why = this.isOwn && this.of !== undefined && (await fetchJSON(`${rowURL(this.data.why, row)}?of=${this.of}`));
    if (why && row === this.row) this.facts.prepend(...["title", "text"].map((key, i) => make(["dt", "dd"][i], { className: "vi-why", textContent: why[key] })));
  }

  showLabels() {
    this.labels.replaceChildren(...this.data.labels.map((label, i) => {
      const [name, value] = label;
      const button = make("button", { className: "vi-label", type: "button", textContent: value ? `${name}: ${value}` : name, onclick: () => this.label(label) });
      button.setAttribute("aria-pressed", String(this.has.has(JSON.stringify(label))));
      if (i < 9) button.append(make("kbd", { textContent: i + 1 }));
      return button;
    }));
  }

  /** Shown at once, before the server confirms it. */
  label([name, value]) {
    const key = JSON.stringify([name, value]);
    if (!this.has.delete(key)) {
      for (const other of this.has) if (JSON.parse(other)[0] === name) this.has.delete(other);
      this.has.add(key);
    }
    this.showLabels();
    this.send("label", { name, value });
  }

  giveTyped() {
    const [name, ...value] = this.field.value.split(":");
    if (!name.trim()) return;
    this.send("label", { name: name.trim(), value: value.join(":").trim() });
    this.field.value = "";
  }

  async showNeighbors() {
    const { row } = this;
    const found = this.isOwn ? await Promise.all(this.data.spaces.map(({ neighbors }) => fetchJSON(rowURL(neighbors, row)))) : [];
    if (row !== this.row) return;
    this.near.replaceChildren(...found.map((each, i) => each && this.neighborsOf(this.data.spaces[i].title, each)).filter(Boolean));
  }

  neighborsOf(title, { rows, similarities }) {
    const tiles = rows.slice(0, NEIGHBORS).map((row, i) => {
      const text = `Neighbor ${i + 1}, similarity ${similarities[i].toFixed(3)}`;
      return make("button", { className: "vi-tile", type: "button", title: text, onclick: () => this.go(row, (this.of = this.row)) },
        make("img", { src: rowURL(this.thumbnails, row), alt: text, draggable: false }));
    });
    return make("section", {}, make("h3", { textContent: `Nearest in ${title}` }), make("div", { className: "vi-tiles" }, ...tiles));
  }

  showSelected() {
    const on = this.selected.has(this.row);
    this.select.textContent = on ? "Selected" : "Select";
    this.select.setAttribute("aria-pressed", String(on));
  }

  toggleSelected() {
    const on = !this.selected.delete(this.row);
    if (on) this.selected.add(this.row);
    this.showSelected();
    this.send("select", { on });
  }

  leave(action) {
    this.send(action);
    this.root.close();
  }

  key(event) {
    event.stopPropagation(); // the page has its own keys
    if (event.target === this.field || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const label = !this.labeling.hidden && /^[1-9]$/.test(event.key) && this.data.labels[event.key - 1];
    if (step) this.step(step);
    else if (label && this.has) this.label(label);
    else return;
    event.preventDefault();
  }
}

async function fetchJSON(url) {
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

export default function ({ parentElement, ...component }) {
  if (!viewers.get(parentElement)?.root.isConnected) viewers.set(parentElement, new Viewer(parentElement));
  const viewer = viewers.get(parentElement);
  viewer.update(component);
  return () => {
    viewer.close();
    viewers.delete(parentElement);
  };
}
