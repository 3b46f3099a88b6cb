"""The switch between light, dark and the system's theme, at once and for good; every page in both, and in any width."""

import contextlib
import getpass
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import TimeoutError

import navigation
from browsing import Person
from likeness.data import read_dataset
from likeness.tagging import tag_store
from likeness.training import RunFolder, presets, read_config

pytestmark = pytest.mark.long

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 21, 28)"  # of app/.streamlit/config.toml
_LEAST = 4.5  # contrast of text, WCAG 2 AA
WIDTHS = (390, 1024, 1440)


@pytest.fixture
def lit(people: Callable[..., Person], server: Any) -> Person:
    """Somebody whose system is light."""
    return people(server, color_scheme="light")


_BACK = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"


def _wait_for(person: Person, back: str) -> None:
    person.page.wait_for_function(f"back => {_BACK} === back", arg=back)


def _choose(person: Person, theme: str, back: str) -> None:
    person.page.get_by_role("radio", name=theme).click()
    _wait_for(person, back)


def test_one_click_darkens_page_and_map_without_a_reload_for_good_and_in_other_tabs(lit: Person) -> None:
    page = lit.open("?layout=PCA").map().page
    assert page.evaluate(_BACK) == LIGHT
    page.evaluate("window.stays = true")
    _choose(lit, "Dark theme", DARK)
    page.locator(".lm-dark").wait_for()
    assert page.evaluate("window.stays")
    assert page.get_by_role("radio", name="Dark theme").get_attribute("aria-checked") == "true"
    assert lit.open("continuous").page.evaluate(_BACK) == DARK  # Streamlit itself keeps a theme for one address only
    _choose(lit, "Theme of the system", LIGHT)
    page.emulate_media(color_scheme="dark")
    _wait_for(lit, DARK)
    _choose(lit, "Light theme", LIGHT)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
    assert page.evaluate(_BACK) == LIGHT
    other = lit.another("continuous")
    page.get_by_role("radio", name="Theme of the system").focus()
    page.keyboard.press("ArrowLeft")
    _wait_for(other, DARK)
    assert page.evaluate("document.activeElement.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement.ariaLabel") == "Dark theme"
    assert other.page.get_by_role("radio", name="Dark theme").get_attribute("aria-checked") == "true"


def _unreadable(page: Any) -> list[str]:
    """Texts that are hard to read, once what fades in and over has come to rest."""
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(f"least => ({_UNREADABLE})(least).length === 0", arg=_LEAST, timeout=60_000)
    found: list[str] = page.evaluate(_UNREADABLE, _LEAST)
    return found


def test_every_page_fits_any_width_and_its_texts_are_readable_in_both_themes(lit: Person, server: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(server.cache))
        cars = read_dataset("cars")
        tag_store("cars", cars).add_tag(cars.frame["path"][:1], "seen", who=getpass.getuser())  # Undo can be pressed, and its key is read
    RunFolder(server.cache / "runs" / "read").create(read_config(presets()["lg-cars196-margin"]))  # its settings are read
    for page in navigation.PAGES:
        lit.page.set_viewport_size({"width": WIDTHS[0], "height": 900})  # as on a phone
        lit.open(f"{'' if page is navigation.HOME else page.address}?layout=PCA&query=3")
        for width in WIDTHS:
            lit.page.set_viewport_size({"width": width, "height": 900})
            lit.page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width, timeout=60_000)
        for theme, back in (("Light theme", LIGHT), ("Dark theme", DARK)):
            _choose(lit, theme, back)
            assert _unreadable(lit.page) == [], (page.address, theme)


# Texts whose color stands out less from what lies behind them than is asked for: less is for large ones and icons. What is switched off, and what
# is of the very color behind it so that nobody sees it, is left out.
_UNREADABLE = """least => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = text => {
    if (!known.has(text)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = text;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
  const luminance = color => {
    const [r, g, b] = color.map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const outer = element => element.parentElement ?? element.getRootNode().host ?? null;
  const off = (element, style) =>
    element.disabled || ["aria-disabled", "data-disabled"].some(name => element.getAttribute(name) === "true")
    || style.clipPath.startsWith("inset") || style.visibility === "hidden" || (element.tagName === "svg" && !element.closest(".js-plotly-plot"));
  const unreadable = [];
  const look = root => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join(" ").trim();
      const { width, height } = element.getBoundingClientRect();
      if (!text || !width || !height || ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE"].includes(element.tagName)) continue;
      const chain = [];
      for (let each = element; each; each = outer(each)) chain.push([each, getComputedStyle(each)]);
      const opacity = chain.reduce((share, [, style]) => share * style.opacity, 1);
      if (opacity < 0.05 || chain.some(([each, style]) => off(each, style))) continue;
      const solid = chain.findIndex(([, style]) => rgba(style.backgroundColor)[3] >= 1);
      const layers = chain.slice(0, solid < 0 ? chain.length : solid + 1).map(([, style]) => rgba(style.backgroundColor));
      const back = layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255]);
      const style = chain[0][1];
      const [r, g, b, a] = rgba(element.tagName === "text" ? style.fill : style.color);
      const found = contrast(over([r, g, b, a * opacity], back), back);
      const size = parseFloat(style.fontSize), heavy = style.fontWeight >= 700;
      const large = element.dataset.testid === "stIconMaterial" || size >= (heavy ? 18.6 : 24);
      if (found > 1.01 && found < (large ? 3 : least)) unreadable.push(`${found.toFixed(2)} ${text.slice(0, 60)}`);
    }
  };
  look(document);
  return unreadable;
}"""
