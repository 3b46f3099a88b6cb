"""What the browser tests have in common: waiting until a page stands, and what people do on one."""

import itertools
import re
import time
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import parse_qs, urlparse

import navigation

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


class Person:
    """Somebody at the app; what is done ends once the page has answered.

    Args:
        page: of a browser.
        url: of the server.
    """

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        page.set_default_timeout(WAIT)

    def open(self, address: str = "") -> Self:
        self.page.goto(f"{self.url}/{address}")
        return self.settle()

    def settle(self) -> Self:
        settled(self.page)
        return self

    def map(self) -> Self:
        """Waits for the page's map."""
        self.page.wait_for_selector(".lm[data-state='ready']")
        return self.settle()

    def another(self, address: str) -> "Person":
        """Another tab of the same browser."""
        return type(self)(self.page.context.new_page(), self.url).open(address)

    def says(self, *texts: str | re.Pattern[str]) -> Self:
        """Waits until all of this stands on the page."""
        for text in texts:
            self.page.get_by_text(text).first.wait_for()
        return self

    def heading(self, text: str) -> Self:
        """Waits for a heading that holds this text."""
        self.page.locator("[data-testid='stHeading']", has_text=text).first.wait_for()
        return self.settle()

    def button(self, name: str | re.Pattern[str]) -> Any:
        """The first button of this whole name."""
        return self.page.get_by_role("button", name=name, exact=True).first

    def press(self, name: str | re.Pattern[str]) -> Self:
        self.button(name).click()
        return self.settle()

    def go(self, name: str) -> Self:
        """Follows a link, that of a page within a group by the group's entry of the menu."""
        link = self.page.get_by_role("link", name=name, exact=True).first
        group = next((page.group for page in navigation.PAGES if page.title == name), None)
        if group and not link.count():
            self.page.get_by_role("link", name=group.title, exact=True).first.click()
        link.click()
        return self.settle()

    def tab(self, name: str) -> Self:
        self.page.get_by_role("tab", name=name).click()
        return self.settle()

    def click(self, element: Any, **options: Any) -> Self:
        """An element, or the first one of a CSS selector."""
        (self.page.locator(element).first if isinstance(element, str) else element).click(**options)
        return self.settle()

    def keys(self, *keys: str) -> Self:
        for key in keys:
            self.page.keyboard.press(key)
        return self.settle()

    def fill(self, label: str, text: str, key: str = "Enter") -> Self:
        """Types into a field, and ends with a key."""
        field = self.page.get_by_label(label, exact=True).last
        field.fill(text)
        field.press(key)
        return self.settle()

    def choose(self, field: str, option: str | re.Pattern[str]) -> Self:
        """Takes an option of a list."""
        found = self.page.get_by_role("combobox", name=field).last
        found.scroll_into_view_if_needed()
        at_rest(found)  # a list closes where the sidebar still scrolls
        found.click()
        self.page.get_by_role("option", name=option, exact=True).first.click()
        return self.settle()

    def give(self, name: str, value: str = "") -> Self:
        """Labels what is selected."""
        self.press(re.compile(r"Label \d+ image"))
        for label, text in (("Name", name), ("Value", value)):
            if text:
                self.page.get_by_label(label, exact=True).last.fill(text)
                self.keys("Enter")
        self.button("Add").click()
        return self.says(re.compile("added to")).keys("Escape")

    def download(self, element: Any) -> Any:
        """The file that a click on an element, or on the button of this name, brings."""
        with self.page.expect_download() as download:
            (self.button(element) if isinstance(element, str) else element).click()
        return download.value.path()

    @property
    def text(self) -> str:
        """All that stands on the page, but for the sidebar."""
        return str(self.page.get_by_test_id("stMain").first.inner_text())

    @property
    def asked(self) -> dict[str, list[str]]:
        """What the address asks for."""
        return parse_qs(urlparse(self.page.url).query)

    @property
    def rows(self) -> list[int]:
        """What is selected, by the address."""
        import state

        return state.decode_rows(self.asked.get("rows", [""])[0]).tolist()


def row_of(picture: Any) -> int:
    """Which row an element with the address of a thumbnail shows."""
    found = re.search(r"/(\d+)(\?|$)", str(picture.get_attribute("src")))
    assert found
    return int(found[1])
