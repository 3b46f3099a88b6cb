// Rows of pictures that belong together. A click enlarges a row; the pointer's place in one picture is marked in the others of its row.

const grids = new WeakMap();

class PictureGrid {
  constructor(parent) {
    this.root = parent.querySelector(".pg");
    this.sheet = make("div", { className: "pg-sheet" });
    this.large = new Enlarged(this);
    this.root.append(this.sheet, this.large.root);
    this.watcher = new ResizeObserver(() => this.data && this.lay());
    this.watcher.observe(this.root);
  }

  update({ data }) {
    this.data = data;
    this.groups = 0;
    this.lay();
    this.large.refresh();
  }

  /** As many rows beside each other as fit; each is one group under titles of its own. */
  lay() {
    const { titles, rows, tile } = this.data;
    const width = titles.length * (tile + 8) + 16;
    const groups = Math.max(1, Math.min(rows.length, Math.floor((this.root.clientWidth + 16) / width)));
    if (groups === this.groups) return;
    this.groups = groups;
    const spacer = () => make("span", {});
    const joined = (parts) => parts.flatMap((part, i) => (i ? [spacer(), ...part] : part));
    this.sheet.style.gridTemplateColumns = Array(groups).fill(`repeat(${titles.length}, minmax(88px, ${tile}px))`).join(" 8px ");
    const head = () => titles.map((title) => make("div", { className: "pg-title", textContent: title }));
    const lines = [joined(Array.from({ length: groups }, head))];
    for (let i = 0; i < rows.length; i += groups) lines.push(joined(rows.slice(i, i + groups).map((row, j) => this.cells(row, i + j))));
    this.sheet.replaceChildren(...lines.flat());
  }

  cells(row, i) {
    const cells = row.cells.map((cell, j) => {
      const name = `${row.name}: ${this.data.titles[j]}. Enlarge`;
      const open = make("button", { className: "pg-cell", type: "button", title: name, onclick: () => this.large.open(i) }, frame(cell, name));
      open.append(make("span", { className: "pg-caption", textContent: cell.caption }));
      return open;
    });
    followPointer(cells);
    return cells;
  }
}

class Enlarged {
  constructor(grid) {
    this.grid = grid;
    this.name = make("span", { className: "pg-name" });
    this.before = make("button", { type: "button", textContent: "Previous", onclick: () => this.open(this.i - 1) });
    this.after = make("button", { type: "button", textContent: "Next", onclick: () => this.open(this.i + 1) });
    this.close = make("button", { type: "button", textContent: "Close", onclick: () => this.root.close() });
    this.panels = make("div", { className: "pg-panels" });
    this.root = make("dialog", { className: "pg-large", tabIndex: -1 }, make("div", { className: "pg-bar" }, this.name, this.before, this.after, this.close), this.panels);
    this.root.addEventListener("click", (event) => event.target === this.root && this.root.close());
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  open(i) {
    if (!this.grid.data.rows[i]) return;
    this.i = i;
    if (!this.root.open) this.root.showModal();
    this.refresh();
  }

  refresh() {
    if (!this.root.open) return;
    const { rows, titles } = this.grid.data;
    if (!rows[this.i]) return this.root.close();
    this.name.textContent = rows[this.i].name;
    this.before.disabled = this.i === 0;
    this.after.disabled = this.i === rows.length - 1;
    // a disabled button would keep the focus and swallow the arrow keys
    if (this.root.getRootNode().activeElement?.disabled) this.root.focus();
    const panels = rows[this.i].cells.map((cell, j) => make("div", {},
      make("span", { className: "pg-title", textContent: titles[j] }), frame(cell, titles[j]), make("span", { className: "pg-caption", textContent: cell.caption })));
    followPointer(panels);
    this.panels.replaceChildren(...panels);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) this.open(this.i + step);
    event.stopPropagation();
  }
}

function frame(cell, alt) {
  return make("span", { className: "pg-frame" }, make("img", { src: cell.src, alt, draggable: false }));
}

/** Marks the place under the pointer in every picture of the group. */
function followPointer(group) {
  const frames = group.map((each) => each.querySelector(".pg-frame"));
  for (const over of frames) {
    over.addEventListener("pointermove", (event) => {
      const box = over.getBoundingClientRect();
      for (const each of frames) {
        each.style.setProperty("--x", `${(100 * (event.clientX - box.left)) / box.width}%`);
        each.style.setProperty("--y", `${(100 * (event.clientY - box.top)) / box.height}%`);
        each.style.setProperty("--dot", each === over ? 0 : 1);
      }
    });
    over.addEventListener("pointerleave", () => frames.forEach((each) => each.style.setProperty("--dot", 0)));
  }
}

export default function ({ parentElement, ...component }) {
  if (!grids.get(parentElement)?.root.isConnected) grids.set(parentElement, new PictureGrid(parentElement));
  grids.get(parentElement).update(component);
  return () => {
    grids.get(parentElement)?.watcher.disconnect();
    grids.delete(parentElement);
  };
}
