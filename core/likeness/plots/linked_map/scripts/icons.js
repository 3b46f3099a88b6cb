// Material Symbols' shapes (Apache-2.0), 24 px grid.

const ICONS = {
  pan: "M13 6v5h5V7.75L22.25 12 18 16.25V13h-5v5h3.25L12 22.25 7.75 18H11v-5H6v3.25L1.75 12 6 7.75V11h5V6H7.75L12 1.75 16.25 6z",
  reset: "M3 5v4h2V5h4V3H5a2 2 0 0 0-2 2zm2 10H3v4a2 2 0 0 0 2 2h4v-2H5zm14 4h-4v2h4a2 2 0 0 0 2-2v-4h-2zm0-16h-4v2h4v4h2V5a2 2 0 0 0-2-2zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  clear: "M19 6.41 17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z",
  check: "M9 16.17 4.83 12l-1.42 1.41L9 19 21 7l-1.41-1.41z",
  cross: "M19 6.41 17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z",
};
const OUTLINES = {
  before: "M15 5l-7 7 7 7",
  after: "M9 5l7 7-7 7",
  enlarge: "M14 4h6v6 M20 4l-7 7 M10 20H4v-6 M4 20l7-7",
  more: "M7 11v9H4v-9z M7 11l4.500-8c1.500 0 2.500 1 2.500 2.500V9h4.500a1.800 1.800 0 0 1 1.800 2.200l-1.500 7a2.200 2.200 0 0 1-2.100 1.800H7",
  less: "M17 13V4h3v9z M17 13l-4.500 8c-1.500 0-2.500-1-2.500-2.500V15H5.500a1.800 1.800 0 0 1-1.800-2.200l1.500-7A2.200 2.200 0 0 1 7.300 4H17",
  both: "M9 6a6 6 0 1 0 0 12a6 6 0 1 0 0-12z M15 6a6 6 0 1 0 0 12a6 6 0 1 0 0-12z",
  in: "M10.500 5a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11z M14.600 14.600L20 20 M8 10.500h5 M10.500 8v5",
  out: "M10.500 5a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11z M14.600 14.600L20 20 M8 10.500h5",
  selection: "M4 8V4h4 M16 4h4v4 M20 16v4h-4 M8 20H4v-4 M12 8.500a3.500 3.500 0 1 0 0 7a3.500 3.500 0 1 0 0-7z",
  pictures: "M4 5h16v14H4z M4 16l4.500-4.500 4 4 2.500-2.500 5 5 M15.500 8.500v.01",
  keys: "M9 9.200a3 3 0 1 1 4.400 2.700c-.9.5-1.400 1-1.400 2.100 M12 17.500v.01",
  lasso: "M12 4c-4.7 0-8.5 2.4-8.5 5.5S7.3 15 12 15s8.500-2.400 8.500-5.500S16.700 4 12 4z M7 14.200c-1.800.6-2.300 2-1.200 3 1.400 1.200 3.600.6 3.400-.9-.1-.9-.9-1.400-1.700-1.700 M7.400 17.700c.3 1.400-.4 2.500-1.900 3.300",
  box: "M4 4h3 M10.500 4h3 M17 4h3v3 M20 10.500v3 M20 17v3h-3 M13.500 20h-3 M7 20H4v-3 M4 13.500v-3 M4 7V4",
};

function icon(name, size = 18) {
  const shape = ICONS[name]
    ? `<path d="${ICONS[name]}" fill="currentColor"/>`
    : `<path d="${OUTLINES[name]}" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`;
  return `<svg viewBox="0 0 24 24" width="${size}" height="${size}" aria-hidden="true" focusable="false">${shape}</svg>`;
}

/** An element with properties and children; text is set as text, never as HTML. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element && name !== "style") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
