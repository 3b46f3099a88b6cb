// What the report holds, and how its values read.

const byId = (id) => document.getElementById(id);
const DATA = JSON.parse(byId("data").textContent);
const COUNT = DATA.names.length;
const NEIGHBORS = DATA.near[0].length / COUNT;
const ROWS = Array.from({ length: COUNT }, (_, row) => row);

for (const column of DATA.columns.filter((each) => each.known !== undefined)) {
  const { type, base64 } = column.coloring.codes;
  column.codes = new TYPES[type](fromBase64(base64).buffer);
}

const exact = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(4))));

/** The value of an image as a text; "" where it has none. */
function valueOf(column, row) {
  if (!column) return "";
  if (column.codes) return column.codes[row] < column.known ? column.coloring.names[column.codes[row]] : "";
  const value = column.values[row];
  if (value === null || !column.coloring) return value ?? "";
  return exact(value) + (column.coloring.kind === "angle" ? "°" : "");
}

/** What is known of an image, by attribute. */
const attributesOf = (row) => Object.fromEntries(DATA.columns.map((each) => [each.name, valueOf(each, row)]).filter(([, value]) => value !== ""));

/** Rows whose value in one column, or in any, or whose file's name, holds a text. */
function rowsWith(text, column) {
  const wanted = text.trim().toLowerCase();
  const holds = (value) => value.toLowerCase().includes(wanted);
  const columns = column ? [column] : DATA.columns;
  return ROWS.filter((row) => columns.some((each) => holds(valueOf(each, row))) || (!column && holds(DATA.names[row])));
}

const nearOf = (space, row) => DATA.near[space].slice(row * NEIGHBORS, (row + 1) * NEIGHBORS);
