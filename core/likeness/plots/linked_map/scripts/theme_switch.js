// Light, dark, or as the system is: the choice lives in the browser, see start_page.js.

const SHAPES = {
  light: ["Light theme", "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10z M11 1h2v3h-2z M11 20h2v3h-2z M1 11h3v2H1z M20 11h3v2h-3z M4.200 5.600 5.600 4.200 7.700 6.300 6.300 7.700z M16.300 17.700 17.700 16.300 19.800 18.400 18.400 19.800z M4.200 18.400 6.300 16.300 7.700 17.700 5.600 19.800z M16.300 6.300 18.400 4.200 19.800 5.600 17.700 7.700z"],
  dark: ["Dark theme", "M12 3a9 9 0 1 0 9 9c0-.46-.04-.92-.1-1.360a5.400 5.400 0 0 1-7.540-7.540C12.920 3.040 12.460 3 12 3z"],
  system: ["Theme of the system", "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2v16a8 8 0 0 1 0-16z"],
};

export default function ({ parentElement }) {
  const group = parentElement.querySelector(".ts");
  const themes = window.likenessTheme;
  group.hidden = !themes;
  if (!themes) return;
  const names = Object.keys(SHAPES);
  const show = () => buttons.forEach((button, place) => {
    const chosen = names[place] === themes.choice;
    button.setAttribute("aria-checked", chosen);
    button.tabIndex = chosen ? 0 : -1;
  });
  const buttons = names.map((name, place) => {
    const [title, path] = SHAPES[name];
    const button = document.createElement("button");
    Object.assign(button, { type: "button", title, onclick: () => (themes.choice = name) });
    button.setAttribute("role", "radio");
    button.setAttribute("aria-label", title);
    button.innerHTML = `<svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d="${path}" fill="currentColor"/></svg>`;
    button.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = (place + step + names.length) % names.length;
      themes.choice = names[next];
      buttons[next].focus();
    };
    return button;
  });
  const focused = group.contains(group.getRootNode().activeElement); // a change of theme draws the switch anew
  group.replaceChildren(...buttons);
  show();
  if (focused) buttons.find((button) => button.tabIndex === 0).focus();
  addEventListener("likeness-theme", show);
  return () => removeEventListener("likeness-theme", show);
}
