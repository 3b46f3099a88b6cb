// The card beside the point under the pointer: its picture and values.

const CARD_MAP = { current: null }; // in which the pointer is
const CARD_VALUES = 8;

/** Name and values of an image, the attribute that colors first. */
function valueList(row, most = Infinity) {
  const columns = [STATE.column, ...DATA.columns.filter((each) => each !== STATE.column)].filter((each) => each && valueOf(each, row) !== "");
  const lines = columns.slice(0, most).flatMap((each) => [make("dt", { textContent: each.name }), make("dd", { textContent: valueOf(each, row) })]);
  return make("dl", { className: "values" }, make("div", { className: "file", textContent: DATA.names[row] }), ...lines);
}

function showCard() {
  const card = byId("card");
  const { current: map } = CARD_MAP;
  card.hidden = STATE.hovered < 0 || !map;
  if (card.hidden) return;
  card.replaceChildren(picture(STATE.hovered), valueList(STATE.hovered, CARD_VALUES));
  const [box, stage] = [card.offsetParent.getBoundingClientRect(), map.stage.getBoundingClientRect()];
  const [x, y] = map.at(STATE.hovered);
  const [left, top] = [stage.left - box.left + x, stage.top - box.top + y];
  const { offsetWidth: width, offsetHeight: height } = card;
  const beside = left + 18 + width <= box.width ? left + 18 : left - 18 - width;
  const [cardX, cardY] = beside >= 0 ? [beside, top - height / 2] : [Math.max(0, Math.min(box.width - width, left - width / 2)), top > height + 18 ? top - height - 18 : top + 18];
  card.style.transform = `translate(${Math.round(cardX)}px, ${Math.round(cardY)}px)`;
}
