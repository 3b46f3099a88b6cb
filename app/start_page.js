// Where the server is: at the page's address without the page itself.
window.__streamlit = { BACKEND_BASE_URL: location.origin + location.pathname.replace(/(PAGES)\/?$/, "") };

// One step of the history for each action of a person: what the app writes into the address by itself belongs to the step before.
{
  let acted = false; // the first address is a step already
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (acted = true), { capture: true });
  addEventListener("popstate", () => (acted = false), { capture: true });
  const push = history.pushState.bind(history);
  history.pushState = (...entry) => {
    if (acted) push(...entry);
    else history.replaceState(...entry);
    acted = false;
  };
}
