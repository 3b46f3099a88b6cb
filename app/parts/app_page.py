"""What each page declares about itself; the menu and the page's header use it."""

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
    """A menu entry for several pages, which are listed as links in their headers.

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
    """A page: a folder whose `__init__.py` declares `PAGE` and whose `page.py` draws it.

    Attributes:
        title: in the menu and header; in lower case, with `_` for spaces, also the page's address and folder.
        icon: name of a Material symbol.
        help: one sentence on what the page shows; the menu's tooltip.
        needs: the sidebar's parts that it uses: spaces, only the images, or nothing, so that it works even if the images cannot be opened.
        labels: labels that the page needs; without them it still opens, but links to other pages of its group come first.
        group: its menu entry; None for a page with its own entry.
    """

    title: str
    icon: str
    help: str
    needs: Needs = "spaces"
    group: Group | None = None
    labels: Labels = ""

    def suits(self, table: "ImageTable") -> bool:
        """Whether the images have the labels that the page needs."""
        from likeness.data import PHOTO_COLUMNS, numbers_of

        frame = table.frame
        labels = [name for name in table.attributes if name not in PHOTO_COLUMNS]
        numbers = [name for name in labels if numbers_of(frame[name]) is not None]
        return not self.labels or bool(numbers if self.labels == "numbers" else labels)

    @property
    def address(self) -> str:
        return self.title.lower().replace(" ", "_")

    @property
    def file(self) -> Path:
        """The page's script."""
        return Path(__file__).parents[1] / "pages" / self.address / "page.py"

    def entry(self, default: bool, visible: bool = True) -> StreamlitPage:
        """The page for `st.navigation`; the default one also answers at the app's root. A `visible` page of a group represents the group."""
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
        """Draws the title, the help, and `more` sentences after it."""
        st.title(self.title)
        st.caption(f"{self.help} {more}".strip())


def show_tabs(key: str, tabs: Mapping[str, Callable[..., None]], *given: Any) -> None:
    """Draws tabs and the open one's content; all tabs get the same arguments. The open tab is stored in the link."""
    for tab, draw in zip(st.tabs(list(tabs), key=key, on_change="rerun", bind="query-params"), tabs.values(), strict=True):
        if tab.open:
            with tab:
                draw(*given)


def show_missing(words: str, page: str = "images", label: str = "Add images", icon: str = "add_photo_alternate") -> None:
    """Shows what these images lack for this page, with links to pages that help."""
    st.info(words, icon=":material/info:")
    st.page_link(f"pages/{page}/page.py", label=label, icon=f":material/{icon}:")
