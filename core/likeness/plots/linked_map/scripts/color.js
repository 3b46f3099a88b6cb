// Colors as [r, g, b] in 0..255.

const NAMED = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Reads #rgb, #rrggbb and whatever else the browser resolves to rgb(). */
function parseColor(text, fallback = [128, 128, 128]) {
  const color = String(text ?? "").trim();
  if (NAMED.test(color)) {
    const hex = color.length === 4 ? [...color.slice(1)].map((c) => c + c).join("") : color.slice(1);
    return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  }
  const numbers = color.match(/^rgba?\(([^)]+)\)/)?.[1].split(/[\s,/]+/).map(Number);
  return numbers && numbers.length >= 3 ? numbers.slice(0, 3).map(Math.round) : fallback;
}

const cssColor = ([r, g, b], alpha = 1) => `rgba(${r}, ${g}, ${b}, ${alpha})`;
const mixColors = (a, b, share) => a.map((v, i) => Math.round(v + (b[i] - v) * share));

/** Relative luminance, WCAG 2. */
function luminance(color) {
  const [r, g, b] = color.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** White on white needs an outline; our own palette only where it would be invisible. */
const needsOutline = (color, theme, kind) => contrast(color, theme.background) < (kind === "colors" ? 1.45 : 1.1);

/** The theme as Streamlit's CSS variables give it. */
function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name, fallback) => parseColor(style.getPropertyValue(`--st-${name}`), fallback);
  const background = read("background-color", [255, 255, 255]);
  const text = read("text-color", [30, 30, 30]);
  return { background, text, primary: read("primary-color", [47, 95, 208]), dark: luminance(background) < 0.2, font: style.getPropertyValue("--st-font") };
}
