// What the graphics card runs: points into sums, sums into a picture. The formulas are those of density.js.

const POINTS_VERTEX = `#version 300 es
precision highp float;
in vec2 place;
in uint ink;
uniform vec3 view;      // scale, x0, y0 in device px
uniform vec2 size;      // of the canvas in device px
uniform float radius;
uniform uint codes;     // inks from here on are faded
uniform bool faded;
uniform sampler2D colors;
out vec4 color;
void main() {
  bool isFaded = ink >= codes;
  vec2 at = vec2(view.y + view.x * place.x, view.z - view.x * place.y);
  gl_Position = isFaded == faded ? vec4(2.0 * at.x / size.x - 1.0, 1.0 - 2.0 * at.y / size.y, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = 2.0 * radius + 2.0;
  uint code = isFaded ? ink - codes : ink;
  color = texelFetch(colors, ivec2(int(code & 1023u), int(code >> 10)), 0);
}`;

const POINTS_FRAGMENT = `#version 300 es
precision highp float;
in vec4 color;
uniform float radius;
uniform float weight;
out vec4 sum;
void main() {
  float distance = length(gl_PointCoord - 0.5) * (2.0 * radius + 2.0);
  float load = weight * clamp(radius + 0.5 - distance, 0.0, 1.0);
  if (load == 0.0) discard;
  sum = color * load;
}`;

const PICTURE_VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

const PICTURE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D front;
uniform sampler2D back;
uniform vec3 background;
uniform vec4 frontLook; // opacity of one point, log of the load that is full, highest opacity, factor
uniform vec4 backLook;
uniform float vivid;
uniform float pure;
out vec4 pixel;
vec3 over(vec3 below, vec4 sum, vec4 look) {
  if (sum.a <= 0.0) return below;
  float cover = sum.a <= 1.0 ? look.x * sum.a : min(look.z, look.x + (look.z - look.x) * log(sum.a) / look.y);
  vec3 color = sum.rgb / sum.a;
  float chroma = 255.0 * (max(color.r, max(color.g, color.b)) - min(color.r, min(color.g, color.b)));
  float fresh = vivid > 1.0 && chroma < pure ? min(vivid, sqrt(pure / max(chroma, 1.0))) : 1.0;
  color = clamp(mix(vec3((color.r + color.g + color.b) / 3.0), color, fresh), 0.0, 1.0);
  return mix(below, color, cover * look.w);
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 color = over(background, texelFetch(back, at, 0), backLook);
  pixel = vec4(over(color, texelFetch(front, at, 0), frontLook), 1.0);
}`;

function linkProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, "place");
  gl.bindAttribLocation(program, 1, "ink");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`The map's shaders do not run here: ${gl.getProgramInfoLog(program)}`);
  const at = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
}
