// What the colors mean. A class clicked is shown alone; further clicks add and remove classes.

function buildLegend() {
  const { column } = STATE;
  const legend = byId("legend");
  if (hasClasses(column)) legend.replaceChildren(...classButtons(column));
  else if (isScale(column)) legend.replaceChildren(scaleOf(column));
  else legend.replaceChildren();
}

function classButtons(column) {
  const counts = column.names.map(() => 0);
  column.codes.forEach((code) => code >= 0 && counts[code]++);
  const order = column.names.map((_, code) => code).sort((a, b) => counts[b] - counts[a] || a - b);
  return order.map((code) => {
    const button = make("button", { type: "button", title: `${column.names[code]}: show alone, or add to those shown`, onclick: () => toggleClass(code) },
      swatch(column.colors[code]), make("span", { className: "name", textContent: column.names[code] }), make("span", { className: "number", textContent: whole(counts[code]) }));
    button.dataset.code = code;
    return button;
  });
}

/** A dot of a color, as a canvas: printers keep it. */
function swatch(color) {
  const canvas = make("canvas", { className: "swatch", width: 24, height: 24 });
  const pen = canvas.getContext("2d");
  pen.fillStyle = color;
  pen.strokeStyle = "#8888";
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(12, 12, 11, 0, 7);
  pen.fill();
  pen.stroke();
  return canvas;
}

function scaleOf({ colors, low, high, kind }) {
  const bar = make("canvas", { width: colors.length, height: 1 });
  const pen = bar.getContext("2d");
  colors.forEach((color, place) => {
    pen.fillStyle = color;
    pen.fillRect(place, 0, 1, 1);
  });
  const ends = [low, (low + high) / 2, high].map((value) => make("span", { textContent: short(value) + (kind === "angle" ? "°" : "") }));
  return make("div", { className: "scale" }, bar, make("div", {}, ...ends));
}

function toggleClass(code) {
  const classes = new Set(STATE.classes ?? []);
  if (!classes.delete(code)) classes.add(code);
  change({ classes: classes.size ? classes : null });
}

function refreshLegend() {
  for (const button of byId("legend").querySelectorAll("button")) {
    const on = STATE.classes?.has(Number(button.dataset.code)) ?? false;
    button.setAttribute("aria-pressed", on);
    button.classList.toggle("off", STATE.classes !== null && !on);
  }
}
