// Many points as renderers take them: sorted by place, each with its ink.

let sets = 0;

/** All rows of a grid, or an even sample of them, each of which then stands for `weight` points. */
class PointSet {
  constructor(grid, stride = 1) {
    this.grid = stride === 1 ? grid : null; // a sample is small enough to be drawn whole
    this.weight = stride;
    this.order = stride === 1 ? grid.order : grid.order.filter((_, k) => k % stride === 0);
    this.xy = stride === 1 ? grid.xy : new Float32Array(2 * this.order.length);
    this.median = grid.density(0.5);
    this.dense = grid.density(0.99);
    this.moves = 0; // counts changes of xy
    this.serial = ++sets;
  }

  get size() {
    return this.order.length;
  }

  /** Stretches [from, to, ...] of the points that may touch a box of device px, `reach` px around them included. */
  within({ scale, x0, y0 }, { x, y, width, height }, reach) {
    if (!this.grid) return [0, this.size];
    const [left, right] = [(x - reach - x0) / scale, (x + width + reach - x0) / scale];
    return this.grid.stretches(left, right, (y0 - y - height - reach) / scale, (y0 - y + reach) / scale);
  }

  /** The ink of each point: its code, plus the number of codes if it is faded. Made once for each scene. */
  inks(scene) {
    if (this.inked === scene.version) return this.ink;
    this.inked = scene.version;
    this.ink ??= new Uint32Array(this.size);
    const { order, ink } = this;
    const { roles, codes } = scene;
    const colors = scene.table.full.length;
    for (let k = 0; k < order.length; k++) {
      const row = order[k];
      ink[k] = (codes ? codes[row] : 0) + (roles[row] === FADED ? colors : 0);
    }
    return ink;
  }

  /** Puts the points on their way between two layouts, positions of all rows; `t` from 0 to 1. */
  move(from, to, t) {
    const { order, xy } = this;
    for (let k = 0; k < order.length; k++) {
      xy[2 * k] = between(from[2 * order[k]], to[2 * order[k]], t);
      xy[2 * k + 1] = between(from[2 * order[k] + 1], to[2 * order[k] + 1], t);
    }
    this.moves++;
  }
}

/** On the way from a to b; what has no place yet is at b at once. */
const between = (a, b, t) => (a === a ? a + (b - a) * t : b);
