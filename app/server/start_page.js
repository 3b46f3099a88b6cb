// Where the server is: beside the page, which has no further slash in its address.
window.__streamlit = { BACKEND_BASE_URL: location.origin + location.pathname.replace(/[^/]*$/, "") };

// The way to the app below the door, for addresses that come without it (middleware/find_way.js): only pages of this port read it.
{
  const found = location.pathname.match(/^(.*\/)(~[^/]+\/)[^/]*$/);
  try {
    if (found) localStorage.setItem(`likeness-way ${found[1]}`, found[2]);
  } catch {} // a browser that keeps nothing is asked for the token
}

// A server that was restarted, or a sign-in that has ended, does not know this tab any more: the door in the page's place says so, and what to do.
{
  const KEY = "likeness-door", PAUSE = 10_000; // ms; where the door opens at once and still nothing is answered, loading again would go on forever
  const ask = window.fetch.bind(window);
  const goToDoor = () => {
    try {
      if (Date.now() - Number(sessionStorage.getItem(KEY)) < PAUSE) return;
      sessionStorage.setItem(KEY, Date.now());
    } catch {
      return; // a browser that keeps nothing; the answer itself says why
    }
    location.reload();
  };
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (answer.status === 401) goToDoor(); // of this server: pages may ask no other one
    return answer;
  };
}

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

// The theme that a person has chosen, for all pages and tabs. Streamlit follows the system, and asks for that here.
{
  const KEY = "likeness-theme", DARK = "(prefers-color-scheme: dark)";
  const ask = matchMedia.bind(window), system = ask(DARK), themes = new EventTarget();
  let shown;
  const choice = () => {
    try {
      return ["light", "dark"].find((name) => name === localStorage.getItem(KEY)) ?? "system";
    } catch {
      return shown ?? "system"; // a browser that keeps nothing: for as long as the page is open
    }
  };
  const tell = () => {
    themes.dispatchEvent(Object.assign(new Event("change"), { matches: themes.matches, media: DARK }));
    themes.onchange?.(new Event("change"));
    dispatchEvent(new Event("likeness-theme"));
  };
  Object.defineProperties(themes, { matches: { get: () => (choice() === "system" ? system.matches : choice() === "dark") }, media: { value: DARK } });
  Object.assign(themes, { onchange: null });
  themes.addListener = (heard) => themes.addEventListener("change", heard);
  themes.removeListener = (heard) => themes.removeEventListener("change", heard);
  window.matchMedia = (query) => (query.replace(/\s+/g, " ").trim() === DARK ? themes : ask(query));
  window.likenessTheme = {
    get choice() {
      return choice();
    },
    set choice(name) {
      shown = name;
      try {
        localStorage.setItem(KEY, name);
      } catch {} // see above
      tell();
    },
  };
  system.addEventListener("change", tell);
  addEventListener("storage", (event) => event.key === KEY && tell());
  // what Streamlit's own menu once kept would stand above the system, for one page only
  try {
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith("stActiveTheme"))) localStorage.removeItem(key);
  } catch {}
}
