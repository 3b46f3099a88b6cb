"""What a page of the app declares about itself: the menu and the head of the page come from here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

if TYPE_CHECKING:
    from likeness.data import ImageTable

Needs = Literal["spaces", "images", "nothing"]
Labels = Literal["", "classes", "numbers"]


@dataclass(frozen=True)
class Group:
    """Pages under one entry of the menu, which lists them as paths at their heads.

    Attributes:
        title: in the menu.
        icon: name of a Material symbol.
        help: the menu's tooltip.
    """

    title: str
    icon: str
    help: str


TRAIN = Group("Train", "model_training", "Train networks, watch the runs and compare what they reached.")
EVALUATE = Group("Evaluate", "leaderboard", "Measure spaces, see what they look at, and what changed from one to another.")


@dataclass(frozen=True)
class AppPage:
    """A page: a folder whose `__init__.py` declares `PAGE`, and whose `page.py` draws when Streamlit runs it.

    Attributes:
        title: in the menu and at the head of the page; in small letters, with `_` for spaces, the page's address and the name of its folder.
        icon: name of a Material symbol.
        help: one sentence that says what the page shows; the menu's tooltip.
        needs: what of the sidebar it shows: spaces, the images alone, or nothing, so that it stands also where the images cannot be opened.
        labels: that the images must have for the page to show what it is for; the paths of the others come first. It opens in any case.
        group: under whose entry of the menu it stands; None of a page with an entry of its own.
    """

    title: str
    icon: str
    help: str
    needs: Needs = "spaces"
    group: Group | None = None
    labels: Labels = ""

    def suits(self, table: "ImageTable") -> bool:
        """Whether images have the labels that the page needs."""
        from likeness.data import PHOTO_COLUMNS, numbers_of

        frame = table.frame
        labels = [name for name in table.attributes if name not in PHOTO_COLUMNS]
        numbers = [name for name in labels if numbers_of(frame[name]) is not None]
        return not self.labels or bool(numbers if self.labels == "numbers" else labels)

    @property
    def address(self) -> str:
        """The last part of the page's URL."""
        return self.title.lower().replace(" ", "_")

    @property
    def file(self) -> Path:
        """What draws it."""
        return Path(__file__).parents[1] / "pages" / self.address / "page.py"

    def entry(self, default: bool, visible: bool = True) -> StreamlitPage:
        """The page as `st.navigation` takes it; the default one also answers at the app's root. A `visible` one of a group stands for the group."""
        shown = self.group if self.group and visible else self
        return st.Page(
            self.file,
            title=shown.title,
            icon=f":material/{shown.icon}:",
            url_path=self.address,
            default=default,
            visibility="visible" if visible else "hidden",
            help=shown.help,
        )

    def show_head(self, more: str = "") -> None:
        """Draws title and help, and `more` sentences after it."""
        st.title(self.title)
        st.caption(f"{self.help} {more}".strip())


def show_tabs(key: str, tabs: Mapping[str, Callable[..., None]], *given: Any) -> None:
    """Draws tabs, and what is in the open one, from what all of them are given; a link has which one is open."""
    for tab, draw in zip(st.tabs(list(tabs), key=key, on_change="rerun", bind="query-params"), tabs.values(), strict=True):
        if tab.open:
            with tab:
                draw(*given)


def show_missing(words: str, page: str = "images", label: str = "Add images", icon: str = "add_photo_alternate") -> None:
    """Says what a page needs and these images lack, with the way to the page that helps."""
    st.info(words, icon=":material/info:")
    st.page_link(f"pages/{page}/page.py", label=label, icon=f":material/{icon}:")
