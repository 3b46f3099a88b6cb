// Points sorted into the cells of a grid: what lies in a part of the map is found without a look at the rest.

const PER_CELL = 4;
const MOST_CELLS = 512; // a side

/** order[k] is the row of the k-th point in the order of cells, xy its place; rows without a place (NaN) are left out. */
class Grid {
  constructor(positions) {
    this.bound(positions);
    const cells = this.side * this.side;
    const cellOf = new Uint32Array(positions.length / 2).fill(cells);
    this.starts = new Uint32Array(cells + 1); // the points of cell c are starts[c] to starts[c + 1]
    for (let i = 0, j = 0; i < cellOf.length; i++, j += 2) {
      const x = positions[j];
      const y = positions[j + 1];
      if (!Number.isFinite(x + y)) continue;
      cellOf[i] = this.row(y) * this.side + this.column(x);
      this.starts[cellOf[i] + 1]++;
    }
    for (let c = 0; c < cells; c++) this.starts[c + 1] += this.starts[c];
    this.sort(positions, cellOf, cells);
  }

  bound(positions) {
    let [left, right, low, high, placed] = [Infinity, -Infinity, Infinity, -Infinity, 0];
    for (let j = 0; j < positions.length; j += 2) {
      const x = positions[j];
      const y = positions[j + 1];
      if (!Number.isFinite(x + y)) continue;
      placed++;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < low) low = y;
      if (y > high) high = y;
    }
    this.size = placed;
    this.side = Math.max(1, Math.min(MOST_CELLS, Math.round(Math.sqrt(placed / PER_CELL))));
    [this.left, this.low] = placed ? [left, low] : [0, 0];
    this.cellWidth = placed && right > left ? (right - left) / this.side : 1;
    this.cellHeight = placed && high > low ? (high - low) / this.side : 1;
  }

  sort(positions, cellOf, cells) {
    const next = this.starts.slice();
    this.order = new Uint32Array(this.size);
    this.xy = new Float32Array(2 * this.size);
    for (let i = 0; i < cellOf.length; i++) {
      if (cellOf[i] === cells) continue;
      const k = next[cellOf[i]]++;
      this.order[k] = i;
      this.xy[2 * k] = positions[2 * i];
      this.xy[2 * k + 1] = positions[2 * i + 1];
    }
  }

  column(x) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((x - this.left) / this.cellWidth)));
  }

  row(y) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((y - this.low) / this.cellHeight)));
  }

  /** The stretches [from, to, ...] of the order that hold every point of the box, and others of the same cells. */
  stretches(left, right, low, high) {
    const found = [];
    const { side, starts } = this;
    const beyond = right < this.left || high < this.low || left > this.left + (side + 1) * this.cellWidth || low > this.low + (side + 1) * this.cellHeight;
    if (!this.size || beyond) return found;
    const [first, last] = [this.column(left), this.column(right)];
    for (let r = this.row(low); r <= this.row(high); r++) {
      const [from, to] = [starts[r * side + first], starts[r * side + last + 1]];
      if (to === from) continue;
      if (found[found.length - 1] === from) found[found.length - 1] = to;
      else found.push(from, to);
    }
    return found;
  }

  /** Points per square unit where points lie: `share` of all points have less around them. */
  density(share) {
    const points = new Map(); // number in a cell -> points in such cells
    for (let c = 0; c < this.starts.length - 1; c++) {
      const count = this.starts[c + 1] - this.starts[c];
      if (count) points.set(count, (points.get(count) ?? 0) + count);
    }
    let [seen, dense] = [0, 0];
    for (const count of [...points.keys()].sort((a, b) => a - b)) {
      dense = count;
      seen += points.get(count);
      if (seen >= share * this.size) break;
    }
    return dense / (this.cellWidth * this.cellHeight);
  }
}
