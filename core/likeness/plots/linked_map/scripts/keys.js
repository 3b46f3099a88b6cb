// Keys of a panel: every action of the mouse, and steps from point to point.

const STEP = 40;
const ZOOM_STEP = 1.25;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }; // y upwards
const KEPT_RIM = 50; // px between the current point and the panel's edge

/** Actions of keys on a panel: (panel, event) => nothing. Letters are the typed ones, in either case. */
const ACTS = {
  "+": (panel) => zoomBy(panel, ZOOM_STEP),
  "=": (panel) => zoomBy(panel, ZOOM_STEP),
  "-": (panel) => zoomBy(panel, 1 / ZOOM_STEP),
  _: (panel) => zoomBy(panel, 1 / ZOOM_STEP),
  0: (panel) => panel.host.resetView(),
  z: (panel) => panel.host.zoomToSelection(),
  a: (panel, event) => panel.host.selectInSight(panel, event.shiftKey ? "add" : "replace"),
  c: (panel) => panel.host.clear(),
  p: (panel) => panel.host.togglePictures(),
  v: (panel) => panel.host.setMode("pan"),
  l: (panel) => panel.host.setMode("lasso"),
  b: (panel) => panel.host.setMode("box"),
  n: (panel) => panel.host.hovered >= 0 && panel.host.toggleQuery(panel.host.hovered),
  Enter: (panel) => panel.host.hovered >= 0 && (panel.host.openLarge(panel.host.hovered) || panel.host.toggleQuery(panel.host.hovered)),
  " ": (panel, event) => selectPoint(panel, event.shiftKey),
};

function bindKeys(panel) {
  const { overlay } = panel;
  overlay.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !panel.view || !panel.target) return;
    const arrow = ARROWS[event.key];
    const act = arrow ? (event.shiftKey ? goToPoint : pan) : ACTS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation(); // the page has its own keys
    act(panel, event);
  });
  overlay.addEventListener("blur", () => panel.host.hover(-1));
}

function pan(panel, { key }) {
  const [dx, dy] = ARROWS[key];
  panel.view.pan(-STEP * dx, STEP * dy, panel.width, panel.height);
  panel.changed();
}

function zoomBy(panel, factor) {
  panel.view.zoomAt(factor, panel.width / 2, panel.height / 2, panel.width, panel.height);
  panel.changed();
  panel.host.sayZoom(panel);
}

/** From the current point to the next one in the arrow's direction; at first to the query, or the point nearest to the center. */
function goToPoint(panel, { key }) {
  const { host } = panel;
  const at = panel.world(host.hovered);
  const row = at ? rowAhead(panel.grid, host.shown, at, ARROWS[key], host.hovered) : firstPoint(panel);
  if (row < 0) {
    host.say("No more points in this direction");
    return;
  }
  bringIntoSight(panel, row);
  host.hover(row, panel);
  host.announce(row);
}

function firstPoint(panel) {
  const { host, width, height } = panel;
  const query = panel.at(host.query);
  if (query && query[0] >= 0 && query[1] >= 0 && query[0] <= width && query[1] <= height) return host.query;
  for (let reach = 50; reach < 1e6; reach *= 2) {
    const row = nearestRow(panel.grid, host.shown, panel.transform(), width / 2, height / 2, reach);
    if (row >= 0 && host.shown[row]) return row;
  }
  return -1;
}

function bringIntoSight(panel, row) {
  const { width, height } = panel;
  const [x, y] = panel.at(row);
  const short = (value, size) => (value < KEPT_RIM ? KEPT_RIM - value : value > size - KEPT_RIM ? size - KEPT_RIM - value : 0);
  const [dx, dy] = [short(x, width), short(y, height)];
  if (!dx && !dy) return;
  panel.view.pan(dx, dy, width, height);
  panel.changed();
}

/** Selects only the current point, or adds it to the selection or removes it. */
function selectPoint(panel, adds) {
  const { host } = panel;
  const row = host.hovered;
  if (row < 0 || !host.shown[row]) return;
  const mask = new Uint8Array(host.n);
  mask[row] = 1;
  host.select(mask, !adds ? "replace" : host.selected?.[row] ? "remove" : "add");
}
