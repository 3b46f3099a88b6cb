// Where the world lies on the screen: one scale for both axes, y upwards.

const MARGIN = 0.92;
const ZOOM = [0.5, 400];

/** home: [cx, cy, half] of the square that fills the panel at zoom 1; the center is kept in units of home, so that it survives a refit. */
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

  /** {scale (px a world unit), x0, y0}: screen x = x0 + scale * x, screen y = y0 - scale * y. */
  transform(width, height) {
    const [cx, cy, half] = this.home;
    const scale = (this.zoom * MARGIN * Math.min(width, height)) / (2 * half);
    return { scale, x0: width / 2 - scale * (cx + this.dx * half), y0: height / 2 + scale * (cy + this.dy * half) };
  }

  /** Moves the picture by (px, py) screen px. */
  pan(px, py, width, height) {
    const unit = (this.zoom * MARGIN * Math.min(width, height)) / 2;
    this.dx -= px / unit;
    this.dy += py / unit;
    this.clamp();
  }

  /** Zooms by `factor` so that the point under (px, py) stays there. */
  zoomAt(factor, px, py, width, height) {
    const zoom = Math.min(ZOOM[1], Math.max(ZOOM[0], this.zoom * factor));
    const unit = (MARGIN * Math.min(width, height)) / 2;
    const shift = 1 / (this.zoom * unit) - 1 / (zoom * unit);
    this.dx += (px - width / 2) * shift;
    this.dy -= (py - height / 2) * shift;
    this.zoom = zoom;
    this.clamp();
  }

  clamp() {
    this.dx = Math.min(1.5, Math.max(-1.5, this.dx));
    this.dy = Math.min(1.5, Math.max(-1.5, this.dy));
  }
}

/** Whether a new layout still sits well in the old frame: then the frame stays and what has not changed stays where it was. */
function framesAlike(old, fresh) {
  const slack = old[2] / MARGIN;
  const reachX = Math.abs(fresh[0] - old[0]) + fresh[2];
  const reachY = Math.abs(fresh[1] - old[1]) + fresh[2];
  return Math.max(reachX, reachY) <= slack && fresh[2] >= 0.75 * old[2];
}

const easeInOut = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2);
