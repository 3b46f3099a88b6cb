// Pictures: of what is selected, and of the neighbors of one image.

const PAGE = 60;
let shownTiles = PAGE;

function tile(row, ...lines) {
  const texts = lines.filter(Boolean).map(([text, soft]) => make("span", { className: soft ? "soft" : "", textContent: text, title: text }));
  const caption = [DATA.names[row], ...lines.filter(Boolean).map(([text]) => text)].join(", ");
  const button = make("button", { className: "tile", type: "button", title: DATA.names[row], onclick: () => ask(row) }, picture(row), ...texts);
  button.setAttribute("aria-label", `${caption}: show its neighbors`);
  button.onpointerenter = button.onfocus = () => MAPS.hover(row); // marked in both maps, without a card
  button.onpointerleave = button.onblur = () => MAPS.hover(-1);
  button.dataset.row = row;
  return button;
}

function ask(row) {
  if (row !== MAPS.query) MAPS.toggleQuery(row);
  byId("neighbors").scrollIntoView({ block: "nearest" });
}

/** The images that stand out on the maps. */
function showGrid() {
  const rows = ROWS.filter((row) => MAPS.roles[row] !== FADED);
  byId("chosen").textContent = rows.length < COUNT ? `${whole(rows.length)} of ${whole(COUNT)} images` : `${whole(COUNT)} images`;
  byId("grid").replaceChildren(...rows.slice(0, shownTiles).map((row) => tile(row, [valueOf(column, row), true])));
  byId("more").hidden = rows.length <= shownTiles;
}

function showMore() {
  const before = byId("grid").children.length;
  shownTiles += PAGE;
  showGrid();
  byId("grid").children[before]?.focus({ preventScroll: true });
}

/** Pictures that the report names, below a title and a sentence each. */
function showRows() {
  const sections = DATA.rows.map(([title, note, rows, captions]) => {
    const tiles = rows.map((row, place) => tile(row, [captions[place], true]));
    const texts = [make("h2", { textContent: title }), make("p", { className: "note", textContent: note })];
    return make("div", {}, ...texts, make("div", { className: "grid" }, ...tiles));
  });
  byId("rows").replaceChildren(...sections);
}

/** Name and values of an image, the attribute that colors first. */
function valueList(row) {
  const columns = [column, ...DATA.columns.filter((each) => each !== column)].filter((each) => valueOf(each, row) !== "");
  const lines = columns.flatMap((each) => [make("dt", { textContent: each.name }), make("dd", { textContent: valueOf(each, row) })]);
  return make("dl", { className: "values" }, make("div", { className: "file", textContent: DATA.names[row] }), ...lines);
}

function showNeighbors(query) {
  const section = byId("neighbors");
  section.hidden = query === null;
  if (query === null) return;
  const found = DATA.near.map((_, space) => nearOf(space, query));
  const own = valueOf(column, query);
  const close = make("button", { type: "button", textContent: "Close", onclick: () => MAPS.toggleQuery(query) });
  const spaces = found.map((rows, space) => {
    const tiles = rows.map((row, rank) => {
      const value = valueOf(column, row);
      const like = (DATA.like[space][query * NEIGHBORS + rank] / 1000).toFixed(2);
      const both = found.length > 1 && found.every((each) => each.includes(row));
      const item = tile(row, value && [`${own && value === own ? "= " : ""}${value}`], [`${like}${both ? " · in both" : ""}`, true]);
      item.classList.toggle("both", both);
      return item;
    });
    return make("div", {}, make("h3", { textContent: DATA.map.panels[space].title }), make("div", { className: "row" }, ...tiles));
  });
  const marks = own && column.codes ? `; “=” marks the same ${column.name.toLowerCase()}` : "";
  const note = make("p", { className: "note", textContent: `Numbers are cosine similarities${marks}.` });
  section.replaceChildren(
    make("div", { className: "neighbors-head" }, make("h2", { textContent: `Nearest images${found.length > 1 ? " in both spaces" : ""}` }), close),
    make("div", { className: "neighbors-body" }, make("div", { className: "asked" }, picture(query), valueList(query)), make("div", {}, ...spaces, note)),
  );
}
