// The picture of many points on a canvas, kept up with the view: what has been drawn moves along at once, only what is new is drawn.

const SHARE_MS = 9; // of a frame; what takes longer goes on in the next

class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.base = document.createElement("canvas"); // the last whole picture, exact at `at`
    this.ink = this.base.getContext("2d", { alpha: false });
    this.at = null;
  }

  /** Brings the canvas up to `wanted` {scale, x0, y0} (device px) and says whether more is to come. `key` names all else that shows. */
  show(renderer, scene, points, wanted, ratio, key, wait) {
    this.fit();
    const sharp = { scale: wanted.scale, x0: Math.round(wanted.x0), y0: Math.round(wanted.y0) }; // whole px, so that a picture moved is a picture drawn
    if (this.work && this.work.key !== key) this.work = null;
    if (!this.work && !this.covers(sharp, key)) this.work = this.begin(renderer, scene, points, sharp, ratio, key);
    if (this.work) this.go(wait || !this.at ? Infinity : performance.now() + SHARE_MS);
    if (!this.work && this.at.scale === sharp.scale) this.slide(renderer, scene, points, sharp);
    this.compose(sharp, scene.background);
    return Boolean(this.work) || this.at.scale !== sharp.scale;
  }

  fit() {
    const { width, height } = this.canvas;
    if (this.base.width === width && this.base.height === height) return;
    Object.assign(this.base, { width, height });
    this.at = this.work = null;
  }

  /** Whether the last picture, moved, is still part of the one wanted. */
  covers({ scale, x0, y0 }, key) {
    const { at, base } = this;
    return at && at.key === key && at.scale === scale && Math.abs(x0 - at.x0) < 0.7 * base.width && Math.abs(y0 - at.y0) < 0.7 * base.height;
  }

  begin(renderer, scene, points, transform, ratio, key) {
    const seen = look(points, transform.scale, ratio);
    const region = { x: 0, y: 0, width: this.base.width, height: this.base.height };
    return { key, transform, seen, steps: renderer.draw(this.ink, scene, points, transform, seen, region) };
  }

  go(until) {
    const { steps, transform, seen, key } = this.work;
    while (!steps.next().done) if (performance.now() > until) return;
    this.at = { ...transform, seen, key };
    this.work = null;
  }

  /** Moves the last picture by whole px and draws the strips that come into view. */
  slide(renderer, scene, points, transform) {
    const [dx, dy] = [transform.x0 - this.at.x0, transform.y0 - this.at.y0];
    if (!dx && !dy) return;
    const { width, height } = this.base;
    this.ink.drawImage(this.base, dx, dy);
    Object.assign(this.at, transform);
    for (const region of strips(dx, dy, width, height)) {
      const steps = renderer.draw(this.ink, scene, points, transform, this.at.seen, region);
      while (!steps.next().done);
    }
  }

  compose({ scale, x0, y0 }, background) {
    const { context, canvas, base, at } = this;
    const k = scale / at.scale;
    if (k !== 1 || at.x0 !== x0 || at.y0 !== y0) {
      context.fillStyle = cssColor([background & 255, (background >> 8) & 255, background >> 16]);
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
    context.drawImage(base, x0 - k * at.x0, y0 - k * at.y0, k * base.width, k * base.height);
  }
}

/** The parts of a picture that moving it by (dx, dy) leaves open. */
function strips(dx, dy, width, height) {
  const found = [];
  if (dx) found.push({ x: dx > 0 ? 0 : width + dx, y: 0, width: Math.abs(dx), height });
  if (dy) found.push({ x: Math.max(0, dx), y: dy > 0 ? 0 : height + dy, width: width - Math.abs(dx), height: Math.abs(dy) });
  return found;
}
