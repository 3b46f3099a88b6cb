// Small pictures, cut from the sheets in which all of them lie.

const SHEETS = [...document.querySelectorAll("img.sheet")];
const DECODED = SHEETS.map((sheet) => sheet.decode().catch(() => {}));
const { side: SIDE, across: ACROSS, sizes: SIZES } = DATA.sheets;
const CUT = new Map(); // row -> URL

/** Promise of the URL of an image's picture; of nothing where there is none. */
async function pictureOf(row) {
  const [width, height] = SIZES.length === 2 ? SIZES : SIZES.slice(2 * row, 2 * row + 2);
  const [sheet, place] = [Math.floor(row / ACROSS ** 2), row % ACROSS ** 2];
  if (!width) return undefined;
  await DECODED[sheet];
  if (!CUT.has(row)) {
    const canvas = make("canvas", { width, height });
    canvas.getContext("2d").drawImage(SHEETS[sheet], SIDE * (place % ACROSS), SIDE * Math.floor(place / ACROSS), width, height, 0, 0, width, height);
    CUT.set(row, canvas.toDataURL());
  }
  return CUT.get(row);
}

/** An element with the picture of an image, which comes as soon as it is cut. */
function picture(row) {
  const image = make("img", { className: "picture", alt: "" }); // its name stands beside it
  pictureOf(row).then((url) => url && (image.src = url));
  return image;
}

/** Where the maps get what they show beside their payload: from the page itself. */
const SOURCE = {
  hasPictures: true,
  describes: true,
  picture: (row) => CUT.get(row),
  knows: (row) => CUT.has(row),
  describe: async (row) => ({ label: DATA.names[row], attributes: attributesOf(row), picture: await pictureOf(row) }),
};
