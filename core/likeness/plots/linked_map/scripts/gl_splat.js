// Many points on the graphics card. One context serves all maps of the page; the picture is copied to where it is wanted.

const COLORS_WIDTH = 1024;

const RIM = 32; // px around the picture: the card drops a point whose center lies outside, together with what reaches inside

class GLSplat {
  constructor() {
    this.name = "webgl";
    this.canvas = document.createElement("canvas");
    const gl = (this.gl = this.canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false, preserveDrawingBuffer: true }));
    if (!gl?.getExtension("EXT_color_buffer_float")) throw new Error("No WebGL 2 with sums in floating point.");
    this.precise = Boolean(gl.getExtension("EXT_float_blend")); // else sums in half precision, which stay behind from some 2,000 points a pixel on
    this.canvas.addEventListener("webglcontextlost", () => (this.lost = true));
    this.points = linkProgram(gl, POINTS_VERTEX, POINTS_FRAGMENT);
    this.picture = linkProgram(gl, PICTURE_VERTEX, PICTURE_FRAGMENT);
    this.layers = [this.layer(), this.layer()];
    this.palettes = [gl.createTexture(), gl.createTexture()];
    this.sets = new Map(); // PointSet -> its buffers
  }

  /** As Splat.draw; all in one step. */
  *draw(target, scene, points, transform, seen, region) {
    const { gl } = this;
    this.fit(target.canvas.width + 2 * RIM, target.canvas.height + 2 * RIM);
    const front = scene.hasFaded ? frontLook(seen, scene.front) : seen;
    const set = this.upload(points, scene);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.enable(gl.SCISSOR_TEST);
    const { x, y, width, height } = region;
    gl.scissor(x + RIM, this.canvas.height - RIM - y - height, width, height);
    this.sum(0, set, points, scene, scene.inks.front, transform, front.radius, region);
    this.sum(1, set, points, scene, scene.inks.faded, transform, seen.radius, region);
    this.develop(scene, front, seen);
    target.drawImage(this.canvas, x + RIM, y + RIM, width, height, x, y, width, height);
  }

  fit(width, height) {
    const { gl, canvas } = this;
    if (canvas.width === width && canvas.height === height && this.fitted) return;
    this.fitted = true;
    Object.assign(canvas, { width, height });
    for (const { texture } of this.layers) {
      gl.bindTexture(gl.TEXTURE_2D, texture);
      const [inside, type] = this.precise ? [gl.RGBA32F, gl.FLOAT] : [gl.RGBA16F, gl.HALF_FLOAT];
      gl.texImage2D(gl.TEXTURE_2D, 0, inside, width, height, 0, gl.RGBA, type, null);
    }
  }

  layer() {
    const { gl } = this;
    const texture = gl.createTexture();
    const buffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    unfiltered(gl);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return { texture, buffer };
  }

  /** The points on the card: places when they have moved, inks when the scene is another. */
  upload(points, scene) {
    const { gl } = this;
    const set = this.sets.get(points) ?? this.newSet(points);
    if (set.moves !== points.moves) this.fill(set.places, points.xy);
    if (set.version !== scene.version) this.fill(set.inks, points.inks(scene));
    Object.assign(set, { moves: points.moves, version: scene.version });
    return set;
  }

  newSet(points) {
    const { gl } = this;
    const set = { array: gl.createVertexArray(), places: gl.createBuffer(), inks: gl.createBuffer() };
    gl.bindVertexArray(set.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, set.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, set.inks);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_INT, 0, 0);
    this.sets.set(points, set);
    return set;
  }

  fill(buffer, values) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  }

  /** Adds up the points of one layer, front (0) or faded (1), where they touch the region. */
  sum(place, set, points, scene, colors, { scale, x0, y0 }, radius, region) {
    const { gl } = this;
    const { program, at } = this.points;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.layers[place].buffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (place === 1 && !scene.hasFaded) return;
    gl.useProgram(program);
    gl.bindVertexArray(set.array);
    this.color(place, colors);
    gl.uniform3f(at.view, scale, x0 + RIM, y0 + RIM);
    gl.uniform2f(at.size, this.canvas.width, this.canvas.height);
    gl.uniform1f(at.radius, radius);
    gl.uniform1f(at.weight, points.weight);
    gl.uniform1ui(at.codes, scene.table.full.length);
    gl.uniform1i(at.faded, place);
    gl.uniform1i(at.colors, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    const stretches = points.within({ scale, x0, y0 }, region, radius + 1);
    for (let s = 0; s < stretches.length; s += 2) gl.drawArrays(gl.POINTS, stretches[s], stretches[s + 1] - stretches[s]);
    gl.disable(gl.BLEND);
  }

  /** The colors of a layer as a texture, COLORS_WIDTH a row. */
  color(place, colors) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.palettes[place]);
    if (this.palettes[place].shown === colors) return;
    this.palettes[place].shown = colors;
    const rows = Math.ceil(colors.length / 4 / COLORS_WIDTH);
    const texels = new Float32Array(4 * COLORS_WIDTH * rows);
    texels.set(colors.map((v, i) => (i % 4 === 3 ? v : v / 255)));
    unfiltered(gl);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, COLORS_WIDTH, rows, 0, gl.RGBA, gl.FLOAT, texels);
  }

  develop({ background, inks }, front, seen) {
    const { gl } = this;
    const { program, at } = this.picture;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.useProgram(program);
    this.layers.forEach(({ texture }, i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.uniform1i(at.front, 0);
    gl.uniform1i(at.back, 1);
    gl.uniform3f(at.background, (background & 255) / 255, ((background >> 8) & 255) / 255, (background >> 16) / 255);
    gl.uniform1f(at.vivid, inks.vivid);
    gl.uniform1f(at.pure, PURE);
    gl.uniform4f(at.frontLook, front.single, Math.log(front.most), FULL, 1);
    gl.uniform4f(at.backLook, seen.single, Math.log(seen.most), FULL, FAINT);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Takes the points of a map that is gone off the card. */
  forget(points) {
    const set = this.sets.get(points);
    if (!set) return;
    this.gl.deleteVertexArray(set.array);
    this.gl.deleteBuffer(set.places);
    this.gl.deleteBuffer(set.inks);
    this.sets.delete(points);
  }
}

function unfiltered(gl) {
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
}
