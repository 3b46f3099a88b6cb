// The card beside the pointer: picture, name, attributes. What is known stands at once, the rest follows.

const INFO_DELAY_MS = 70;
const KEPT_INFOS = 2000;
const infos = new Map(); // URL -> Promise of {label, attributes}

class Card {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.image = make("img", { className: "lm-card-image", alt: "" });
    this.image.onload = () => this.image.classList.remove("lm-waiting");
    this.image.onerror = () => this.image.classList.add("lm-missing");
    this.label = make("div", { className: "lm-card-label" });
    this.list = make("dl", { className: "lm-card-list" });
    root.append(make("div", { className: "lm-frame" }, this.image), make("div", { className: "lm-card-text" }, this.label, this.list));
  }

  show(row, panel) {
    clearTimeout(this.timer);
    this.root.hidden = row < 0 || !panel;
    if (this.root.hidden) {
      this.row = -1;
      return;
    }
    if (row !== this.row) this.fill(row);
    this.row = row;
    this.move(panel.at(row), panel);
  }

  fill(row) {
    const { thumbnails, info } = this.host;
    this.image.className = "lm-card-image lm-waiting";
    this.image.src = rowURL(thumbnails, row);
    this.label.textContent = `${whole(row + 1)} of ${whole(this.host.n)}`;
    this.write(this.host.knownAttributes(row));
    if (!info) return;
    this.timer = setTimeout(async () => {
      const found = await loadInfo(rowURL(info, row)).catch(() => null);
      if (!found || this.row !== row) return;
      this.label.textContent = found.label ?? this.label.textContent;
      this.write(found.attributes ?? {}, this.host.coloringLabel);
    }, infos.has(rowURL(info, row)) ? 0 : INFO_DELAY_MS);
  }

  write(attributes, first) {
    const names = Object.keys(attributes).sort((a, b) => (b === first) - (a === first));
    this.list.replaceChildren(...names.slice(0, 8).flatMap((name) => [make("dt", { textContent: plainName(name) }), make("dd", { textContent: String(attributes[name]) })]));
  }

  /** Beside the point, on the side with more room, always inside the component. */
  move(at, panel) {
    if (!at) return;
    const box = this.host.root.getBoundingClientRect();
    const stage = panel.stage.getBoundingClientRect();
    const [x, y] = [stage.left - box.left + at[0], stage.top - box.top + at[1]];
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const left = x + 18 + width <= box.width ? x + 18 : x - 18 - width;
    const top = Math.min(Math.max(4, y - height / 2), box.height - height - 4);
    this.root.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`;
  }
}

const rowURL = (template, row) => template.replace("{row}", row);
const plainName = (name) => name.replaceAll("_", " ");

function loadInfo(url) {
  if (!infos.has(url)) {
    if (infos.size >= KEPT_INFOS) infos.delete(infos.keys().next().value);
    const answer = fetch(url).then((r) => (r.ok ? r.json() : Promise.reject(new Error(`${r.status}`))));
    infos.set(url, answer);
    answer.catch(() => infos.delete(url));
  }
  return infos.get(url);
}
