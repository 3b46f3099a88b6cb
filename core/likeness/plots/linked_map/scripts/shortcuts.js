// The list of keys, opened by "?" anywhere on the page or by the button.

/** [title, keys, a selector of the page that has them; everywhere without one]. */
const SHORTCUTS = [
  ["Map", [
    ["Arrow keys", "Move the map"],
    ["+ −", "Zoom in, zoom out"],
    ["0", "Show the whole map"],
    ["Z", "Zoom to the selection"],
    ["Shift + arrow keys", "Go from point to point"],
    ["N", "Neighbors of the point; again to take it back"],
    ["Enter", "Open the picture, where the page can; else its neighbors"],
    ["Space", "Select the point alone"],
    ["Shift + Space", "Add the point to the selection, or take it out"],
    ["A, Shift + A", "Select all in sight, or add them"],
    ["C", "Clear selection and query"],
    ["Esc", "Take back the last thing"],
    ["P", "Pictures on the map on or off"],
    ["V, L, B", "Drag to pan, to draw a lasso, to draw a box"],
  ]],
  ["Names on the map", [
    ["Tab", "From the map to its names"],
    ["Arrow keys", "Go from name to name"],
    ["Enter, Shift + Enter", "Select its images, or add them"],
  ]],
  ["Mouse and touch", [
    ["Click, tap", "Neighbors of an image; on a name, its images"],
    ["Shift + drag", "Lasso; in lasso and box mode, shift adds, alt removes"],
    ["Wheel, two fingers", "Zoom"],
    ["Double click", "On an image, open it; elsewhere, show the whole map"],
    ["Long press", "The card of an image"],
  ]],
  ["Gallery", [
    ["Arrow keys", "Go from picture to picture"],
    ["Enter, click", "Open the picture"],
    ["Space, Ctrl + click", "Tick the picture, or take the tick away"],
    ["Shift + arrow keys", "Tick on the way"],
    ["Shift + click", "Tick all from the last tick on"],
  ], ".stApp"],
  ["Open picture", [
    ["Left, right arrow", "Previous, next picture"],
    ["1 to 9", "Give it a label, or take it away"],
    ["Esc, click", "Close it"],
  ], ".stApp"],
  ["Labels", [
    ["1 to 9", "Give the selected images a label"],
    ["U, Shift + U", "Undo your last label, do it again"],
    ["Y, N, Z", "How many match: yes, no, take back"],
  ], ".stApp"],
  ["Page", [
    ["?", "Open or close this list"],
    ["Tab, Shift + Tab", "Next, previous control"],
  ]],
];

let openList = null; // one at a time, however many maps a page has

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
