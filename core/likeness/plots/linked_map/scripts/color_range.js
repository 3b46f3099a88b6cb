// The scale of a coloring by numbers: ticks, and the colored range; values outside are gray.

const MOST_TICKS = 4;

/** Round numbers (1, 2 or 5 times a power of ten apart) within [low, high], at most `most`. */
function niceTicks(low, high, most = MOST_TICKS) {
  if (!(high > low)) return [low];
  let step = 10 ** Math.floor(Math.log10((high - low) / most));
  const count = (width) => Math.floor(high / width + 1e-9) - Math.ceil(low / width - 1e-9) + 1;
  for (const factor of [2, 2.5, 2, 2, 2.5]) if (count(step) > most) step *= factor;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: count(step) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Codes of `steps` colors for shares (n,) of the whole range, those from `from` to `to` spread over all of them, all others `steps`; and how many numbers lie outside. */
function rangeCodes(shares, from, to, steps) {
  const codes = new Uint8Array(shares.length);
  let outside = 0;
  const width = to - from || 1;
  const slack = 1e-6; // what rounding to 32 bits does to the ends
  for (let i = 0; i < shares.length; i++) {
    const share = shares[i];
    const isInside = share >= from - slack && share <= to + slack;
    codes[i] = isInside ? Math.round(Math.min(1, Math.max(0, (share - from) / width)) * (steps - 1)) : steps;
    if (!isInside && share === share) outside++;
  }
  return { codes, outside };
}

class ColorRange {
  /** A scale of `coloring` (kind "number") for a host that takes `setRange(from, to)`, shares of the whole range. */
  constructor(coloring, host) {
    Object.assign(this, { coloring, host });
    this.bar = make("div", { className: "lm-bar-colors" });
    this.ends = [0, 1].map((end) => this.slider(end));
    this.fields = [0, 1].map((end) => this.field(end));
    this.note = make("div", { className: "lm-caption" });
    this.reset = make("button", { className: "lm-all", type: "button", textContent: "All", title: "Color the whole range", onclick: () => (this.take([0, 1]), this.host.sayRange()) });
    const track = make("div", { className: "lm-range" }, this.bar, ...this.ends);
    const fields = make("div", { className: "lm-range-fields" }, this.fields[0], make("span", { textContent: "to" }), this.fields[1], this.reset);
    this.root = make("div", { className: "lm-colorbar", role: "group" }, track, this.ticks(), fields, this.note);
    this.root.setAttribute("aria-label", `Colored range of ${coloring.label}`);
    this.show(host.rangeOf(coloring));
  }

  get span() {
    return this.coloring.high - this.coloring.low;
  }

  slider(end) {
    const input = make("input", { type: "range", min: "0", max: "1", step: "0.001", className: "lm-range-end", oninput: () => this.slide(end), onchange: () => this.host.sayRange() });
    input.setAttribute("aria-label", end ? "Highest colored value" : "Lowest colored value");
    return input;
  }

  field(end) {
    const input = make("input", { type: "number", step: "any", className: "lm-find lm-range-field", onchange: () => this.write(end) });
    input.setAttribute("aria-label", end ? "Color up to" : "Color from");
    return input;
  }

  ticks() {
    const { low, high } = this.coloring;
    const spans = niceTicks(low, high).map((value) => {
      const share = this.span ? (value - low) / this.span : 0.5;
      const tick = make("span", { className: "lm-tick", textContent: short(value) });
      tick.style.left = `${100 * share}%`;
      tick.style.transform = `translateX(${share < 0.06 ? 0 : share > 0.94 ? -100 : -50}%)`;
      return tick;
    });
    return make("div", { className: "lm-ticks lm-ticks-placed" }, ...spans);
  }

  slide(end) {
    const ends = this.ends.map((input) => Number(input.value));
    ends[end] = end ? Math.max(ends[1], ends[0] + 0.001) : Math.min(ends[0], ends[1] - 0.001);
    this.take(ends);
  }

  write(end) {
    const ends = [...this.range];
    const value = this.fields[end].valueAsNumber;
    const share = Math.min(1, Math.max(0, (value - this.coloring.low) / (this.span || 1)));
    ends[end] = share;
    if (value === value && ends[0] < ends[1]) this.take(ends);
    else this.show(this.range); // not a number, or reversed: restore the old range
    this.host.sayRange();
  }

  take(ends) {
    this.show(ends);
    this.host.setRange(...ends);
  }

  show(ends) {
    this.range = ends;
    const { colors, low } = this.coloring;
    const stops = colors.slice(0, -1).filter((_, i) => i % 8 === 0 || i === colors.length - 2);
    const at = (share) => `${100 * (ends[0] + share * (ends[1] - ends[0]))}%`;
    const gray = this.coloring.gray;
    this.bar.style.background = `linear-gradient(to right, ${gray} ${at(0)}, ${stops.map((color, i) => `${color} ${at(i / (stops.length - 1))}`).join(", ")}, ${gray} ${at(1)})`;
    ends.forEach((share, end) => {
      const value = low + share * this.span;
      this.ends[end].value = share;
      this.ends[end].setAttribute("aria-valuetext", short(value));
      this.fields[end].value = Number(value.toPrecision(4));
    });
    this.reset.style.visibility = ends[0] > 0 || ends[1] < 1 ? "visible" : "hidden";
    this.tell(this.host.outside);
  }

  /** The note below the scale about gray points. */
  tell(outside) {
    const { missing } = this.coloring;
    this.note.textContent = [outside && `${whole(outside)} outside, gray`, missing && `${whole(missing)} without a value, gray`].filter(Boolean).join("; ");
    this.note.hidden = !this.note.textContent;
  }
}
