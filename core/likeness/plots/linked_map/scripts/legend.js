// Legend of the colors. A clicked class is shown alone; further clicks add and remove classes.

const FINDABLE = 20;

class Legend {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.entries = new Map();
  }

  /** Builds the legend of a coloring; cheap if it is unchanged. */
  show(coloring) {
    const text = JSON.stringify([coloring.kind, coloring.label, coloring.names, coloring.counts, coloring.colors, coloring.low, coloring.high]);
    if (text === this.text) return;
    this.text = text;
    this.entries.clear();
    this.root.replaceChildren(...this.content(coloring));
    this.root.scrollTop = 0;
    this.root.setAttribute("aria-label", `Colors: ${coloring.label || "none"}`);
  }

  content(coloring) {
    const label = make("div", { className: "lm-legend-label" }, make("span", { textContent: coloring.label }));
    this.all = null;
    if (coloring.kind === "none") return [];
    this.range = coloring.kind === "number" && coloring.values ? new ColorRange(coloring, this.host) : null;
    if (coloring.kind === "number" || coloring.kind === "angle") return [label, this.range ? this.range.root : colorbar(coloring)];
    this.all = make("button", { className: "lm-all", type: "button", textContent: "Show all", onclick: () => this.host.setActive(null) });
    if (coloring.names.length > FINDABLE) label.append(this.finder(coloring));
    label.append(this.all);
    return [label, make("div", { className: "lm-entries" }, ...coloring.legend.map((code) => this.entry(coloring, code)))];
  }

  finder({ names }) {
    const field = make("input", { className: "lm-find", type: "search", placeholder: `Find among ${whole(names.length)}`, oninput: () => this.find(field.value) });
    field.setAttribute("aria-label", "Find a class");
    field.onkeydown = (event) => event.key === "Escape" && field.value && (event.stopPropagation(), (field.value = ""), this.find(""));
    return field;
  }

  entry({ names }, code) {
    const swatch = make("span", { className: "lm-swatch" });
    const number = make("span", { className: "lm-number" });
    const button = make("button", { className: "lm-entry", type: "button", title: `${names[code]}: show only this, or add it to those shown`, onclick: () => this.toggle(code) },
      swatch, make("span", { className: "lm-name", textContent: names[code] }), number);
    this.entries.set(code, { button, swatch, number, name: names[code].toLowerCase() });
    return button;
  }

  toggle(code) {
    const active = new Set(this.host.active ?? []);
    if (!active.delete(code)) active.add(code);
    this.host.setActive(active.size ? active : null);
  }

  /** Hides the entries without `text` in their name. */
  find(text) {
    for (const { button, name } of this.entries.values()) button.hidden = !name.includes(text.trim().toLowerCase());
  }

  /** Colors, counts and states; `colors` are those in use, which differ from the coloring's if gray classes borrow some. */
  refresh(colors, active, theme, kind, left, picked) {
    for (const [code, { button, swatch, number }] of this.entries) {
      number.textContent = picked ? `${whole(picked[code])}/${whole(left[code])}` : whole(left[code]);
      swatch.style.background = cssColor(colors[code]);
      swatch.style.boxShadow = needsOutline(colors[code], theme, kind) ? `inset 0 0 0 1px ${cssColor(theme.text, 0.45)}` : "none";
      button.classList.toggle("lm-off", (active !== null && !active.has(code)) || left[code] === 0 || picked?.[code] === 0);
      button.setAttribute("aria-pressed", String(active !== null && active.has(code)));
    }
    this.range?.tell(this.host.outside);
    if (this.all) this.all.style.visibility = active === null ? "hidden" : "visible";
  }
}

const short = (number) => (Number.isInteger(number) ? whole(number) : Number(number.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 }));

function colorbar({ kind, colors, low, high, missing }) {
  const stops = colors.slice(0, -1);
  const bar = make("div", { className: "lm-bar-colors" });
  bar.style.background = `linear-gradient(to right, ${stops.filter((_, i) => i % 8 === 0 || i === stops.length - 1).join(", ")})`;
  const ticks = kind === "angle" ? [0, 90, 180, 270, 360].map((v) => `${v}°`) : [low, (low + high) / 2, high].map(short);
  const labels = make("div", { className: "lm-ticks" }, ...ticks.map((text) => make("span", { textContent: text })));
  const scale = make("div", { className: "lm-colorbar" }, bar, labels);
  if (missing) scale.append(make("div", { className: "lm-caption", textContent: `${whole(missing)} without a value, gray` }));
  return scale;
}
