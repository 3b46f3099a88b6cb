// One map: its canvases, its view, its pointer. What concerns both maps goes to the host (LinkedMap).

const MORPH_MS = 500;
const MAX_STEP_MS = 50;
const CLICK_PX = 4;
const HOVER_PX = 12;
const HINT_MS = 1500;
const MOVING = 50000; // points shown while many move to their new places, an even sample

class Panel {
  constructor(host, index) {
    this.host = host;
    this.canvas = make("canvas", { className: "lm-points" });
    this.overlay = make("canvas", { className: "lm-overlay", tabIndex: 0 });
    this.overlay.setAttribute("role", "application"); // so that screen readers pass its keys on
    this.overlay.setAttribute("aria-roledescription", "map");
    this.hint = make("div", { className: "lm-hint", textContent: "Click the map or hold Ctrl to zoom with the wheel" });
    this.names = new Names(this);
    this.thumbs = new Thumbs(this);
    this.stage = make("div", { className: "lm-stage" }, this.canvas, this.overlay, this.names.root, this.hint);
    this.inUse = false; // from a press of the mouse until the pointer leaves: the wheel then zooms and does not scroll
    this.title = make("span", { className: "lm-title" });
    this.caption = make("span", { className: "lm-caption" });
    this.root = make("div", { className: "lm-panel" }, make("div", { className: "lm-head" }, this.title, this.caption), this.stage);
    this.raster = new Raster(this.canvas);
    this.picture = new Picture(this.canvas);
    this.index = index;
    this.target = null; // positions, Float32Array of x, y pairs: where the points are, or are moving to
    this.morph = null;
    this.dirty = true;
    bindPointer(this);
    bindKeys(this);
  }

  describe({ title, caption, names }) {
    this.names.take(names ?? null);
    this.title.textContent = title;
    this.caption.textContent = caption;
    this.caption.hidden = !caption;
    this.overlay.setAttribute("aria-label", `Map ${title}. Arrow keys move it, plus and minus zoom, shift and arrow keys go from point to point, question mark lists all keys.`);
  }

  /** New positions: at once, or from where the points are now. */
  place(id, positions, home, smooth) {
    if (id === this.id) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const move = smooth && !still && this.target && this.target.length === positions.length;
    const morph = move && { from: this.here(), fromHome: this.view.home, done: 0, last: null, t: 0 };
    const sample = move && this.many && this.sample();
    this.id = id;
    this.target = positions;
    this.dirty = true;
    const stays = smooth && this.view;
    if (!stays) this.view = new View(home);
    this.toHome = stays && !framesAlike(this.view.home, home) ? home : null;
    if (!move) {
      this.finish();
      return;
    }
    Object.assign(this, { morph, moving: sample || null });
    this.host.schedule();
  }

  /** Where the points are now. */
  here() {
    if (!this.morph) return this.target;
    const { from, t } = this.morph;
    return this.target.map((goal, i) => between(from[i], goal, t));
  }

  finish() {
    if (this.toHome) this.view.home = this.toHome;
    this.toHome = this.morph = null;
    this.forget();
    this.dirty = true;
    this.host.schedule();
  }

  get many() {
    return this.host.n >= FEWEST;
  }

  /** The points sorted by place; made when they are first asked for. */
  get grid() {
    return (this.sorted ??= new Grid(this.target));
  }

  sample() {
    return this.moving ?? new PointSet(this.grid, Math.ceil(this.grid.size / MOVING));
  }

  /** Releases what was made for old positions. */
  forget() {
    for (const points of [this.moving, this.points]) if (points) this.renderer?.forget(points);
    this.sorted = this.moving = this.points = null;
  }

  /** One step of the way; true while there is more to go. */
  step(now) {
    if (!this.morph) return false;
    const { morph } = this;
    // a late frame takes a short step, too: a busy machine shows the whole movement, only slower
    morph.done += Math.min(MAX_STEP_MS, Math.max(0, now - (morph.last ?? now)));
    morph.last = now;
    const share = morph.done / MORPH_MS;
    this.dirty = true;
    if (share >= 1) {
      this.finish();
      return false;
    }
    morph.t = easeInOut(share);
    if (this.toHome) this.view.home = morph.fromHome.map((v, i) => v + (this.toHome[i] - v) * morph.t);
    return true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.stage;
    this.ratio = window.devicePixelRatio || 1;
    this.width = clientWidth;
    this.height = clientHeight;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.max(1, Math.round(clientWidth * this.ratio));
      canvas.height = Math.max(1, Math.round(clientHeight * this.ratio));
    }
    this.fresh = true;
    this.dirty = true;
  }

  /** World to CSS px. */
  transform() {
    return this.view.transform(this.width, this.height);
  }

  radius() {
    if (this.many && this.points) return look(this.points, this.transform().scale, 1).radius;
    return pointRadius(this.host.n, this.width, this.height, this.view.zoom);
  }

  /** Draws what has changed; true while there is more to draw. */
  draw(scene) {
    if (!this.target || !this.width) return false;
    if (this.dirty) this.drawPoints(scene);
    drawOverlay(this, this.overlay.getContext("2d"));
    this.names.draw();
    return this.dirty;
  }

  drawPoints(scene) {
    const { scale, x0, y0 } = this.transform();
    const r = this.ratio;
    const transform = { scale: scale * r, x0: x0 * r, y0: y0 * r };
    this.dirty = this.many ? this.drawMany(scene, transform) : this.drawFew(scene, transform);
  }

  drawFew(scene, transform) {
    this.raster.draw({ ...scene, positions: this.here() }, transform, this.radius() * this.ratio);
    return false;
  }

  drawMany(scene, transform) {
    if (!this.renderer || this.renderer.lost) this.renderer = rendererFor(this.host.renderer);
    this.canvas.dataset.renderer = this.renderer.name;
    if (this.morph) this.moving.move(this.morph.from, this.target, this.morph.t);
    else this.points ??= new PointSet(this.grid);
    const points = this.morph ? this.moving : this.points;
    const key = `${scene.version} ${points.serial} ${points.moves}`;
    const wait = this.fresh || Boolean(this.morph);
    this.fresh = false;
    return this.picture.show(this.renderer, scene, points, transform, this.ratio, key, wait);
  }

  /** Place of a row in the world, or null where it has none. */
  world(row) {
    if (row === null || row < 0 || !this.target) return null;
    const [x, y] = [2 * row, 2 * row + 1].map((i) => (this.morph ? between(this.morph.from[i], this.target[i], this.morph.t) : this.target[i]));
    return x === x && y === y ? [x, y] : null;
  }

  /** Screen place of a row in CSS px, or null where it has none. */
  at(row) {
    const place = this.world(row);
    if (!place) return null;
    const { scale, x0, y0 } = this.transform();
    return [x0 + scale * place[0], y0 - scale * place[1]];
  }

  /** The box [left, right, low, high] of the world that is in sight. */
  sight() {
    const { scale, x0, y0 } = this.transform();
    return [-x0 / scale, (this.width - x0) / scale, (y0 - this.height) / scale, y0 / scale];
  }

  /** Says for a moment how to zoom. */
  showHint() {
    this.hint.classList.add("lm-shown");
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => this.hint.classList.remove("lm-shown"), HINT_MS);
  }

  changed() {
    this.dirty = true;
    this.host.viewChanged();
    this.host.schedule();
  }
}

/** Rings around neighbors, lines to them if the query is a point, and the shape being drawn. */
function drawOverlay(panel, context) {
  const { host, ratio, width, height, shape } = panel;
  const { text, background, primary } = host.theme;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  panel.thumbs.draw(context);
  const query = panel.at(host.query);
  const radius = panel.radius();
  const near = (host.neighbors?.[panel.index] ?? []).map((row) => panel.at(row)).filter(Boolean);
  if (query) drawLines(context, query, near, cssColor(text, 0.3));
  for (const place of near) {
    if (!query) ring(context, place, radius + 3, cssColor(background), 4);
    ring(context, place, radius + (query ? 2 : 3), query ? cssColor(text, 0.75) : cssColor(primary), query ? 1.5 : 2);
  }
  if (query && !panel.thumbs.has(host.query)) {
    ring(context, query, radius + 5, cssColor(background), 5.5);
    ring(context, query, radius + 5, cssColor(primary), 3);
  }
  const hover = panel.at(host.hovered);
  if (hover && !panel.thumbs.has(host.hovered)) {
    ring(context, hover, radius + 3.5, cssColor(background), 4);
    ring(context, hover, radius + 3.5, cssColor(text), 2);
  }
  if (shape) drawShape(context, shape, primary);
}

function drawLines(context, from, places, style) {
  context.lineWidth = 1;
  context.strokeStyle = style;
  context.beginPath();
  for (const place of places) {
    context.moveTo(...from);
    context.lineTo(...place);
  }
  context.stroke();
}

function ring(context, [x, y], radius, style, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = style;
  context.lineWidth = width;
  context.stroke();
}

function drawShape(context, { polygon }, primary) {
  context.beginPath();
  polygon.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.fillStyle = cssColor(primary, 0.12);
  context.fill();
  context.strokeStyle = cssColor(primary);
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}
