// Picture of many points: a pixel's color is the mean of the points on it, its opacity grows with their number.
// Nothing depends on the order of the points, so a picture can be drawn in parts and in any order.

const FEWEST = 30000; // from so many points on; fewer are drawn as discs over each other
const FULL = 0.97;
const UNDER = 0.2; // weight of a point of a gray class relative to one in color
const VIVID = 2;
const PURE = 120; // spread between the channels of a color that needs no help
const FAINT = 0.3; // opacity of the densest faded pixel

/** Radius (device px), opacity of one point, and how many points on a pixel make it full. `scale`: device px a world unit. */
function look(points, scale, ratio) {
  const median = points.median / (scale / ratio) ** 2; // points per square CSS px where they lie
  const dense = points.dense / (scale / ratio) ** 2;
  const radius = Math.min(6, Math.max(0.8, 0.42 / Math.sqrt(median)));
  const area = Math.PI * radius * radius;
  return { radius: radius * ratio, single: Math.min(0.75, Math.max(0.13, 0.75 / (1 + median * area) ** 0.55)), most: Math.max(2, dense * area) };
}

/** The look of what stands in front of faded points: the fewer these are, the more each must be seen. */
function frontLook(seen, count) {
  if (count > 200000) return { ...seen, single: Math.max(seen.single, 0.3) };
  if (count > 5000) return { ...seen, single: Math.max(seen.single, 0.5) };
  return { ...seen, single: 0.85, radius: Math.max(seen.radius * 1.25, 1.6) };
}

/** Opacity of a pixel that `load` points lie on. */
function opacity(load, { single, most }) {
  return load <= 1 ? single * load : Math.min(FULL, single + (FULL - single) * (Math.log(load) / Math.log(most)));
}

/** Opacities by load in steps that grow with it: index = loadStep(load). */
function opacityTable(seen, top = 1) {
  return Float32Array.from({ length: STEPS + 1 }, (_, i) => top * opacity((2 ** (i / 128) - 1) / 4, seen));
}

const STEPS = 128 * 24;
const loadStep = (load) => Math.min(STEPS, Math.round(128 * Math.log2(1 + 4 * load)));

/** What a point adds to the sums of its pixel, four numbers a color: red, green, blue, each times the load, and the load. */
function inkTable(colors, theme, kind, under) {
  const inks = (list) => Float32Array.from(list.flatMap((color, code) => {
    const load = under[code] && under.includes(0) ? UNDER : 1;
    return [...color.map((v) => v * load), load];
  }));
  const gray = mixColors(theme.background, theme.text, 0.35);
  const seen = colors.map((color) => (needsOutline(color, theme, kind) ? mixColors(color, theme.text, 0.2) : color)); // no outlines here, so white is darkened
  return { front: inks(seen), faded: inks(seen.map((color) => mixColors(color, gray, 0.5))), vivid: kind === "category" ? VIVID : 1 };
}

/** Factor that moves a mean of colors away from gray: mixed classes keep their hue, and pure colors are unchanged. */
function freshness(red, green, blue, vivid) {
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue);
  return vivid > 1 && chroma < PURE ? Math.min(vivid, Math.sqrt(PURE / Math.max(chroma, 1))) : 1;
}
