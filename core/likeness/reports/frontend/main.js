// Puts the page together.

const MAPS = DATA.maps.map((data, number) => new PointMap(data, number));
byId("maps").append(...MAPS.map((map) => map.root));
MAPS.forEach(bindPointer);
bindSearch();

const colors = byId("color");
colors.append(...DATA.columns.map((each, place) => make("option", { value: place, textContent: each.name, disabled: each.kind === "text" })));
colors.value = DATA.columns.indexOf(STATE.column);
colors.onchange = () => change({ column: DATA.columns[colors.value], classes: null });
colors.parentElement.hidden = !STATE.column;

const tools = [...document.querySelectorAll("[data-tool]")].filter((each) => each.tagName === "BUTTON");
for (const button of tools) button.onclick = () => change({ tool: button.dataset.tool });
byId("clear").onclick = () => change({ selected: null, classes: null });
byId("more").onclick = showMore;

function showTool() {
  for (const button of tools) button.setAttribute("aria-pressed", button.dataset.tool === STATE.tool);
  for (const map of MAPS) map.stage.dataset.tool = STATE.tool;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (STATE.hovered >= 0) change({ hovered: -1 });
  else if (STATE.query >= 0) change({ query: -1 });
  else change({ selected: null, classes: null });
});

const redraw = () => MAPS.forEach((map) => map.draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

listen((changed) => {
  const has = (...names) => names.some((name) => changed.has(name));
  if (has("column")) buildLegend();
  if (has("column", "classes")) refreshLegend();
  if (has("column", "classes", "selected")) {
    shownTiles = PAGE;
    redraw();
    showGrid();
  }
  if (has("query", "column")) showNeighbors();
  if (has("hovered", "query")) MAPS.forEach((map) => map.drawOver());
  if (has("hovered")) showCard();
  if (has("tool")) showTool();
});

buildLegend();
refreshLegend();
showTool();
showGrid();
document.documentElement.dataset.ready = "true";
