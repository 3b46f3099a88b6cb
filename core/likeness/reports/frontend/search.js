// Images by the value of an attribute.

function bindSearch() {
  const within = byId("within");
  within.append(make("option", { value: "", textContent: "in all" }), ...DATA.columns.map((each, place) => make("option", { value: place, textContent: each.name })));
  byId("search").onsubmit = (event) => {
    event.preventDefault();
    const text = byId("find").value;
    if (!text.trim()) return change({ selected: null });
    const rows = rowsWith(text, within.value === "" ? null : DATA.columns[within.value]);
    select(rows);
    if (!rows.length) byId("status").textContent = "No image has this value";
    return undefined;
  };
}
