// Which rows lie under the pointer, in a box, in a lasso. Positions are x, y pairs; a linear pass is fast enough for 10^5 points.

/** The nearest row within `reach` px of (px, py), rows of higher rank first; -1 if none. */
function nearestRow(positions, ranks, { scale, x0, y0 }, px, py, reach) {
  const x = (px - x0) / scale;
  const y = (y0 - py) / scale;
  const limit = (reach / scale) ** 2;
  let best = -1;
  let bestRank = 0;
  let bestDistance = limit;
  for (let i = 0, j = 0; i < ranks.length; i++, j += 2) {
    const dx = positions[j] - x;
    const dy = positions[j + 1] - y;
    const distance = dx * dx + dy * dy;
    if (!(distance <= limit)) continue; // also skips NaN
    const rank = ranks[i] ? 1 : 0; // a faded point answers only where no full one is
    if (best < 0 || rank > bestRank || (rank === bestRank && distance < bestDistance)) {
      best = i;
      bestRank = rank;
      bestDistance = distance;
    }
  }
  return best;
}

/** Marks in a new mask the rows inside a closed polygon [[px, py], ...] among those with `allowed`. */
function rowsInPolygon(positions, allowed, { scale, x0, y0 }, polygon) {
  const mask = new Uint8Array(allowed.length);
  const xs = polygon.map((p) => (p[0] - x0) / scale);
  const ys = polygon.map((p) => (y0 - p[1]) / scale);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  for (let i = 0, j = 0; i < allowed.length; i++, j += 2) {
    const x = positions[j];
    const y = positions[j + 1];
    if (allowed[i] && x >= left && x <= right && y >= low && y <= high && insidePolygon(xs, ys, x, y)) mask[i] = 1;
  }
  return mask;
}

/** Even-odd rule. */
function insidePolygon(xs, ys, x, y) {
  let inside = false;
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    if (ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) inside = !inside;
  }
  return inside;
}

/** The selection after a shape: replaced, widened ("add") or narrowed ("remove"); null when nothing is left. */
function combineRows(old, fresh, how) {
  const mask = how === "replace" || !old ? (how === "remove" ? null : fresh) : Uint8Array.from(old, (v, i) => (how === "add" ? v | fresh[i] : v & ~fresh[i] & 1));
  return mask && mask.includes(1) ? mask : null;
}
