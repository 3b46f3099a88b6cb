// Many points on the CPU: each adds its ink to the pixels it covers. A million take some fifty milliseconds, so the work comes in slices.

const SLICE = 40000; // points between two looks at the clock

class Splat {
  constructor() {
    this.name = "cpu";
    this.spare = []; // sums of earlier pictures
  }

  /** Draws the part `region` of the picture onto `target`, a 2D context, in its last step. scene: see LinkedMap.scene; transform in device px. */
  *draw(target, scene, points, transform, seen, region) {
    const front = scene.hasFaded ? frontLook(seen, scene.front) : seen;
    const margin = Math.ceil(Math.max(seen.radius, front.radius) + 1);
    const layers = [this.layer(region, margin, front, scene.inks.front, points.weight, 1)];
    if (scene.hasFaded) layers.push(this.layer(region, margin, seen, scene.inks.faded, points.weight, FAINT));
    const ink = points.inks(scene);
    const stretches = points.within(transform, region, margin);
    for (let s = 0, done = 0; s < stretches.length; s += 2) {
      for (let k = stretches[s]; k < stretches[s + 1]; k += SLICE) {
        const end = Math.min(stretches[s + 1], k + SLICE);
        add(layers, points.xy, ink, k, end, transform, region, margin, scene.table.full.length);
        done += end - k;
        if (done < SLICE / 2) continue;
        done = 0;
        yield;
      }
    }
    const image = target.createImageData(region.width, region.height);
    develop(new Uint32Array(image.data.buffer), layers, region, margin, scene.background, scene.inks.vivid);
    target.putImageData(image, region.x, region.y);
    this.spare = layers.map((layer) => layer.sums);
  }

  /** The sums of a layer, with so many px around the region that no disc which touches it needs to be clipped. */
  layer({ width, height }, margin, seen, colors, weight, top) {
    const stride = width + 4 * margin;
    const size = 4 * stride * (height + 4 * margin);
    const kept = this.spare.findIndex((sums) => sums.length === size);
    const sums = kept >= 0 ? this.spare.splice(kept, 1)[0].fill(0) : new Float32Array(size);
    return { sums, stride, stamps: loadStamps(seen.radius, weight, stride), colors, opacities: opacityTable(seen, top) };
  }

  forget() {}
}

/** Discs for every sub-pixel place: offsets into the sums and loads. */
function loadStamps(radius, weight, stride) {
  return discStamps(radius, 1).stamps.map(({ dx, dy, alpha, size }) => ({
    at: Int32Array.from({ length: size }, (_, i) => 4 * (dy[i] * stride + dx[i])),
    load: Float32Array.from(alpha, (a) => (a / 256) * weight),
  }));
}

function add(layers, xy, ink, from, to, { scale, x0, y0 }, region, margin, codes) {
  const right = region.width + 3 * margin;
  const bottom = region.height + 3 * margin;
  const left = x0 - region.x + 2 * margin;
  const top = y0 - region.y + 2 * margin;
  const [front, back] = layers;
  for (let k = from; k < to; k++) {
    const x = left + scale * xy[2 * k];
    const y = top - scale * xy[2 * k + 1];
    if (!(x >= margin && y >= margin && x < right && y < bottom)) continue;
    const faded = ink[k] >= codes;
    const { sums, stride, stamps, colors } = faded ? back : front;
    const c = 4 * (faded ? ink[k] - codes : ink[k]);
    const px = x | 0;
    const py = y | 0;
    const { at, load } = stamps[(((y - py) * PHASES) | 0) * PHASES + (((x - px) * PHASES) | 0)];
    const place = 4 * (py * stride + px);
    const r = colors[c];
    const g = colors[c + 1];
    const b = colors[c + 2];
    const own = colors[c + 3];
    for (let i = 0; i < at.length; i++) {
      const q = place + at[i];
      const w = load[i];
      sums[q] += w * r;
      sums[q + 1] += w * g;
      sums[q + 2] += w * b;
      sums[q + 3] += w * own;
    }
  }
}

const channel = (over, below, cover) => (below + (Math.max(0, Math.min(255, over)) - below) * cover + 0.5) | 0;

/** Sums into pixels (little-endian RGBA), the last layer at the bottom. */
function develop(pixels, layers, { width, height }, margin, background, vivid) {
  pixels.fill(0xff000000 | background);
  for (const { sums, stride, opacities } of [...layers].reverse()) {
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0, q = 4 * ((y + 2 * margin) * stride + 2 * margin); x < width; x++, i++, q += 4) {
        const load = sums[q + 3];
        if (load === 0) continue;
        const cover = opacities[loadStep(load)];
        const old = pixels[i];
        const [r, g, b] = [sums[q] / load, sums[q + 1] / load, sums[q + 2] / load];
        const fresh = freshness(r, g, b, vivid);
        const gray = ((r + g + b) / 3) * (1 - fresh);
        const red = channel(gray + fresh * r, old & 255, cover);
        const green = channel(gray + fresh * g, (old >> 8) & 255, cover);
        pixels[i] = 0xff000000 | (channel(gray + fresh * b, (old >> 16) & 255, cover) << 16) | (green << 8) | red;
      }
    }
  }
}
