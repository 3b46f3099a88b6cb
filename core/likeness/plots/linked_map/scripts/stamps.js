// Discs drawn once: for every sub-pixel place a list of pixels and how much of each the disc covers.

const PHASES = 4; // places a pixel and axis; points glide instead of jumping while the map pans

/** Discs of `radius` device px. stamps[py * PHASES + px] = {dx, dy, alpha (0..256), size}, offsets from the pixel of the center. */
function discStamps(radius, opacity) {
  const reach = Math.ceil(radius + 1);
  const stamps = [];
  for (let py = 0; py < PHASES; py++) {
    for (let px = 0; px < PHASES; px++) stamps.push(disc(radius, opacity, reach, (px + 0.5) / PHASES, (py + 0.5) / PHASES));
  }
  return { stamps, reach };
}

function disc(radius, opacity, reach, cx, cy) {
  const pixels = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const distance = Math.hypot(dx + 0.5 - cx, dy + 0.5 - cy);
      const alpha = Math.round(256 * opacity * Math.min(1, Math.max(0, radius + 0.5 - distance)));
      if (alpha > 0) pixels.push([dx, dy, alpha]);
    }
  }
  return {
    dx: Int32Array.from(pixels, (p) => p[0]),
    dy: Int32Array.from(pixels, (p) => p[1]),
    alpha: Int32Array.from(pixels, (p) => p[2]),
    size: pixels.length,
  };
}

/** Blends the disc around (x, y) into `pixels` (little-endian RGBA, opaque); `color` = 0x00BBGGRR. */
function stampDisc(pixels, width, height, set, x, y, color) {
  const px = Math.floor(x);
  const py = Math.floor(y);
  const { reach } = set;
  if (px < -reach || py < -reach || px >= width + reach || py >= height + reach) return;
  const stamp = set.stamps[(((y - py) * PHASES) | 0) * PHASES + (((x - px) * PHASES) | 0)];
  const inside = px >= reach && py >= reach && px < width - reach && py < height - reach;
  const { dx, dy, alpha, size } = stamp;
  const redBlue = color & 0xff00ff;
  const green = color & 0x00ff00;
  for (let i = 0; i < size; i++) {
    const qx = px + dx[i];
    const qy = py + dy[i];
    if (!inside && (qx < 0 || qy < 0 || qx >= width || qy >= height)) continue;
    const at = qy * width + qx;
    const old = pixels[at];
    const a = alpha[i];
    const b = 256 - a;
    // Two channels at a time; the products stay below 2^32, and >>> undoes the sign.
    const rb = ((Math.imul(old & 0xff00ff, b) + Math.imul(redBlue, a)) >>> 8) & 0xff00ff;
    const g = ((Math.imul(old & 0x00ff00, b) + Math.imul(green, a)) >>> 8) & 0x00ff00;
    pixels[at] = 0xff000000 | rb | g;
  }
}

const packColor = ([r, g, b]) => (b << 16) | (g << 8) | r;
