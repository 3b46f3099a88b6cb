"""What the browser tests have in common: waiting until a page stands."""

from typing import Any

WAIT = 600_000  # milliseconds


def settled(page: Any) -> None:
    """Waits until the page's script has run."""
    page.wait_for_timeout(300)
    page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']", timeout=WAIT)
    page.wait_for_timeout(300)


def open_map(page: Any, url: str) -> None:
    """Opens an address whose page has a map, and waits for that."""
    page.goto(url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    settled(page)
