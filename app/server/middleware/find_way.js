// From an address without the way to the app, or with that of an earlier start, to the one below it; `start_page.js` keeps the way.
try {
  const base = new URL(".", document.forms[0].action).pathname; // where the server lies, below a proxy's path too
  const way = localStorage.getItem(`likeness-way ${base}`) ?? "";
  const isThere = location.pathname.startsWith(base + way); // and yet not let in
  if (/^~[\w-]+\/$/.test(way) && !isThere) location.replace(base + way + document.forms[0].next.value.slice(1) + location.hash);
} catch {} // a browser that keeps nothing: the form is there
