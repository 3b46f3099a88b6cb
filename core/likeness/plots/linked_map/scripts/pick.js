// Which rows lie under the pointer, in a box, in a lasso.

/** The nearest row of a grid within `reach` px of (px, py), rows of higher rank first; -1 if none. */
function nearestRow(grid, ranks, { scale, x0, y0 }, px, py, reach) {
  const x = (px - x0) / scale;
  const y = (y0 - py) / scale;
  const far = reach / scale;
  const { order, xy } = grid;
  const stretches = grid.stretches(x - far, x + far, y - far, y + far);
  let best = -1;
  let bestRank = 0;
  let bestDistance = far * far;
  for (let s = 0; s < stretches.length; s += 2) {
    for (let k = stretches[s]; k < stretches[s + 1]; k++) {
      const dx = xy[2 * k] - x;
      const dy = xy[2 * k + 1] - y;
      const distance = dx * dx + dy * dy;
      if (distance > far * far) continue;
      const rank = ranks[order[k]] ? 1 : 0; // a faded point answers only where no full one is
      if (best < 0 || rank > bestRank || (rank === bestRank && distance < bestDistance)) {
        best = order[k];
        bestRank = rank;
        bestDistance = distance;
      }
    }
  }
  return best;
}

/** Marks in a new mask the rows of a grid inside a closed polygon [[px, py], ...] among those with `allowed`. */
function rowsInPolygon(grid, allowed, { scale, x0, y0 }, polygon) {
  const mask = new Uint8Array(allowed.length);
  const xs = polygon.map((p) => (p[0] - x0) / scale);
  const ys = polygon.map((p) => (y0 - p[1]) / scale);
  const { side, starts, order, xy } = grid;
  const crossed = cellsOnEdges(grid, xs, ys);
  const [first, last] = [grid.column(Math.min(...xs)), grid.column(Math.max(...xs))];
  for (let r = grid.row(Math.min(...ys)); r <= grid.row(Math.max(...ys)); r++) {
    let inside = null; // of the cells since the last edge, which lie all inside or all outside
    for (let c = r * side + first; c <= r * side + last; c++) {
      if (crossed[c]) inside = null;
      else inside ??= insidePolygon(xs, ys, grid.left + (c - r * side + 0.5) * grid.cellWidth, grid.low + (r + 0.5) * grid.cellHeight);
      if (inside === false) continue;
      for (let k = starts[c]; k < starts[c + 1]; k++) {
        if (allowed[order[k]] && (inside || insidePolygon(xs, ys, xy[2 * k], xy[2 * k + 1]))) mask[order[k]] = 1;
      }
    }
  }
  return mask;
}

/** One for every cell that an edge of the polygon may pass through. */
function cellsOnEdges(grid, xs, ys) {
  const { side, low, cellHeight } = grid;
  const crossed = new Uint8Array(side * side);
  for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
    const slope = ys[i] === ys[j] ? 0 : (xs[i] - xs[j]) / (ys[i] - ys[j]);
    const [bottom, top] = [Math.min(ys[i], ys[j]), Math.max(ys[i], ys[j])];
    for (let r = grid.row(bottom); r <= grid.row(top); r++) {
      // where the edge enters and leaves the row of cells; points beyond the grid's rim are counted to its outermost cells
      const ends = [r ? low + r * cellHeight : bottom, r < side - 1 ? low + (r + 1) * cellHeight : top].map((y) => Math.min(top, Math.max(bottom, y)));
      const at = slope ? ends.map((y) => xs[j] + (y - ys[j]) * slope) : [xs[i], xs[j]];
      // a cell more on both sides, for what rounding does
      const [from, to] = [grid.column(Math.min(...at)) - 1, grid.column(Math.max(...at)) + 1];
      crossed.fill(1, r * side + Math.max(0, from), r * side + Math.min(side - 1, to) + 1);
    }
  }
  return crossed;
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
  if (how === "remove" && !old) return null;
  const mask = how === "replace" || !old ? fresh : old.slice();
  if (mask !== fresh) for (let i = 0; i < mask.length; i++) mask[i] = how === "add" ? mask[i] | fresh[i] : mask[i] & ~fresh[i];
  return mask.includes(1) ? mask : null;
}

/**
 * The row that one comes to from a place [x, y] of the world in a direction [dx, dy]: of those in the quarter that lies there, the nearest, what
 * lies to the side counting double; -1 where there is none.
 */
function rowAhead(grid, allowed, [x, y], [dx, dy], from) {
  const { order, xy } = grid;
  const far = Math.hypot(...[grid.left, grid.left + grid.side * grid.cellWidth].map((edge) => Math.abs(edge - x)), ...[grid.low, grid.low + grid.side * grid.cellHeight].map((edge) => Math.abs(edge - y)));
  for (let reach = Math.max(Math.min(grid.cellWidth, grid.cellHeight), far / 1e6); ; reach *= 2) {
    let [best, least] = [-1, Infinity];
    const box = [dx < 0 || dy ? x - reach : x, dx > 0 || dy ? x + reach : x, dy < 0 || dx ? y - reach : y, dy > 0 || dx ? y + reach : y];
    const stretches = grid.stretches(...box);
    for (let s = 0; s < stretches.length; s += 2) {
      for (let k = stretches[s]; k < stretches[s + 1]; k++) {
        const [px, py] = [xy[2 * k] - x, xy[2 * k + 1] - y];
        const along = px * dx + py * dy;
        const aside = Math.abs(px * dy) + Math.abs(py * dx);
        if (along <= 0 || aside > along || along + 2 * aside >= least || !allowed[order[k]] || order[k] === from) continue;
        [best, least] = [order[k], along + 2 * aside];
      }
    }
    if (least <= reach || reach > far) return best; // what lies beyond the box costs more than its reach
  }
}

/** The rows of the points in a box of the world; null where they are more than `most`. Cheap then: a few cells are counted, not looked into. */
function rowsInBox(grid, [left, right, low, high], most = Infinity) {
  const stretches = grid.stretches(left, right, low, high);
  const { order, xy } = grid;
  const found = [];
  let near = 0;
  for (let s = 0; s < stretches.length; s += 2) near += stretches[s + 1] - stretches[s];
  if (near > 8 * most + 4096) return null;
  for (let s = 0; s < stretches.length; s += 2) {
    for (let k = stretches[s]; k < stretches[s + 1]; k++) {
      const [x, y] = [xy[2 * k], xy[2 * k + 1]];
      if (x >= left && x <= right && y >= low && y <= high) found.push(order[k]);
    }
    if (found.length > most) return null;
  }
  return found;
}
