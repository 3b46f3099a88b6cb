// Where the world lies on the screen: one scale for both axes, y upwards.

const MARGIN = 0.92;
const ZOOM = [0.5, 400];
const CLOSEST = 40; // zoom to which few points are brought

/** home: [cx, cy, hx, hy], the box that fits the panel at zoom 1; the center is kept in units of home, so that it survives a refit. */
class View {
  constructor(home) {
    this.home = home;
    this.reset();
  }

  reset() {
    this.zoom = 1;
    this.dx = 0;
    this.dy = 0;
  }

  get atHome() {
    return this.zoom === 1 && this.dx === 0 && this.dy === 0;
  }

  /** Half the longer side of home, in world units. */
  get reach() {
    return Math.max(this.home[2], this.home[3]);
  }

  /** px a world unit at zoom 1. */
  fit(width, height) {
    return (MARGIN * Math.min(width / this.home[2], height / this.home[3])) / 2;
  }

  /** {scale (px a world unit), x0, y0}: screen x = x0 + scale * x, screen y = y0 - scale * y. */
  transform(width, height) {
    const { home, reach } = this;
    const scale = this.zoom * this.fit(width, height);
    return { scale, x0: width / 2 - scale * (home[0] + this.dx * reach), y0: height / 2 + scale * (home[1] + this.dy * reach) };
  }

  /** Moves the picture by (px, py) screen px. */
  pan(px, py, width, height) {
    const unit = this.zoom * this.fit(width, height) * this.reach;
    this.dx -= px / unit;
    this.dy += py / unit;
    this.clamp();
  }

  /** Zooms by `factor` so that the point under (px, py) stays there. */
  zoomAt(factor, px, py, width, height) {
    const zoom = Math.min(ZOOM[1], Math.max(ZOOM[0], this.zoom * factor));
    const shift = (1 / this.zoom - 1 / zoom) / (this.fit(width, height) * this.reach);
    this.dx += (px - width / 2) * shift;
    this.dy -= (py - height / 2) * shift;
    this.zoom = zoom;
    this.clamp();
  }

  /** Zooms and moves so that a box of the world [left, right, low, high] fills most of the panel. */
  frame([left, right, low, high], width, height) {
    const { home, reach } = this;
    const wanted = (0.8 * Math.min(width / Math.max(right - left, 1e-12), height / Math.max(high - low, 1e-12))) / this.fit(width, height);
    this.zoom = Math.min(CLOSEST, Math.max(ZOOM[0], wanted));
    this.dx = ((left + right) / 2 - home[0]) / reach;
    this.dy = ((low + high) / 2 - home[1]) / reach;
    this.clamp();
  }

  clamp() {
    this.dx = Math.min(1.5, Math.max(-1.5, this.dx));
    this.dy = Math.min(1.5, Math.max(-1.5, this.dy));
  }
}

/** Whether a new layout still sits well in the old frame: then the frame stays and what has not changed stays where it was. */
function framesAlike(old, fresh) {
  const filled = [0, 1].map((axis) => (Math.abs(fresh[axis] - old[axis]) + fresh[axis + 2]) / (old[axis + 2] / MARGIN));
  const sizes = [2, 3].map((axis) => fresh[axis] / old[axis]);
  return Math.max(...filled) <= 1 && Math.max(...sizes) >= 0.75;
}

const easeInOut = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);

/** The box [left, right, low, high] around the marked rows that have a place in `positions`; null without any. */
function boxAround(positions, mask) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < mask.length; i++) {
    if (!mask[i]) continue;
    const [x, y] = [positions[2 * i], positions[2 * i + 1]];
    if (!Number.isFinite(x + y)) continue;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  return left <= right ? [left, right, low, high] : null;
}
