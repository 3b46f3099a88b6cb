// Modes and actions above the maps, and the count of rows.

const MODES = [
  ["pan", "Pan", "Pan: drag moves the map, shift-drag draws a lasso, a click shows neighbors"],
  ["lasso", "Lasso", "Lasso: draw around images; shift adds, alt removes"],
  ["box", "Box", "Box: drag a rectangle; shift adds, alt removes"],
];
const ACTIONS = [
  ["in", "Zoom in", "Zoom in (+)"],
  ["out", "Zoom out", "Zoom out (−)"],
  ["selection", "Zoom to the selection", "Zoom to the selection (Z)"],
  ["reset", "Reset view", "Reset view (double click, 0)"],
  ["clear", "Clear selection", "Clear selection (Esc)"],
  ["pictures", "Pictures on the map", "Show pictures on the map where few points are visible (P)"],
  ["keys", "Keyboard shortcuts", "Keyboard shortcuts (?)"],
];

class Toolbar {
  constructor(root, host) {
    this.host = host;
    this.count = make("span", { className: "lm-count" });
    this.buttons = new Map();
    const group = make("div", { className: "lm-tools" });
    group.setAttribute("role", "toolbar");
    group.setAttribute("aria-label", "Map tools");
    for (const spec of MODES) group.append(this.button(spec, () => host.setMode(spec[0])));
    group.append(make("span", { className: "lm-gap" }));
    const acts = { in: () => host.zoomAll(ZOOM_STEP), out: () => host.zoomAll(1 / ZOOM_STEP), selection: () => host.zoomToSelection(), reset: () => host.resetView(), clear: () => host.clear(), pictures: () => host.togglePictures(), keys: () => host.shortcuts.toggle() };
    for (const spec of ACTIONS) group.append(this.button(spec, acts[spec[0]]));
    root.append(this.count, group);
  }

  button([name, label, tip], act) {
    const button = make("button", { className: "lm-tool", type: "button", title: tip, innerHTML: icon(name), onclick: act });
    button.setAttribute("aria-label", label);
    button.dataset.tool = name;
    this.buttons.set(name, button);
    return button;
  }

  refresh() {
    const { host } = this;
    for (const [name] of MODES) this.buttons.get(name).setAttribute("aria-pressed", String(host.mode === name));
    this.buttons.get("selection").disabled = !host.selected;
    this.buttons.get("pictures").hidden = !host.source?.hasPictures;
    this.buttons.get("pictures").setAttribute("aria-pressed", String(host.picturesOn));
    this.buttons.get("clear").disabled = !host.selected && host.query === null;
    this.buttons.get("reset").disabled = host.panels.every((panel) => panel.view?.atHome ?? true);
    this.count.textContent = countLine(host);
  }
}

const whole = (number) => number.toLocaleString("en-US");

function countLine({ n, noun, selected, dimmed }) {
  const filtered = countRows(dimmed);
  const all = filtered ? `${whole(n - filtered)} of ${whole(n)} ${noun}` : `${whole(n)} ${noun}`;
  return selected ? `${whole(countRows(selected))} selected · ${all}` : all;
}
