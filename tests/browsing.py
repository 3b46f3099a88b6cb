"""What the browser tests have in common: waiting until a page stands."""

import itertools
import time
from collections.abc import Callable
from typing import Any

WAIT = 600_000  # milliseconds

# Runs in every page before its own scripts: counts which runs of the app's script it has asked for, and which have begun and ended. The kind of
# a message is the number of its first field that is one of those looked for (BackMsg.proto and ForwardMsg.proto of Streamlit).
WATCH = """(() => {
  const RERUN = 11, BEGUN = 4, ENDED = 6, BEFORE_ANOTHER = 2;
  const varint = (bytes, at) => { let value = 0, shift = 1; for (;;) { const byte = bytes[at++] ?? 0; value += (byte & 127) * shift; shift *= 128;
    if (byte < 128) return [value, at]; } };
  const find = (data, fields) => {
    const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    for (let at = 0, tag, value; at < bytes.length;) {
      [tag, at] = varint(bytes, at);
      [value, at] = varint(bytes, at);
      if (fields.includes(tag >>> 3)) return [tag >>> 3, value];
      if ((tag & 7) === 2) at += value;
    }
    return [0, 0];
  };
  const runs = window.scriptRuns = { asked: 0, begun: 0, answered: false, running: false, ended: 0, drawing: 0, waiter: 0, rested: false };
  const hear = ({ data }) => {
    if (typeof data === "string") return;
    const [field, value] = find(data, [BEGUN, ENDED]);
    if (field === BEGUN) { runs.begun += 1; runs.answered = runs.running = true; }
    if (field === ENDED && value !== BEFORE_ANOTHER) { runs.running = false; runs.ended = performance.now(); }
    runs.drawing += 1;
    requestAnimationFrame(() => requestAnimationFrame(() => { runs.drawing -= 1; }));
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (typeof data !== "string" && find(data, [RERUN])[0]) {
      if (!this.heard) this.addEventListener("message", hear);
      this.heard = true;
      runs.asked += 1;
      runs.answered = false;
    }
    return send.call(this, data);
  };
})();"""
# No run is asked for, under way or not drawn. Of two that are asked for at once the server may make one: nothing more begins after that then.
_SETTLED = """([waiter, pause]) => {
  const runs = window.scriptRuns;
  if (!runs.asked || !document.querySelector("[data-testid='stApp'][data-test-script-state='notRunning']")) return false;
  if (runs.waiter !== waiter) {
    Object.assign(runs, { waiter, rested: false });
    setTimeout(() => requestAnimationFrame(() => { runs.rested = runs.waiter === waiter; }), pause);
  }
  if (!runs.rested || !runs.answered || runs.running || runs.drawing) return false;
  if (runs.begun < runs.asked && performance.now() - runs.ended < 1000) return false;
  runs.begun = runs.asked;
  return true;
}"""
_PAUSE = 300  # milliseconds of the page's own clock, after which all that fields and tables hold back for a moment is on its way
_waiters = itertools.count(1)


def settled(page: Any) -> None:
    """Waits until the page's script has run for all that was done before."""
    page.wait_for_function(_SETTLED, arg=[next(_waiters), _PAUSE], timeout=WAIT)


def drawn(page: Any) -> None:
    """Waits until the browser has drawn what was done before, and the maps of the page all that follows from it, on their way too."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for place in range(page.locator(".lm[data-state='ready']").count()):
        page.locator(".lm[data-state='ready']").nth(place).and_(page.locator("[data-drawn='true']")).wait_for(timeout=WAIT)


def at_rest(element: Any) -> None:
    """Waits until an element keeps its place for some frames, as where a page has stopped to scroll."""
    element.evaluate("""(element) => new Promise((done) => {
      let last = "", kept = 0;
      const look = () => {
        const { x, y } = element.getBoundingClientRect();
        kept = last === `${x} ${y}` ? kept + 1 : 0;
        last = `${x} ${y}`;
        if (kept < 5) requestAnimationFrame(look); else done();
      };
      look();
    })""")


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Waits until something holds; the page goes on meanwhile."""
    end = time.monotonic() + WAIT / 1000
    while not holds():
        assert time.monotonic() < end, "this did not come to hold"
        page.wait_for_timeout(20)


def open_map(page: Any, url: str) -> None:
    """Opens an address whose page has a map, and waits for that."""
    page.goto(url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
