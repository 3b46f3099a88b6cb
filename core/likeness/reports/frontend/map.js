// One map: points below, and above them what changes with each move of the pointer.

const GRID = 65535;
const MARGIN = 0.93;
const ZOOMS = [1, 60];
const REACH = 14; // px around the pointer in which a point is found
const styleOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

class PointMap {
  constructor(data, number) {
    Object.assign(this, { data, number, zoom: 1, cx: 0.5, cy: 0.5, path: [] });
    const button = (text, title, act) => make("button", { type: "button", textContent: text, title, ariaLabel: `${title}: ${data.title}`, onclick: act });
    this.base = make("canvas");
    this.over = make("canvas", { tabIndex: 0 });
    this.over.setAttribute("role", "application");
    this.over.setAttribute("aria-label", `Map of ${data.title}, ${whole(COUNT)} images; arrow keys go from point to point`);
    this.stage = make("div", { className: "stage" }, this.base, this.over);
    const zooms = make("span", {}, button("+", "Zoom in", () => this.zoomAt(1.5)), button("−", "Zoom out", () => this.zoomAt(1 / 1.5)), button("⤢", "Show all", () => this.reset()));
    this.root = make("div", { className: "map" }, make("div", { className: "map-head" }, make("h2", { textContent: data.title, title: data.title }), zooms), this.stage);
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  resize() {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width) return;
    Object.assign(this, { width, height });
    for (const canvas of [this.base, this.over]) {
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.draw();
  }

  reset() {
    Object.assign(this, { zoom: 1, cx: 0.5, cy: 0.5 });
    this.draw();
  }

  /** px a unit, which the whole map has in its longer direction. */
  get scale() {
    return MARGIN * this.zoom * Math.min(this.width, this.height);
  }

  /** Where a row stands, in px. */
  at(row) {
    const { xy } = this.data;
    return [this.width / 2 + (xy[2 * row] / GRID - this.cx) * this.scale, this.height / 2 - (xy[2 * row + 1] / GRID - this.cy) * this.scale];
  }

  zoomAt(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(ZOOMS[1], Math.max(ZOOMS[0], this.zoom * factor));
    const before = this.scale;
    this.zoom = zoom;
    const shift = 1 / before - 1 / this.scale;
    this.move(-(x - this.width / 2) * shift * this.scale, -(y - this.height / 2) * shift * this.scale);
  }

  move(dx, dy) {
    const within = (value) => Math.min(1, Math.max(0, value));
    this.cx = within(this.cx - dx / this.scale);
    this.cy = within(this.cy + dy / this.scale);
    this.draw();
  }

  get radius() {
    return Math.min(9, Math.min(4.5, Math.max(1.7, 150 / Math.sqrt(COUNT))) * this.zoom ** 0.35);
  }

  draw() {
    if (!this.width) return;
    const pen = this.base.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    const rim = styleOf("soft");
    const narrowed = isNarrowed();
    for (const front of narrowed ? [false, true] : [true]) {
      for (let row = 0; row < COUNT; row++) {
        if (narrowed && isActive(row) !== front) continue;
        pen.globalAlpha = front ? 0.85 : 0.13;
        this.dot(pen, row, this.radius);
        if (front && STATE.column?.kind === "colors") this.outline(pen, rim, 0.35);
      }
    }
    pen.globalAlpha = 1;
    this.drawOver();
  }

  dot(pen, row, radius) {
    const [x, y] = this.at(row);
    pen.fillStyle = colorOf(row);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 7);
    pen.fill();
  }

  outline(pen, color, width) {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.stroke();
  }

  /** Lines to the neighbors, the query, the point under the pointer, and what is being drawn around. */
  drawOver() {
    if (!this.width) return;
    const pen = this.over.getContext("2d");
    pen.clearRect(0, 0, this.width, this.height);
    const [text, primary] = [styleOf("text"), styleOf("primary")];
    if (STATE.query >= 0) {
      for (const row of nearOf(this.data, STATE.query)) {
        pen.beginPath();
        pen.moveTo(...this.at(STATE.query));
        pen.lineTo(...this.at(row));
        pen.globalAlpha = 0.5;
        this.outline(pen, text, 1);
        pen.globalAlpha = 1;
        this.dot(pen, row, this.radius + 1);
        this.outline(pen, text, 1);
      }
      this.dot(pen, STATE.query, this.radius + 2.5);
      this.outline(pen, primary, 2.5);
    }
    if (STATE.hovered >= 0) {
      this.dot(pen, STATE.hovered, this.radius + 2.5);
      this.outline(pen, text, 2);
    }
    if (this.path.length > 1) {
      pen.beginPath();
      this.path.forEach(([x, y]) => pen.lineTo(x, y));
      pen.closePath();
      pen.globalAlpha = 0.12;
      pen.fillStyle = primary;
      pen.fill();
      pen.globalAlpha = 1;
      this.outline(pen, primary, 1.5);
    }
  }

  /** The row nearest to a place, within reach; -1 if there is none. */
  rowAt(x, y, reach = REACH) {
    let [best, found] = [reach * reach, -1];
    for (let row = 0; row < COUNT; row++) {
      if (!isShown(row)) continue;
      const [px, py] = this.at(row);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < best) [best, found] = [distance, row];
    }
    return found;
  }

  /** Rows inside of the path, a polygon in px. */
  rowsInside(path) {
    const inside = (x, y) => {
      let odd = false;
      for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
        const [[ax, ay], [bx, by]] = [path[i], path[j]];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      }
      return odd;
    };
    return DATA.names.map((_, row) => row).filter((row) => isShown(row) && inside(...this.at(row)));
  }

  /** The nearest row in a direction, [dx, dy] in px; the row itself where there is none. */
  rowToward(row, [dx, dy]) {
    const [x, y] = this.at(row);
    let [best, found] = [Infinity, row];
    for (let other = 0; other < COUNT; other++) {
      const [px, py] = this.at(other);
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy - (py - y) * dx);
      if (other === row || !isShown(other) || along <= 0 || aside > along) continue;
      if (along + 2 * aside < best) [best, found] = [along + 2 * aside, other];
    }
    return found;
  }
}

const nearOf = (data, row) => data.near.slice(row * NEIGHBORS, (row + 1) * NEIGHBORS);
