// Few points into pixels on the CPU, discs over each other: the same picture with and without a graphics card.

const FADED = 0;
const NORMAL = 1;
const PICKED = 2;
const MANY = 8000;

/** Radius in CSS px: the more points, the smaller; grows slowly with the zoom. */
function pointRadius(n, width, height, zoom) {
  const base = Math.min(4.2, Math.max(1.25, 0.34 * Math.sqrt((width * height) / Math.max(1, n))));
  return Math.min(9, base * Math.max(1, zoom) ** 0.4);
}

/** Colors of each code as packed pixels: full, faded, and whether it needs an outline against the background. */
function colorTable(colors, theme, kind, under) {
  const outlined = colors.map((color) => needsOutline(color, theme, kind));
  const gray = mixColors(theme.background, theme.text, 0.35);
  return {
    full: Uint32Array.from(colors, packColor),
    faded: Uint32Array.from(colors, (color) => packColor(mixColors(color, gray, 0.55))),
    outlined: Uint8Array.from(outlined),
    outline: packColor(mixColors(theme.background, theme.text, theme.dark ? 0.6 : 0.5)),
    under: Uint8Array.from(under),
    anyUnder: under.includes(1),
    anyOutlined: outlined.includes(true),
  };
}

/** A canvas' pixels and the discs for the size in use. */
class Raster {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.discs = new Map();
  }

  fit() {
    const { width, height } = this.canvas;
    if (this.image && this.image.width === width && this.image.height === height) return;
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  disc(radius, opacity) {
    const key = `${radius.toFixed(2)} ${opacity}`;
    if (!this.discs.has(key)) {
      if (this.discs.size > 40) this.discs.clear();
      this.discs.set(key, discStamps(radius, opacity));
    }
    return this.discs.get(key);
  }

  /** scene: {positions, roles, codes, table, background (packed), fading}; transform and radius in device px. */
  draw(scene, transform, radius) {
    this.fit();
    this.pixels.fill(0xff000000 | scene.background);
    const many = scene.roles.length > MANY;
    if (scene.hasFaded) this.points(scene, transform, FADED, this.disc(radius * 0.9, many ? 0.16 : 0.22), scene.table.faded, null);
    const rim = scene.table.anyOutlined ? this.disc(radius + Math.max(0.6, radius * 0.22), 0.85) : null;
    for (const [has, role, disc] of [
      [scene.hasNormal, NORMAL, this.disc(radius, many ? 0.7 : 0.82)],
      [scene.hasPicked, PICKED, this.disc(radius * 1.12, 0.95)],
    ]) {
      if (!has) continue;
      // Each point its own rim; where points lie thick the rims would drown the color, so there only the outermost stay visible.
      if (rim && many) this.rims(scene, transform, role, rim);
      const rims = many ? null : rim;
      // Gray classes below, so that they do not drown the few in color.
      if (scene.table.anyUnder) this.points(scene, transform, role, disc, scene.table.full, rims, 1);
      this.points(scene, transform, role, disc, scene.table.full, rims, 0);
    }
    this.context.putImageData(this.image, 0, 0);
  }

  rims({ positions, roles, codes, table }, { scale, x0, y0 }, role, disc) {
    const { width, height } = this.canvas;
    for (let i = 0; i < roles.length; i++) {
      if (roles[i] !== role || !table.outlined[codes ? codes[i] : 0]) continue;
      const x = x0 + scale * positions[2 * i];
      const y = y0 - scale * positions[2 * i + 1];
      if (x === x && y === y) stampDisc(this.pixels, width, height, disc, x, y, table.outline);
    }
  }

  points({ positions, roles, codes, table }, { scale, x0, y0 }, role, disc, colors, rims, under = -1) {
    const { pixels, canvas } = this;
    const { width, height } = canvas;
    for (let i = 0, j = 0; i < roles.length; i++, j += 2) {
      if (roles[i] !== role) continue;
      const code = codes ? codes[i] : 0;
      if (under >= 0 && table.under[code] !== under) continue;
      const x = x0 + scale * positions[j];
      const y = y0 - scale * positions[j + 1];
      if (!(x > -50 && y > -50 && x < width + 50 && y < height + 50)) continue; // also skips NaN
      if (rims && table.outlined[code]) stampDisc(pixels, width, height, rims, x, y, table.outline);
      stampDisc(pixels, width, height, disc, x, y, colors[code]);
    }
  }
}
