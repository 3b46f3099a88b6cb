// Pictures: of what is selected, and of the neighbors of one image.

const PAGE = 60;
let shownTiles = PAGE;

function tile(row, ...lines) {
  const texts = lines.filter(Boolean).map(([text, soft]) => make("span", { className: soft ? "soft" : "", textContent: text, title: text }));
  const caption = [DATA.names[row], ...lines.filter(Boolean).map(([text]) => text)].join(", ");
  const button = make("button", { className: "tile", type: "button", title: DATA.names[row], onclick: () => ask(row) }, picture(row), ...texts);
  button.setAttribute("aria-label", `${caption}: show its neighbors`);
  button.onpointerenter = button.onfocus = () => hoverFrom(row);
  button.onpointerleave = button.onblur = () => hoverFrom(-1);
  button.dataset.row = row;
  return button;
}

/** Marks a row in both maps, without a card. */
function hoverFrom(row) {
  CARD_MAP.current = null;
  change({ hovered: row });
}

function ask(row) {
  change({ query: row });
  byId("neighbors").scrollIntoView({ block: "nearest" });
}

function showGrid() {
  const rows = activeRows();
  byId("chosen").textContent = isNarrowed() ? `${whole(rows.length)} of ${whole(COUNT)} images` : `${whole(COUNT)} images`;
  byId("status").textContent = isNarrowed() ? `${whole(rows.length)} selected` : "";
  byId("clear").hidden = !isNarrowed();
  byId("grid").replaceChildren(...rows.slice(0, shownTiles).map((row) => tile(row, [valueOf(STATE.column, row), true])));
  byId("more").hidden = rows.length <= shownTiles;
}

function showMore() {
  const before = byId("grid").children.length;
  shownTiles += PAGE;
  showGrid();
  byId("grid").children[before]?.focus({ preventScroll: true });
}

function showNeighbors() {
  const { query, column } = STATE;
  const section = byId("neighbors");
  section.hidden = query < 0;
  if (query < 0) return;
  const found = DATA.maps.map((data) => nearOf(data, query));
  const own = valueOf(column, query);
  const close = make("button", { type: "button", textContent: "Close", onclick: () => change({ query: -1 }) });
  const rows = DATA.maps.map((data, place) => {
    const tiles = found[place].map((row, rank) => {
      const value = valueOf(column, row);
      const like = (data.like[query * NEIGHBORS + rank] / 1000).toFixed(2);
      const both = found.every((each) => each.includes(row));
      const item = tile(row, value && [`${own && value === own ? "= " : ""}${value}`], [`${like}${both ? " · in both" : ""}`, true]);
      item.classList.toggle("both", both);
      return item;
    });
    return make("div", {}, make("h3", { textContent: data.title }), make("div", { className: "row" }, ...tiles));
  });
  const note = `Numbers are cosine similarities${own && !isScale(column) ? `; “=” marks the same ${column.name.toLowerCase()}` : ""}.`;
  section.replaceChildren(
    make("div", { className: "neighbors-head" }, make("h2", { textContent: "Nearest images in both spaces" }), close),
    make("div", { className: "neighbors-body" }, make("div", { className: "asked" }, picture(query), valueList(query)), make("div", {}, ...rows, make("p", { className: "note", textContent: note }))),
  );
}
