// Small pictures, cut from the sheets in which all of them lie.

const SHEETS = [...document.querySelectorAll("img.sheet")];
const DECODED = SHEETS.map((sheet) => sheet.decode().catch(() => {}));
const { side: SIDE, across: ACROSS, sizes: SIZES } = DATA.sheets;

const sizeOf = (row) => (SIZES.length === 2 ? SIZES : SIZES.slice(2 * row, 2 * row + 2));

/** A canvas with the picture of an image, drawn as soon as its sheet is decoded; empty where there is none. */
function picture(row, caption = "") {
  const [width, height] = sizeOf(row);
  const canvas = make("canvas", { width: width || SIDE, height: height || SIDE });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", caption || DATA.names[row]);
  const sheet = Math.floor(row / (ACROSS * ACROSS));
  const place = row % (ACROSS * ACROSS);
  if (width) {
    DECODED[sheet].then(() => {
      const [x, y] = [SIDE * (place % ACROSS), SIDE * Math.floor(place / ACROSS)];
      canvas.getContext("2d").drawImage(SHEETS[sheet], x, y, width, height, 0, 0, width, height);
    });
  }
  return canvas;
}
