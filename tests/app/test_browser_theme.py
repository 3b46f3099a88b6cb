"""The switch between light, dark and the system's theme: at once, on every page, for good."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import TimeoutError

import navigation
from browsing import WAIT, open_map, settled

pytestmark = pytest.mark.long

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(18, 21, 28)"  # of app/.streamlit/config.toml
_LEAST = 4.5  # contrast of text, WCAG 2 AA


@pytest.fixture
def light_page(browser: Any) -> Iterator[Any]:
    """A page of a person whose system is light, with a storage of its own."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    yield context.new_page()
    context.close()


def _choose(page: Any, theme: str) -> None:
    page.get_by_role("radio", name=theme).click()


def _back(page: Any) -> str:
    found: str = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    return found


def _wait_for(page: Any, back: str) -> None:
    page.wait_for_function("back => getComputedStyle(document.querySelector('.stApp')).backgroundColor === back", arg=back, timeout=WAIT)


def test_one_click_darkens_page_and_map_without_a_reload_and_for_good(light_page: Any, server: Any) -> None:
    page = light_page
    open_map(page, f"{server.url}/?layout=PCA")
    assert _back(page) == LIGHT
    page.evaluate("window.stays = true")
    _choose(page, "Dark theme")
    _wait_for(page, DARK)
    page.locator(".lm-dark").wait_for(timeout=WAIT)
    assert page.evaluate("window.stays")
    assert page.get_by_role("radio", name="Dark theme").get_attribute("aria-checked") == "true"
    page.goto(f"{server.url}/continuous")  # Streamlit itself keeps a theme for one address only
    settled(page)
    assert _back(page) == DARK
    _choose(page, "Theme of the system")
    _wait_for(page, LIGHT)
    page.emulate_media(color_scheme="dark")
    _wait_for(page, DARK)
    _choose(page, "Light theme")
    _wait_for(page, LIGHT)
    page.emulate_media(color_scheme="light")
    page.emulate_media(color_scheme="dark")
    assert _back(page) == LIGHT


def test_another_tab_follows_and_keys_choose(light_page: Any, server: Any) -> None:
    first, second = light_page, light_page.context.new_page()
    for page in (first, second):
        page.goto(f"{server.url}/continuous")
        settled(page)
    first.get_by_role("radio", name="Theme of the system").focus()
    first.keyboard.press("ArrowLeft")
    _wait_for(second, DARK)
    assert first.evaluate("document.activeElement.shadowRoot?.activeElement?.ariaLabel ?? document.activeElement.ariaLabel") == "Dark theme"
    assert second.get_by_role("radio", name="Dark theme").get_attribute("aria-checked") == "true"


def _unreadable(page: Any) -> list[str]:
    """Texts that are hard to read, once what fades in and over has come to rest."""
    with contextlib.suppress(TimeoutError):
        page.wait_for_function(f"least => ({_UNREADABLE})(least).length === 0", arg=_LEAST, timeout=60_000)
    found: list[str] = page.evaluate(_UNREADABLE, _LEAST)
    return found


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_texts_of_every_page_are_readable_in_both(light_page: Any, server: Any, page: Any) -> None:
    shown = light_page
    shown.goto(f"{server.url}/{'' if page is navigation.PAGES[0] else page.address}?layout=PCA&query=3")
    shown.get_by_role("radio", name="Dark theme").wait_for(timeout=WAIT)
    settled(shown)
    for theme in ("Light theme", "Dark theme"):
        _choose(shown, theme)
        _wait_for(shown, DARK if theme == "Dark theme" else LIGHT)
        assert _unreadable(shown) == []


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
