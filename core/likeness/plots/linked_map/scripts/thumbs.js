// Pictures at their points where few are in sight. Those that would cover another stay points.

const FEW_IN_SIGHT = 240;
const CLOSE = 1.05; // zoom up to which all is points
const THUMB_PX = 50; // of a picture with its frame
const FRAME_PX = 2.5;
const STILL_MS = 120; // without a move before pictures that are not here yet are asked for
const KEPT_THUMBS = 600;

class Thumbs {
  constructor(panel) {
    this.panel = panel;
    this.images = new Map(); // row -> Image, of one dataset
    this.shown = []; // {row, x, y}
  }

  /** The row whose picture covers a place in CSS px; -1 for none. */
  at([x, y]) {
    const half = THUMB_PX / 2;
    return this.shown.findLast((each) => Math.abs(each.x - x) <= half && Math.abs(each.y - y) <= half)?.row ?? -1;
  }

  draw(context) {
    const { panel } = this;
    const { host } = panel;
    if (this.identity !== host.identity) {
      this.images.clear();
      this.identity = host.identity;
    }
    this.shown = this.place(new Set(this.shown.map(({ row }) => row)));
    if (this.shown.length) this.askFor();
    this.shown = this.shown.filter((each) => this.paint(context, each));
  }

  /** What can be shown: first what is shown already, so that nothing jumps while the map moves. */
  place(known) {
    const { panel } = this;
    const { host, width, height } = panel;
    if (!host.picturesOn || !host.source?.hasPictures || panel.morph || !panel.target || panel.view.zoom <= CLOSE) return [];
    const rows = rowsInBox(panel.grid, panel.sight(), FEW_IN_SIGHT);
    if (!rows) return [];
    const first = (row) => (row === host.hovered ? 3 : row === host.query ? 2 : known.has(row) ? 1 : 0);
    const candidates = rows.filter((row) => host.roles[row] !== FADED).sort((a, b) => first(b) - first(a) || a - b);
    const found = [];
    for (const row of candidates) {
      const [x, y] = panel.at(row);
      const isFree = found.every((other) => Math.abs(other.x - x) >= THUMB_PX || Math.abs(other.y - y) >= THUMB_PX);
      if (isFree && x > -THUMB_PX && y > -THUMB_PX && x < width + THUMB_PX && y < height + THUMB_PX) found.push({ row, x, y });
    }
    return found;
  }

  /** Loads what is missing once the map has been still for a moment. */
  askFor() {
    const missing = this.shown.filter(({ row }) => !this.images.has(row));
    if (!missing.length) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => missing.forEach(({ row }) => this.load(row)), STILL_MS);
  }

  async load(row) {
    const { host } = this.panel;
    if (this.images.has(row)) return;
    if (this.images.size >= KEPT_THUMBS) this.images.delete(this.images.keys().next().value);
    const image = new Image();
    this.images.set(row, image);
    image.onload = () => host.schedule();
    const url = host.source.picture(row) ?? (await host.source.describe(row).catch(() => null))?.picture;
    if (url) image.src = url;
  }

  /** What a ring is around a point. */
  mark(context, [left, top, width, height], color) {
    const { background } = this.panel.host.theme;
    for (const [out, line, ink] of [[FRAME_PX + 2, 5, background], [FRAME_PX + 2, 2.5, color]]) {
      context.strokeStyle = cssColor(ink);
      context.lineWidth = line;
      context.strokeRect(left - out, top - out, width + 2 * out, height + 2 * out);
    }
  }

  /** Whether a row is shown as a picture. */
  has(row) {
    return row !== null && this.shown.some((each) => each.row === row);
  }

  /** Whether the picture is here and drawn, in a frame of its point's color. */
  paint(context, { row, x, y }) {
    const image = this.images.get(row);
    if (!image?.naturalWidth) return false;
    const { host } = this.panel;
    const room = THUMB_PX - 2 - 2 * FRAME_PX;
    const scale = room / Math.max(image.naturalWidth, image.naturalHeight);
    const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale];
    const [left, top] = [x - width / 2, y - height / 2];
    context.fillStyle = cssColor(host.theme.background);
    context.fillRect(left - FRAME_PX - 1, top - FRAME_PX - 1, width + 2 * FRAME_PX + 2, height + 2 * FRAME_PX + 2);
    context.fillStyle = cssColor(host.colors[host.codes ? host.codes[row] : 0]);
    context.fillRect(left - FRAME_PX, top - FRAME_PX, width + 2 * FRAME_PX, height + 2 * FRAME_PX);
    context.drawImage(image, left, top, width, height);
    if (row === host.hovered || row === host.query) this.mark(context, [left, top, width, height], row === host.query ? host.theme.primary : host.theme.text);
    return true;
  }
}
