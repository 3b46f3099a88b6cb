"""What a page of the app declares about itself: the menu and the head of the page come from here."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

Needs = Literal["spaces", "images", "nothing"]


@dataclass(frozen=True)
class AppPage:
    """A page: a folder whose `__init__.py` declares `PAGE`, and whose `page.py` draws when Streamlit runs it.

    Attributes:
        folder: its name is the page's address.
        title: in the menu and at the head of the page.
        section: of the menu.
        icon: name of a Material symbol.
        help: one sentence that says what the page shows; the menu's tooltip.
        needs: what of the sidebar it shows: spaces, the images alone, or nothing, so that it stands also where the images cannot be opened.
    """

    folder: Path
    title: str
    section: str
    icon: str
    help: str
    needs: Needs = "spaces"

    @property
    def address(self) -> str:
        """The last part of the page's URL."""
        return self.folder.name

    def entry(self, default: bool) -> StreamlitPage:
        """The page as `st.navigation` takes it; the default one also answers at the app's root."""
        return st.Page(
            self.folder / "page.py", title=self.title, icon=f":material/{self.icon}:", url_path=self.address, default=default, help=self.help
        )

    def show_head(self, more: str = "") -> None:
        """Draws title and help, and `more` sentences after it."""
        st.title(self.title)
        st.caption(f"{self.help} {more}".strip())
