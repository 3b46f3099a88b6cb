// What is chosen, in one place: whoever changes it tells all who show it.

const STATE = {
  column: DATA.columns.find((each) => each.kind !== "text") ?? null, // by which points are colored
  selected: null, // Set of rows, or null: none was drawn around
  classes: null, // Set of the legend's classes that are shown alone, or null
  hovered: -1,
  query: -1, // whose neighbors are shown
  tool: matchMedia("(pointer: coarse)").matches ? "scroll" : "lasso",
};
const LISTENERS = [];

/** Calls a function with the names of what changed, after each change. */
const listen = (listener) => LISTENERS.push(listener);

function change(changes) {
  const changed = new Set(Object.keys(changes).filter((name) => STATE[name] !== changes[name]));
  Object.assign(STATE, changes);
  if (changed.size) for (const listener of LISTENERS) listener(changed);
}

/** Whether the legend lets a row through. */
const isShown = (row) => !STATE.classes || STATE.classes.has(STATE.column.codes[row]);
/** Whether a row stands out: drawn around, if anything is, and let through by the legend. */
const isActive = (row) => isShown(row) && (!STATE.selected || STATE.selected.has(row));
const isNarrowed = () => STATE.selected !== null || STATE.classes !== null;
const activeRows = () => DATA.names.map((_, row) => row).filter(isActive);
const select = (rows) => change({ selected: rows.length ? new Set(rows) : null });

const GRAY = "#8E939B";

/** The color of a row by the chosen attribute. */
function colorOf(row) {
  const { column } = STATE;
  if (hasClasses(column)) return column.codes[row] < 0 ? GRAY : column.colors[column.codes[row]];
  const value = isScale(column) ? column.values[row] : null;
  if (value === null) return column ? GRAY : "#2559b0";
  const share = column.high > column.low ? (value - column.low) / (column.high - column.low) : 0;
  return column.colors[Math.round(Math.min(1, Math.max(0, share)) * (column.colors.length - 1))];
}
