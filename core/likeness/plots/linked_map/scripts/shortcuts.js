// The list of keys, opened by "?" anywhere on the page or by the button.

/** [title, keys, selector of the pages that have them; none: everywhere]. */
const SHORTCUTS = [
  ["Map", [
    ["Arrow keys", "Move the map"],
    ["+ −", "Zoom in, zoom out"],
    ["0", "Show the whole map"],
    ["Z", "Zoom to the selection"],
    ["Shift + arrow keys", "Go from point to point"],
    ["N", "Show the neighbors of the point; press again to hide them"],
    ["Enter", "Open the picture if the page can, else show its neighbors"],
    ["Space", "Select only this point"],
    ["Shift + Space", "Add the point to the selection, or remove it"],
    ["A, Shift + A", "Select all visible points, or add them"],
    ["C", "Clear selection and query"],
    ["Esc", "Undo the shape, else the selection, the query or the legend"],
    ["P", "Show or hide pictures on the map"],
    ["V, L, B", "Mode: pan, lasso, box"],
  ]],
  ["Names on the map", [
    ["Tab", "Go from the map to its names"],
    ["Arrow keys", "Go from name to name"],
    ["Enter, Shift + Enter", "Select its images, or add them"],
  ]],
  ["Mouse and touch", [
    ["Click, tap", "Show an image's neighbors, or select a name's images"],
    ["Shift + drag", "Draw a lasso; in lasso and box mode, shift adds, alt removes"],
    ["Wheel, two fingers", "Zoom"],
    ["Double click", "Open an image; elsewhere, show the whole map"],
    ["Long press", "Show an image's card"],
  ]],
  ["Gallery", [
    ["Arrow keys", "Go from picture to picture"],
    ["Enter, click", "Open the picture"],
    ["Space, Ctrl + click", "Tick or untick the picture"],
    ["Shift + arrow keys", "Tick pictures along the way"],
    ["Shift + click", "Tick all since the last tick"],
  ], ".stApp"],
  ["Open picture", [
    ["Left, right arrow", "Previous, next picture"],
    ["1 to 9", "Add or remove a label"],
    ["Esc, click", "Close it"],
  ], ".stApp"],
  ["Labels", [
    ["1 to 9", "Label the selected images"],
    ["U, Shift + U", "Undo or redo your last label"],
    ["Y, N, Z", "How many match: yes, no, undo"],
  ], ".stApp"],
  ["Page", [
    ["?", "Open or close this list"],
    ["Tab, Shift + Tab", "Next, previous control"],
  ]],
];

let openList = null; // one at a time, also with several maps on a page

class Shortcuts {
  constructor(root) {
    this.dialog = make("dialog", { className: "lm-shortcuts" });
    this.dialog.setAttribute("aria-label", "Keyboard shortcuts");
    this.dialog.addEventListener("close", () => (openList = null));
    this.dialog.addEventListener("keydown", (event) => event.key === "Escape" && event.stopPropagation());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    root.append(this.dialog);
    this.hear = (event) => this.key(event);
    document.addEventListener("keydown", this.hear);
  }

  key(event) {
    const target = event.composedPath()[0];
    const writes = target?.isContentEditable || /^(input|textarea|select)$/i.test(target?.tagName ?? "");
    if (event.key !== "?" || writes || event.ctrlKey || event.metaKey || (openList && openList !== this)) return;
    event.preventDefault();
    this.toggle();
  }

  toggle() {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    if (!this.dialog.firstChild) this.fill();
    openList = this;
    this.dialog.showModal();
  }

  fill() {
    const close = make("button", { className: "lm-tool", type: "button", title: "Close (Esc)", innerHTML: icon("clear"), onclick: () => this.dialog.close() });
    close.setAttribute("aria-label", "Close");
    const here = SHORTCUTS.filter(([, , where]) => !where || document.querySelector(where));
    const groups = here.map(([title, keys]) => make("section", {}, make("h3", { textContent: title }), make("dl", {}, ...keys.flatMap(([key, text]) => [make("dt", { textContent: key }), make("dd", { textContent: text })]))));
    this.dialog.append(make("div", { className: "lm-shortcuts-head" }, make("h2", { textContent: "Keys" }), close), make("div", { className: "lm-shortcuts-list" }, ...groups));
  }

  close() {
    document.removeEventListener("keydown", this.hear);
    if (this.dialog.open) this.dialog.close();
  }
}
