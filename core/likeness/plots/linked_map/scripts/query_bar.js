// Chips of a query, and a drop target for pictures of a gallery.

const ROW = "application/x-likeness-row";

export default function ({ parentElement, data, setTriggerValue }) {
  const bar = parentElement.querySelector(".qb");
  const send = (action, more) => setTriggerValue("done", { action, ...more, id: Math.random() });
  const focused = bar.getRootNode().activeElement?.dataset.place;
  bar.replaceChildren(...data.chips.map((chip, index) => chipOf(chip, index, data.chips.length, send)), ...endOf(data, send));
  bar.classList.toggle("qb-filled", data.chips.length > 0);
  if (focused) bar.querySelector(`[data-place="${focused}"]`)?.focus();
  bar.ondragover = (event) => {
    if (!event.dataTransfer.types.includes(ROW)) return;
    event.preventDefault();
    bar.classList.add("qb-over");
  };
  bar.ondragleave = (event) => bar.contains(event.relatedTarget) || bar.classList.remove("qb-over");
  bar.ondrop = (event) => {
    event.preventDefault();
    bar.classList.remove("qb-over");
    const row = Number(event.dataTransfer.getData(ROW));
    if (event.dataTransfer.types.includes(ROW) && Number.isInteger(row)) send("add", { row });
  };
}

function chipOf(chip, index, count, send) {
  const less = chip.weight < 0;
  const weight = Math.abs(chip.weight);
  const button = (name, text, title, action) => {
    const made = make("button", { type: "button", className: `qb-${name}`, title, onclick: () => send(action, { index }) }, text);
    made.setAttribute("aria-label", title);
    made.dataset.place = `${index} ${name}`;
    return made;
  };
  const remove = button("remove", "", `Remove ${chip.label} from the query`, "remove");
  remove.innerHTML = icon("clear", 14);
  const shown = chip.picture
    ? make("img", { src: chip.picture, alt: chip.label, title: chip.label, draggable: false })
    : make("span", { className: "qb-label", textContent: chip.label, title: chip.label });
  const weigh = button("weight", `×${weight}`, `Weight ${weight} of ${chip.label}; click to change it`, "weigh");
  weigh.hidden = count < 2;
  const sign = button("sign", less ? "−" : "+", less ? `Without ${chip.label}; click to include it` : `With ${chip.label}; click to exclude it`, "turn");
  return make("span", { className: `qb-chip${less ? " qb-less" : ""}` }, sign, shown, weigh, remove);
}

function endOf({ chips, holds_text: holdsText, reads_text: readsText }, send) {
  if (holdsText) {
    const keep = make("button", { type: "button", className: "qb-keep", textContent: "Add words", onclick: () => send("keep") });
    keep.title = "Keep these words and type more";
    return [keep];
  }
  const hint = `Drag pictures here or click their +${readsText ? "; type to add words" : ""}.`;
  return chips.length > 2 ? [] : [make("span", { className: "qb-hint", textContent: hint })];
}
