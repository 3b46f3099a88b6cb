// Mouse, pen, fingers and keys on a map.

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STILL = 5; // px that a click may move
const DENSE = 3; // px between the corners of a lasso

function bindPointer(map) {
  const { over } = map;
  const fingers = new Map();
  let start = null;
  let apart = 0;

  const placeOf = (event) => {
    const box = over.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const hover = (event) => change({ hovered: map.rowAt(...placeOf(event)) });
  const distance = () => {
    const [[ax, ay], [bx, by]] = [...fingers.values()];
    return Math.hypot(ax - bx, ay - by);
  };

  over.onpointerdown = (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, placeOf(event));
    if (STATE.tool !== "scroll") over.setPointerCapture(event.pointerId);
    if (fingers.size === 2) [start, map.path, apart] = [null, [], distance()];
    else start = placeOf(event);
  };

  over.onpointermove = (event) => {
    CARD_MAP.current = map;
    const here = placeOf(event);
    const before = fingers.get(event.pointerId);
    if (!before) return hover(event);
    fingers.set(event.pointerId, here);
    if (STATE.tool === "scroll") return undefined;
    if (fingers.size === 2) {
      map.zoomAt(distance() / (apart || 1), ...here);
      apart = distance();
      return undefined;
    }
    if (!start || (!map.path.length && Math.hypot(here[0] - start[0], here[1] - start[1]) < STILL)) return undefined;
    change({ hovered: -1 });
    if (STATE.tool === "move") {
      map.move(here[0] - before[0], here[1] - before[1]);
      map.path = [start]; // no click any more
    } else if (STATE.tool === "box") {
      map.path = [start, [here[0], start[1]], here, [start[0], here[1]]];
    } else {
      if (!map.path.length) map.path.push(start);
      const last = map.path[map.path.length - 1];
      if (Math.hypot(here[0] - last[0], here[1] - last[1]) >= DENSE) map.path.push(here);
    }
    return map.drawOver();
  };

  over.onpointerup = (event) => {
    const path = map.path;
    const clicked = start && !path.length;
    fingers.delete(event.pointerId);
    [map.path, start] = [[], null];
    if (clicked) {
      CARD_MAP.current = map;
      const row = map.rowAt(...placeOf(event), event.pointerType === "mouse" ? REACH : 2 * REACH);
      if (row < 0) select([]);
      change({ query: row, hovered: event.pointerType === "mouse" ? row : -1 });
    } else if (path.length > 2) {
      select(map.rowsInside(path));
    }
    map.drawOver();
  };

  over.onpointercancel = (event) => {
    fingers.delete(event.pointerId);
    [map.path, start] = [[], null];
    map.drawOver();
  };
  over.onpointerleave = () => fingers.size || change({ hovered: -1 });
  over.onblur = () => change({ hovered: -1 });

  over.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && STATE.tool !== "move") return; // the page scrolls
    event.preventDefault();
    map.zoomAt(Math.exp(-event.deltaY / 300), ...placeOf(event));
  }, { passive: false });

  over.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    CARD_MAP.current = map;
    const row = STATE.hovered >= 0 ? STATE.hovered : STATE.query;
    if (STEPS[event.key]) change({ hovered: row < 0 ? Math.max(0, map.rowAt(map.width / 2, map.height / 2, Infinity)) : map.rowToward(row, STEPS[event.key]) });
    else if (event.key === "Enter" && row >= 0) change({ query: row });
    else if (event.key === " " && row >= 0) toggle(row);
    else if (event.key === "+" || event.key === "=") map.zoomAt(1.5);
    else if (event.key === "-") map.zoomAt(1 / 1.5);
    else if (event.key === "0") map.reset();
    else return;
    event.preventDefault();
  };
}

/** Adds a row to what is selected, or takes it out. */
function toggle(row) {
  const rows = new Set(STATE.selected ?? []);
  if (!rows.delete(row)) rows.add(row);
  select([...rows]);
}
