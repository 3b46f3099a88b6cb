// The card beside the pointer: picture, name, attributes. Known parts are shown at once, others when they have loaded.

const INFO_DELAY_MS = 70;
const GAP = 18;

class Card {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.image = make("img", { className: "lm-card-image", alt: "" });
    this.image.onload = () => this.image.classList.remove("lm-waiting");
    this.image.onerror = () => this.image.classList.add("lm-missing");
    this.label = make("div", { className: "lm-card-label" });
    this.list = make("dl", { className: "lm-card-list" });
    this.frame = make("div", { className: "lm-frame" }, this.image);
    root.append(this.frame, make("div", { className: "lm-card-text" }, this.label, this.list));
  }

  show(row, panel) {
    clearTimeout(this.timer);
    this.root.hidden = row < 0 || !panel;
    if (this.root.hidden) {
      this.row = -1;
      return;
    }
    const fresh = row !== this.row;
    Object.assign(this, { row, panel });
    if (fresh) this.fill(row);
    this.move();
  }

  fill(row) {
    const { source } = this.host;
    this.frame.hidden = !source.hasPictures;
    this.draw(source.picture(row));
    this.label.textContent = `${whole(row + 1)} of ${whole(this.host.n)}`;
    this.write(this.host.knownAttributes(row));
    if (!source.describes) return;
    this.timer = setTimeout(async () => {
      const found = await source.describe(row).catch(() => null);
      if (!found || this.row !== row) return;
      if (found.picture) this.draw(found.picture);
      this.label.textContent = found.label ?? this.label.textContent;
      this.write(found.attributes ?? {}, this.host.coloringLabel);
      this.move(); // its size may have changed
    }, source.knows(row) ? 0 : INFO_DELAY_MS);
  }

  /** The picture at `url`; an empty frame while there is none. */
  draw(url) {
    if (url) this.image.src = url;
    else this.image.removeAttribute("src");
    this.image.className = url && this.image.complete ? "lm-card-image" : "lm-card-image lm-waiting";
  }

  write(attributes, first) {
    const isFirst = (name) => plainName(name) === plainName(first ?? "");
    const names = Object.keys(attributes).sort((a, b) => isFirst(b) - isFirst(a));
    this.list.replaceChildren(...names.slice(0, 8).flatMap((name) => [make("dt", { textContent: plainName(name) }), make("dd", { textContent: String(attributes[name]) })]));
  }

  /** Beside, above or below the point, inside the component, and where possible not over the same point in the other map. */
  move() {
    const { panel } = this;
    if (!panel.at(this.row)) return;
    const box = this.host.root.getBoundingClientRect();
    const places = this.host.panels.map((other) => placeInRoot(other, box, this.row)).filter(Boolean);
    const [x, y] = placeInRoot(panel, box, this.row);
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const clampTo = (value, size, room) => Math.round(Math.max(2, Math.min(value, room - size - 2)));
    const spots = [[x + GAP, y - height / 2], [x - GAP - width, y - height / 2], [x - width / 2, y - GAP - height], [x - width / 2, y + GAP]]
      .map(([left, top]) => [clampTo(left, width, box.width), clampTo(top, height, box.height)]);
    const covered = ([left, top]) => places.filter(([px, py]) => px > left - 8 && px < left + width + 8 && py > top - 8 && py < top + height + 8).length;
    const [left, top] = spots.reduce((best, spot) => (covered(spot) < covered(best) ? spot : best));
    this.root.style.transform = `translate(${left}px, ${top}px)`;
  }
}

function placeInRoot(panel, box, row) {
  const at = panel.at(row);
  const stage = panel.stage.getBoundingClientRect();
  return at && [stage.left - box.left + at[0], stage.top - box.top + at[1]];
}

const plainName = (name) => name.replaceAll("_", " ").toLowerCase();
