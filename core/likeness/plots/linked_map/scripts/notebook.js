// The map as a Jupyter widget: anywidget's model in the place of Streamlit's component, the kernel in the place of the server.

const KEPT_ROWS = 500;
// what Streamlit's variables are in JupyterLab, in VS Code and elsewhere
const THEME = {
  "background-color": "var(--jp-layout-color0, var(--vscode-editor-background, Canvas))",
  "secondary-background-color": "var(--jp-layout-color2, var(--vscode-editorWidget-background, #8882))",
  "text-color": "var(--jp-content-font-color1, var(--vscode-editor-foreground, CanvasText))",
  "primary-color": "var(--jp-brand-color1, var(--vscode-focusBorder, #2f5fd0))",
  "border-color": "var(--jp-border-color1, #8884)",
};

/** Asks the kernel by messages: {kind: "part", id} for an array, {kind: "row", row} for picture and attributes of a row. */
class KernelSource {
  constructor(model) {
    this.model = model;
    this.describes = true;
    this.waiting = new Map(); // name of a question -> how to answer it
    this.rows = new Map(); // row -> Promise of {label, attributes, picture}
    this.pictures = new Map(); // row -> URL
    this.hear = this.hear.bind(this);
    model.on("msg:custom", this.hear);
  }

  get hasPictures() {
    return this.model.get("pictures");
  }

  picture(row) {
    return this.pictures.get(row);
  }

  knows(row) {
    return this.rows.has(row);
  }

  describe(row) {
    if (!this.rows.has(row)) {
      if (this.rows.size >= KEPT_ROWS) this.drop(this.rows.keys().next().value);
      const answer = this.ask("row", { row }).then((found) => this.keep(row, found));
      this.rows.set(row, answer);
      answer.catch(() => this.rows.delete(row));
    }
    return this.rows.get(row);
  }

  keep(row, { label, attributes, buffer }) {
    if (buffer && this.rows.has(row)) this.pictures.set(row, URL.createObjectURL(new Blob([buffer], { type: "image/webp" })));
    return { label, attributes, picture: this.pictures.get(row) };
  }

  drop(row) {
    URL.revokeObjectURL(this.pictures.get(row));
    this.pictures.delete(row);
    this.rows.delete(row);
  }

  async bytes({ id }) {
    return (await this.ask("part", { id })).buffer;
  }

  ask(kind, question) {
    this.model.send({ kind, ...question });
    return new Promise((resolve, reject) => this.waiting.set(questionName({ kind, ...question }), { resolve, reject }));
  }

  hear(answer, buffers = []) {
    const name = questionName(answer);
    const asked = this.waiting.get(name);
    this.waiting.delete(name);
    if (answer.error) asked?.reject(new Error(answer.error));
    else asked?.resolve({ ...answer, buffer: buffers[0] && copyBytes(buffers[0]) });
  }

  close() {
    this.model.off("msg:custom", this.hear);
    for (const row of [...this.rows.keys()]) this.drop(row);
  }
}

const questionName = ({ kind, id, row }) => `${kind} ${id ?? row}`;
const copyBytes = (view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);

/** Sets Streamlit's variables on `host` from those of the notebook, as colors that scripts can read. */
function takeTheme(host) {
  for (const [name, value] of Object.entries(THEME)) {
    host.style.color = value;
    host.style.setProperty(`--st-${name}`, getComputedStyle(host).color);
  }
  host.style.color = "";
  host.style.setProperty("--st-font", "var(--jp-ui-font-family, var(--vscode-font-family, sans-serif))");
}

/** The picture that stands in the map's place until its arrays have come; it stays where no kernel runs. */
function stillImage(model) {
  const bytes = model.get("still");
  const still = make("img", { alt: "The map as a still picture", src: URL.createObjectURL(new Blob([bytes], { type: "image/png" })) });
  still.style.cssText = "position: absolute; left: 0; top: 0; max-width: 100%; max-height: 100%; z-index: 2;";
  return still;
}

function render({ model, el }) {
  const host = make("div", { className: "likeness-map" });
  host.style.cssText = `display: block; position: relative; height: ${model.get("height")}px;`;
  host.dataset.lmSuppressShortcuts = "true"; // JupyterLab's keys, such as 0 0 for a restart
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = `<style>${STYLES}</style>${MARKUP}`;
  el.append(host);
  // a shift-drag is a lasso here, not a selection of cells
  host.addEventListener("mousedown", (event) => event.shiftKey && event.stopPropagation());
  // JupyterLab gives the keys to a cell that is clicked only where nothing in its notebook has them
  const giveUpKeys = (event) => event.composedPath().includes(host) || root.activeElement?.blur();
  document.addEventListener("pointerdown", giveUpKeys, true);
  const still = stillImage(model);
  root.append(still);
  const map = new LinkedMap(root);
  const source = new KernelSource(model);
  const setTriggerValue = (kind, edit) => model.send({ kind, ...edit });
  const show = async () => {
    // without room there are no colors: not on the page yet, in a hidden tab, or while JupyterLab changes its theme
    if (!host.clientWidth) return room.observe(host); // anew, so that it also tells of room that was gone for less than a frame
    takeTheme(host);
    await map.update({ data: model.get("payload"), setTriggerValue, source });
    still.hidden = map.root.dataset.state === "ready";
  };
  const room = new ResizeObserver(() => {
    if (!host.clientWidth) return;
    room.disconnect();
    show();
  });
  show();
  model.on("change:payload", show);
  const themes = new MutationObserver(show);
  for (const element of [document.documentElement, document.body]) {
    themes.observe(element, { attributeFilter: ["class", "data-jp-theme-name", "data-vscode-theme-kind", "data-theme"] });
  }
  return () => {
    model.off("change:payload", show);
    document.removeEventListener("pointerdown", giveUpKeys, true);
    themes.disconnect();
    room.disconnect();
    URL.revokeObjectURL(still.src);
    source.close();
    map.close();
  };
}

export default { render };
