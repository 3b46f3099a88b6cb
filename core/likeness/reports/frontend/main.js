// Puts the page together: the page stands where Python does in the app, and answers what a person does on the maps.

let column = DATA.columns.find((each) => each.coloring) ?? null; // by which points are colored

/** The maps, whose pictures stand in a grid below. */
class ReportMaps extends LinkedMap {
  refresh() {
    super.refresh();
    const seen = [this.roles, column];
    if (seen.every((each, i) => each === this.listed?.[i])) return;
    this.listed = seen;
    shownTiles = PAGE;
    showGrid();
  }
}

const MAPS = new ReportMaps(byId("maps"));

async function show({ id = null, selected, query }) {
  const neighbors = query === null ? null : DATA.near.map((_, space) => nearOf(space, query));
  const coloring = { ...(column?.coloring ?? DATA.map.coloring), colored: null };
  const data = { ...DATA.map, coloring, selected, query, neighbors, seen: id };
  showNeighbors(query);
  await MAPS.update({ data, source: SOURCE, setTriggerValue: (kind, edit) => kind === "edit" && show(edit) });
}

const showAgain = () => show({ selected: MAPS.selectedText, query: MAPS.query });

function bindColors() {
  const colors = byId("color");
  colors.append(...DATA.columns.map((each, place) => make("option", { value: place, textContent: each.name, disabled: !each.coloring })));
  colors.value = DATA.columns.indexOf(column);
  colors.parentElement.hidden = !column;
  colors.onchange = () => {
    column = DATA.columns[colors.value];
    showAgain();
  };
}

function bindSearch() {
  const within = byId("within");
  within.append(make("option", { value: "", textContent: "in all" }), ...DATA.columns.map((each, place) => make("option", { value: place, textContent: each.name })));
  byId("search").onsubmit = (event) => {
    event.preventDefault();
    const text = byId("find").value;
    const rows = text.trim() ? rowsWith(text, DATA.columns[within.value]) : [];
    const mask = new Uint8Array(COUNT);
    for (const row of rows) mask[row] = 1;
    MAPS.select(mask, "replace");
    byId("status").textContent = text.trim() && !rows.length ? "No image has this value" : "";
  };
}

/** On paper, maps are as on a white page, whatever the screen has. */
function printMaps() {
  Object.assign(MAPS, { theme: { ...MAPS.theme, background: [255, 255, 255], text: [0, 0, 0], dark: false } });
  MAPS.refresh();
  for (const panel of MAPS.panels) panel.drawPoints(MAPS.scene); // a whole frame would leave the paper blank
}

showRows();
bindColors();
bindSearch();
byId("more").onclick = showMore;
document.addEventListener("keydown", (event) => event.key === "Escape" && MAPS.escape(event));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showAgain);
window.addEventListener("beforeprint", printMaps);
window.addEventListener("afterprint", showAgain);
show({ selected: null, query: null }).then(() => (document.documentElement.dataset.ready = "true"));
