// One map: its canvas, its view, its pointer. What concerns both maps goes to the host (LinkedMap).

const MORPH_MS = 500;
const MAX_STEP_MS = 50;
const CLICK_PX = 4;
const HOVER_PX = 12;

class Panel {
  constructor(host, index) {
    this.host = host;
    this.points = make("canvas", { className: "lm-points" });
    this.overlay = make("canvas", { className: "lm-overlay", tabIndex: 0 });
    this.overlay.setAttribute("role", "img");
    this.stage = make("div", { className: "lm-stage" }, this.points, this.overlay);
    this.title = make("span", { className: "lm-title" });
    this.caption = make("span", { className: "lm-caption" });
    this.root = make("div", { className: "lm-panel" }, make("div", { className: "lm-head" }, this.title, this.caption), this.stage);
    this.raster = new Raster(this.points);
    this.index = index;
    this.current = null; // positions on the screen now, Float32Array of x, y pairs
    this.morph = null;
    this.dirty = true;
    bindPointer(this);
    bindKeys(this);
  }

  describe({ title, caption }) {
    this.title.textContent = title;
    this.caption.textContent = caption;
    this.caption.hidden = !caption;
    this.overlay.setAttribute("aria-label", `Map ${title}. Drag or arrow keys move, wheel or plus and minus zoom, 0 resets.`);
  }

  /** New positions: at once, or from where the points are now. */
  place(id, positions, home, smooth) {
    if (id === this.id) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const move = smooth && !still && this.current && this.current.length === positions.length;
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
    this.morph = { from: this.current.slice(), fromHome: this.view.home, done: 0, last: null };
    if (this.current === this.settled) this.current = this.current.slice(); // the array of the cache is not ours to change
    this.host.schedule();
  }

  finish() {
    this.current = this.settled = this.target;
    if (this.toHome) this.view.home = this.toHome;
    this.toHome = null;
    this.morph = null;
    this.dirty = true;
    this.host.schedule();
  }

  /** One step of the way; true while there is more to go. */
  step(now) {
    if (!this.morph) return false;
    const { morph } = this;
    const { from, fromHome } = morph;
    // A frame that comes late takes a short step all the same: a busy machine shows the way too, only slower.
    morph.done += Math.min(MAX_STEP_MS, Math.max(0, now - (morph.last ?? now)));
    morph.last = now;
    const share = morph.done / MORPH_MS;
    this.dirty = true;
    if (share >= 1) {
      this.finish();
      return false;
    }
    const t = easeInOut(share);
    for (let i = 0; i < from.length; i++) {
      const goal = this.target[i];
      this.current[i] = from[i] === from[i] ? from[i] + (goal - from[i]) * t : goal;
    }
    if (this.toHome) this.view.home = fromHome.map((v, i) => v + (this.toHome[i] - v) * t);
    return true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.stage;
    this.ratio = window.devicePixelRatio || 1;
    this.width = clientWidth;
    this.height = clientHeight;
    this.raster.resize(Math.max(1, Math.round(clientWidth * this.ratio)), Math.max(1, Math.round(clientHeight * this.ratio)));
    this.overlay.width = this.points.width;
    this.overlay.height = this.points.height;
    this.dirty = true;
  }

  /** World to CSS px. */
  transform() {
    return this.view.transform(this.width, this.height);
  }

  radius() {
    return pointRadius(this.host.n, this.width, this.height, this.view.zoom);
  }

  draw(scene) {
    if (!this.current || !this.width) return;
    const { scale, x0, y0 } = this.transform();
    const r = this.ratio;
    if (this.dirty) this.raster.draw({ ...scene, positions: this.current }, { scale: scale * r, x0: x0 * r, y0: y0 * r }, this.radius() * r);
    this.dirty = false;
    drawOverlay(this, this.overlay.getContext("2d"));
  }

  /** Screen place of a row in CSS px, or null where it has none. */
  at(row) {
    if (row === null || row < 0 || !this.current) return null;
    const { scale, x0, y0 } = this.transform();
    const x = x0 + scale * this.current[2 * row];
    const y = y0 - scale * this.current[2 * row + 1];
    return x === x && y === y ? [x, y] : null;
  }

  changed() {
    this.dirty = true;
    this.host.viewChanged();
    this.host.schedule();
  }
}

/** Lines from the query to its neighbors, rings, the shape that is being drawn. */
function drawOverlay(panel, context) {
  const { host, ratio, width, height, shape } = panel;
  const { text, background, primary } = host.theme;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const query = panel.at(host.query);
  const radius = panel.radius();
  const near = query ? (host.neighbours?.[panel.index] ?? []).map((row) => panel.at(row)).filter(Boolean) : [];
  context.lineWidth = 1;
  context.strokeStyle = cssColor(text, 0.3);
  context.beginPath();
  for (const [x, y] of near) {
    context.moveTo(...query);
    context.lineTo(x, y);
  }
  context.stroke();
  for (const place of near) ring(context, place, radius + 2, cssColor(text, 0.75), 1.5);
  if (query) {
    ring(context, query, radius + 5, cssColor(background), 5.5);
    ring(context, query, radius + 5, cssColor(primary), 3);
  }
  const hover = panel.at(host.hovered);
  if (hover) {
    ring(context, hover, radius + 3.5, cssColor(background), 4);
    ring(context, hover, radius + 3.5, cssColor(text), 2);
  }
  if (shape) drawShape(context, shape, primary);
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
