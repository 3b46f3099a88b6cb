// Mouse, pen and fingers on a panel.

const LONG_PRESS_MS = 450;

function bindPointer(panel) {
  const { overlay } = panel;
  const fingers = new Map();
  overlay.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    fingers.set(event.pointerId, place(overlay, event));
    overlay.setPointerCapture(event.pointerId);
    panel.inUse = true;
    panel.host.hover(-1);
    if (fingers.size > 1) cancelDrag(panel);
    else startDrag(panel, event);
  });
  overlay.addEventListener("pointermove", (event) => {
    if (fingers.size === 2 && fingers.has(event.pointerId)) pinch(panel, fingers, event);
    else if (panel.drag) moveDrag(panel, event);
    else if (event.pointerType !== "touch") hoverAt(panel, event);
  });
  overlay.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (panel.drag) endDrag(panel, event);
    else if (fingers.size === 1) goOn(panel, [...fingers.values()][0]);
  });
  overlay.addEventListener("pointercancel", (event) => {
    fingers.delete(event.pointerId);
    cancelDrag(panel);
  });
  overlay.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "touch") return; // a finger leaves whenever it is lifted; the card of a long press stays
    panel.inUse = false;
    panel.host.hover(-1);
  });
  overlay.addEventListener("contextmenu", (event) => panel.pressed && event.preventDefault());
  overlay.addEventListener("dblclick", (event) => {
    const row = rowAt(panel, place(overlay, event));
    if (row < 0 || !panel.host.openLarge(row)) panel.host.resetView();
  });
  overlay.addEventListener("wheel", (event) => wheel(panel, event), { passive: false });
}

function place(overlay, event) {
  const box = overlay.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function startDrag(panel, event) {
  const at = place(panel.overlay, event);
  const { mode } = panel.host;
  const kind = mode === "pan" ? (event.shiftKey ? "lasso" : "pan") : mode;
  const how = mode !== "pan" && event.shiftKey ? "add" : event.altKey ? "remove" : "replace";
  panel.drag = { kind, how, start: at, last: at, moved: false, clicks: event.detail };
  panel.pressed = false;
  if (event.pointerType === "touch") panel.pressTimer = setTimeout(() => longPress(panel), LONG_PRESS_MS);
}

/** A finger that stays where it is shows the card of what lies there; lifting it then is no click. */
function longPress(panel) {
  const { drag } = panel;
  if (!drag || drag.moved) return;
  const row = rowAt(panel, drag.start);
  panel.pressed = true;
  cancelDrag(panel);
  panel.host.hover(row, panel);
  if (row >= 0) panel.host.announce(row);
}

/** After a pinch, the finger that stays moves the map. */
function goOn(panel, at) {
  panel.drag = { kind: "pan", how: "replace", start: at, last: at, moved: true, clicks: 0 };
}

function moveDrag(panel, event) {
  const { drag } = panel;
  const at = place(panel.overlay, event);
  if (!drag.moved && Math.hypot(at[0] - drag.start[0], at[1] - drag.start[1]) < CLICK_PX) return;
  if (!drag.moved) panel.root.classList.add("lm-dragging");
  drag.moved = true;
  if (drag.kind === "pan") {
    panel.view.pan(at[0] - drag.last[0], at[1] - drag.last[1], panel.width, panel.height);
    panel.changed();
  } else {
    panel.shape = { polygon: drag.kind === "box" ? corners(drag.start, at) : lengthen(panel.shape?.polygon ?? [drag.start], at) };
    panel.host.schedule();
  }
  drag.last = at;
}

const corners = ([x1, y1], [x2, y2]) => [[x1, y1], [x2, y1], [x2, y2], [x1, y2]];

function lengthen(polygon, at) {
  const [x, y] = polygon[polygon.length - 1];
  return Math.hypot(at[0] - x, at[1] - y) < 3 ? polygon : [...polygon, at];
}

function endDrag(panel, event) {
  const { drag, shape } = panel;
  cancelDrag(panel);
  if (!drag.moved) {
    const at = place(panel.overlay, event);
    const name = panel.names.at(at);
    const row = name ? -1 : rowAt(panel, at);
    if (name && drag.clicks < 2) panel.host.selectNamed(panel, name, event.shiftKey ? "add" : "replace");
    else if (row >= 0 && drag.clicks < 2) panel.host.toggleQuery(row);
  } else if (shape && panel.target) {
    panel.host.select(rowsInPolygon(panel.grid, panel.host.shown, panel.transform(), shape.polygon), drag.how);
  }
}

function cancelDrag(panel) {
  clearTimeout(panel.pressTimer);
  panel.drag = panel.shape = null;
  panel.root.classList.remove("lm-dragging");
  panel.host.schedule();
}

function rowAt(panel, [x, y]) {
  const pictured = panel.thumbs.at([x, y]);
  if (pictured >= 0) return pictured;
  return panel.target ? nearestRow(panel.grid, panel.host.roles, panel.transform(), x, y, Math.max(HOVER_PX, panel.radius() + 4)) : -1;
}

/** At most one search a frame, however many events the mouse sends. */
function hoverAt(panel, event) {
  panel.pointer = place(panel.overlay, event);
  if (panel.searching) return;
  panel.searching = true;
  requestAnimationFrame(() => {
    panel.searching = false;
    if (panel.drag || panel.morph || !panel.overlay.matches(":hover")) return;
    const onName = panel.names.at(panel.pointer);
    panel.overlay.classList.toggle("lm-on-name", Boolean(onName));
    panel.host.hover(onName ? -1 : rowAt(panel, panel.pointer), panel);
  });
}

/** Zooms where the map is in use or a key is held (a pinch on a touchpad counts as one); else the page scrolls, and a line says how to zoom. */
function wheel(panel, event) {
  if (!panel.inUse && !event.ctrlKey && !event.metaKey) {
    panel.showHint();
    return;
  }
  event.preventDefault();
  if (!panel.view) return;
  const lines = event.deltaMode === 1 ? 16 : 1;
  const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022));
  panel.view.zoomAt(factor, ...place(panel.overlay, event), panel.width, panel.height);
  panel.changed();
}

function pinch(panel, fingers, event) {
  const before = [...fingers.values()];
  fingers.set(event.pointerId, place(panel.overlay, event));
  const [a, b] = [...fingers.values()];
  const spread = (p) => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]) || 1;
  const [x, y] = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  panel.view.pan(x - (before[0][0] + before[1][0]) / 2, y - (before[0][1] + before[1][1]) / 2, panel.width, panel.height);
  panel.view.zoomAt(spread([a, b]) / spread(before), x, y, panel.width, panel.height);
  panel.changed();
}
