// What the report holds, and how its values read.

const DATA = JSON.parse(document.getElementById("data").textContent);
const COUNT = DATA.names.length;
const NEIGHBORS = DATA.maps[0].near.length / COUNT;

const byId = (id) => document.getElementById(id);
const whole = (number) => number.toLocaleString("en-US");
const short = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(4))));

/** An element; texts are set as texts, so that nothing in them is markup. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const hasClasses = (column) => column?.kind === "category" || column?.kind === "colors";
const isScale = (column) => column?.kind === "number" || column?.kind === "angle";

/** The value of an image as a text; "" where it has none. */
function valueOf(column, row) {
  if (!column) return "";
  if (hasClasses(column)) return column.codes[row] < 0 ? "" : column.names[column.codes[row]];
  const value = column.values[row];
  return value === null ? "" : isScale(column) ? short(value) + (column.kind === "angle" ? "°" : "") : value;
}

/** Rows whose value in one column, or in any, or whose file's name, holds a text. */
function rowsWith(text, column) {
  const wanted = text.trim().toLowerCase();
  const holds = (value) => value.toLowerCase().includes(wanted);
  const columns = column ? [column] : DATA.columns;
  const classes = columns.map((each) => hasClasses(each) && each.names.map(holds));
  const matches = (row) =>
    columns.some((each, place) => (classes[place] ? each.codes[row] >= 0 && classes[place][each.codes[row]] : holds(valueOf(each, row))));
  return Array.from({ length: COUNT }, (_, row) => row).filter((row) => matches(row) || (!column && holds(DATA.names[row])));
}
