// Who draws many points: the graphics card where there is one. A program that plays one (SwiftShader, llvmpipe) is far slower than Splat.

const PLAYED = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const cards = {}; // one a kind for the page; false where there is none

/** A renderer: draw(target, scene, points, transform, seen, region) in steps, forget(points). kind: "auto", "cpu" or "webgl". */
function rendererFor(kind) {
  if (kind === "cpu") return new Splat();
  if (cards[kind] === undefined || cards[kind].lost) cards[kind] = openCard(kind);
  return cards[kind] || new Splat();
}

function openCard(kind) {
  try {
    if (kind !== "webgl" && PLAYED.test(cardName())) return false;
    return new GLSplat();
  } catch {
    return false; // no WebGL 2 here
  }
}

function cardName() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "software";
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return String(name);
}
