// Arrays from Python: parts named by their content, kept for the life of the page, and sets of rows as bits.

const TYPES = { float32: Float32Array, uint8: Uint8Array, uint16: Uint16Array };
const KEPT_PARTS = 32;
const parts = new Map(); // id -> Promise of a typed array, least recently used first

/** The typed array of a part {id, type, base64 | url}; the same id is fetched from its source and decoded once. */
function loadPart(part, source) {
  const known = parts.get(part.id);
  parts.delete(part.id);
  const array = known ?? readPart(part, source);
  parts.set(part.id, array);
  if (!known) array.catch(() => parts.delete(part.id));
  while (parts.size > KEPT_PARTS) parts.delete(parts.keys().next().value);
  return array;
}

async function readPart(part, source) {
  const array = TYPES[part.type];
  return new array(part.base64 === undefined ? await source.bytes(part) : fromBase64(part.base64).buffer);
}

function fromBase64(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

/** A base64 bit set of n rows as one byte a row, or null. */
function unpackRows(text, n) {
  if (!text) return null;
  const bytes = fromBase64(text);
  const mask = new Uint8Array(n);
  for (let i = 0; i < n; i++) mask[i] = (bytes[i >> 3] >> (i & 7)) & 1;
  return mask;
}

/** The inverse of unpackRows. */
function packRows(mask) {
  if (!mask) return null;
  const bytes = new Uint8Array((mask.length + 7) >> 3);
  for (let i = 0; i < mask.length; i++) if (mask[i]) bytes[i >> 3] |= 1 << (i & 7);
  return toBase64(bytes);
}

function countRows(mask) {
  let count = 0;
  if (mask) for (let i = 0; i < mask.length; i++) count += mask[i];
  return count;
}
