"""The sidebar of every page: dataset, left and right map, coloring and filters."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st

from likeness.data import PHOTO_COLUMNS, SHIPPED_CARS, DatasetEntry, find_dataset, list_datasets, numbers_of
from likeness.defaults import NOTION
from likeness.errors import InputError
from likeness.notions import Notion, fitting_notions, list_notions
from likeness.plots.linked_map import cache_by_identity
from likeness.space import Space
from parts import cached, drafts, errors, filters, growing, link, selection, trained
from parts.app_page import Needs
from parts.plain import plain
from parts.view import View
from server.access import redact
from server.visitors import notions_dir, visitor
from state import Item, State, state

RAW = "Raw encoder"
DRAFT = "My edits"  # id of the notion that is edited; `readable` gives the name that people read
NONE = "None"
ASPECTS = "aspects of "
_COLOR_HELP = "An attribute of the images, or the aspects of a notion: each image takes the aspect that the encoder matches best with it."
_HASH = re.compile(r"[0-9a-f]{8,}")
_spaces_of = Item("", key="sidebar_spaces_of")  # the images that the spaces were chosen for
_selection_of = Item("", key="sidebar_selection_of")  # the images that the selection was made of
_opened = Item[list[str]](make=list, key="sidebar_opened")  # datasets of others that links opened
_draft_title = Item("", key="sidebar_draft_title")  # how the edited notion was called in the last run


def choose(needs: Needs = "spaces", first_screen: bool = False) -> View:
    """Draws the sidebar and returns its choices.

    Args:
        needs: the page's needs; if it shows no spaces, none is fitted.
        first_screen: an address without parameters opens a notion beside the raw encoder.

    Raises:
        InputError: the requested images are missing or cannot be opened.
    """
    first_screen = first_screen and not st.query_params and not State.dataset.is_set()
    with st.sidebar:
        with st.container(gap="xxsmall"):
            listed = _dataset()
            entry = growing.opened(listed)
            growing.show_bar(entry)
        base = cached.base(entry.id)
        growing.keep_rows(listed.id, base.table.frame)
        if not cached.is_state(entry.id):
            selection.fit(len(base.table))
        notions = menu_of(base)
        names = space_names(notions)
        new = _spaces_of.get() not in ("", listed.id)
        _spaces_of.set(listed.id)
        if new:
            _leave_notions_of_others(notions, base, listed.id)
        _take_link(names)
        _name_draft()
        if first_screen and (notion := first_notion(base)):  # beside the raw encoder, colored by the labels that judge it
            state.b, state.color = notion.name, notion.attribute
        if State.next_color.is_set():
            state.color = State.next_color.take()
        attributes = base.table.attributes
        judged = {name: notion.attribute if notion.attribute in attributes else None for name, notion in notions.items()}
        a = _space_box(State.a, names, "What counts as similar on the map: the encoder as it is, a notion, or a trained run.", judged, base)
        b = _space_box(State.b, [NONE, *names], "A second map of the same images, for comparison.", judged, base)
        for name, other in {name: other for name in (a, b) if (other := _foreign(name, listed.id))}.items():
            st.caption(f":material/info: {plain(readable(name))} was trained on “{plain(other.name)}”, not on these images.")
        color = _color(entry, base, list(notions), [name for name in (a, b) if name in notions], new)
        hidden = filters.choose(base.table, new, readable)
        if needs != "spaces":
            return View(entry, base, notions, base, None, color, hidden)
        shown = _spaces(entry.id, [name for name in (a, b) if name != NONE])
    judges = {each.key: attribute for name, each in shown.items() if (attribute := judged.get(name))}
    aspects = cached.with_aspects(base, notions[color.removeprefix(ASPECTS)], color) if color and color.startswith(ASPECTS) else None
    return View(entry, base, notions, shown.get(a, base), shown.get(b), color, hidden, aspects, judges)


def first_notion(base: Space) -> Notion | None:
    """The notion to begin with: one whose labels the images have; None if there is none."""
    attributes = base.table.attributes
    labeled = [notion for notion in list_notions(notions_dir()) if notion.attribute in attributes] if base.embed_texts else []
    return min(labeled, key=lambda notion: notion.slug != NOTION, default=None)


def _leave_notions_of_others(notions: Mapping[str, Notion], base: Space, listed_id: str) -> None:
    """Clears spaces that do not fit newly chosen images: notions that do not apply or whose labels are missing, and runs trained on other images.
    Edits and runs stay in the menu."""
    attributes = {None, *base.table.attributes}
    stay = {"", RAW, NONE, *(name for name, notion in notions.items() if notion.attribute in attributes)}
    for item, default in ((State.a, RAW), (State.b, NONE)):
        name = item.get()
        if _foreign(name, listed_id) if name.startswith(trained.PREFIX) else name not in stay:
            item.set(default)


def _foreign(name: str, listed_id: str) -> DatasetEntry | None:
    """The dataset that a run was trained on, if not this one; None for all other spaces."""
    entry = trained.trained_on(name) if name.startswith(trained.PREFIX) else None
    return entry if entry and entry.id != listed_id else None


def _spaces(dataset_id: str, names: Sequence[str]) -> dict[str, Space]:
    """The spaces of these names, without notions that this encoder cannot fit; shows a message per cause, so that the page still works."""
    shown: dict[str, Space] = {}
    refused: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        try:
            shown[name] = space(dataset_id, name)
        except InputError as error:
            if name == RAW or name.startswith(trained.PREFIX):
                raise
            refused.setdefault(redact(error), []).append(plain(readable(name)))
    for problem, without in refused.items():
        if errors.is_new(problem):
            st.warning(f"{listed(without)} {'is' if len(without) == 1 else 'are'} not shown. {plain(problem)}", icon=":material/warning:")
    return shown


def space_names(notions: Iterable[str]) -> list[str]:
    """The raw encoder, these notions and every trained run."""
    return [RAW, *notions, *trained.names()]


def menu_of(base: Space) -> dict[str, Notion]:
    """Notions by name: those that fit the images, first those with labels here. The edited notion comes first if it is one of these or new, and last
    if it was made for other images. An unedited one is not repeated."""
    found = {notion.name: notion for notion in fitting(base)}
    draft = drafts.current()
    if base.embed_texts is None or draft is None:
        return found
    origin = found.get(draft.origin) or next((each for each in list_notions(notions_dir()) if each.name == draft.origin), None)
    if not _is_edited(origin):
        return found
    edited = {DRAFT: draft.notion}
    is_foreign = draft.origin not in ("", *found) or draft.attribute not in (None, *base.table.attributes)
    return found | edited if is_foreign else edited | found


def _is_edited(origin: Notion | None) -> bool:
    """Whether the notion in the editor differs from its origin, or is shown somewhere."""
    if any(_is_draft(str(item.get() or st.query_params.get(item.key))) for item in (State.a, State.b, State.color)):
        return True
    return drafts.of(origin) != drafts.latest() if origin else bool(drafts.versions())


def _is_draft(name: str) -> bool:
    """Whether the name of a space or a color, also from an older address, is that of the edited notion."""
    last = name.removeprefix(readable(ASPECTS)).removeprefix(ASPECTS).lstrip()
    return last == DRAFT or last.endswith(drafts.MARK)


def _name_draft() -> None:
    """Accepts the edited notion under its name when a link was made, and its new name where it is chosen."""
    if drafts.current() is None:
        return
    title = readable(DRAFT)
    for item in (State.a, State.b, State.color):
        asked, id = link.asked_for(item.key), DRAFT
        if item is State.color:
            id = f"{ASPECTS}{DRAFT}"
        if asked is not None and asked != readable(id) and _is_draft(asked):
            link.read(item.key)
            link.write({item.key: []})
            item.set(id)
        elif _draft_title.get() not in ("", title) and item.get() == id:
            item.set(id)  # set again, so that browsers follow
    _draft_title.set(title)


def fitting(base: Space) -> list[Notion]:
    """Notions of the library that fit the images; none if their encoder reads no text."""
    return fitting_notions(base.table, base.encoder_name, notions_dir()) if base.embed_texts else []


def space(dataset_id: str, name: str) -> Space:
    if name == RAW:
        return cached.base(dataset_id)
    if name.startswith(trained.PREFIX):
        return trained.space(dataset_id, name)
    draft = drafts.current()
    if name == DRAFT and draft:
        return cached.fit(dataset_id, replace(draft.notion, name=drafts.title(draft)), draft.solver, draft.seed)
    return cached.fit(dataset_id, notion_named(name))


def _take_link(names: list[str]) -> None:
    """Reads the left map from a link to another page."""
    target = st.query_params.get("show")
    if target is not None:
        del st.query_params["show"]
        if target in names:
            state.a = target
        else:
            link.report_missing("the space", readable(target), "Choose another one under Left map.")


def notion_named(name: str) -> Notion:
    """The notion of this name; names are unique in the library."""
    return next(notion for notion in list_notions(notions_dir()) if notion.name == name)


def _space_box(item: Item[str], names: list[str], help: str, judged: Mapping[str, str | None], base: Space) -> str:
    """Draws a menu of spaces; a notion chosen there colors the map. `judged`: the attribute that evaluates each notion."""

    def color_by_notion() -> None:
        name = item.get()
        if name in judged and (color := color_of(name, judged[name], base)):
            state.color = color

    label = item.link.heading if item.link else ""
    return st.selectbox(label, names, format_func=_titles(names), key=item.key, bind="query-params", help=help, on_change=color_by_notion)


def _titles(names: Sequence[str]) -> Callable[[str], str]:
    """The display names in a menu, fixed while it is shown, since the edited notion may be renamed in the next run."""
    titles = {name: readable(name) for name in names}
    return lambda name: titles.get(name, readable(name))


def color_of(name: str, judge: str | None, base: Space) -> str | None:
    """The color for a newly chosen notion: the labels that evaluate it, or its aspects if there are no labels or another notion colors the map; None:
    no change."""
    if judge is not None:
        return judge
    by_aspects = str(state.color).startswith(ASPECTS)
    return f"{ASPECTS}{name}" if by_aspects or set(base.table.attributes) <= set(PHOTO_COLUMNS) else None


def _dataset_names() -> dict[str, str]:
    """Id -> name of every dataset; equal names are told apart by folder, then encoder, then number."""
    own, named = list_datasets(visitor()), dict[str, list[DatasetEntry]]()
    for entry in [*own, *_opened_by_link({entry.id for entry in own})]:
        named.setdefault(entry.name, []).append(entry)
    return {entry.id: name + apart for name, entries in named.items() for entry, apart in zip(entries, _told_apart(entries), strict=True)}


def _told_apart(entries: Sequence[DatasetEntry]) -> list[str]:
    """Distinct suffixes for datasets that share a name; empty for one."""
    if len(entries) == 1:
        return [""]
    folders = [Path(redact(entry.source)).parent.name for entry in entries]
    for details in (folders, [redact(entry.encoder) for entry in entries]):
        if len(set(details)) == len(entries) and all(details) and not any(map(_HASH.fullmatch, details)):
            return [f" ({detail})" for detail in details]
    return ["", *(f" ({number})" for number in range(2, len(entries) + 1))]


def _opened_by_link(known: set[str]) -> list[DatasetEntry]:
    """Datasets of other visitors of a shared server whose links this visitor opened; `known`: ids of the visitor's own."""
    opened = _opened.get()
    for name in ("open", "private", "dataset"):
        target = st.query_params.get(name)
        if target and target not in known and target not in opened and _found(target):
            opened.append(target)
    return [entry for id in opened if id not in known and (entry := _found(id))]


def _found(id: str) -> DatasetEntry | None:
    try:
        return find_dataset(id)
    except InputError:
        return None


def _dataset() -> DatasetEntry:
    names = _dataset_names()
    by_link = _take_dataset(names)
    if not State.dataset.is_set():
        state.dataset = SHIPPED_CARS.id
    chosen = state.dataset
    offered = names if chosen in names else {chosen: "Not here", **names}
    chosen = st.selectbox("Images", list(offered), format_func=offered.__getitem__, key=State.dataset.key, help="Add your own under Images.")
    if _selection_of.get() not in ("", chosen) and not by_link:
        selection.clear()
        filters.clear()
    _selection_of.set(chosen)
    link.write({"dataset": [] if chosen == SHIPPED_CARS.id else [chosen]})
    if chosen not in names:
        raise InputError(
            f"There are no images “{link.shortened(chosen)}” here: they were removed, or the link is from another computer. "
            "Choose others in the sidebar or add them under Images."
        )
    return find_dataset(chosen)


def _take_dataset(names: dict[str, str]) -> bool:
    """Chooses the dataset that a link names by id or name; whether an address was opened."""
    target = st.query_params.get("open")  # a link on another page
    if target is not None:
        del st.query_params["open"]
        state.dataset = target
        return False
    asked, private = link.read("dataset"), link.read("private")  # private: as links of earlier versions name a visitor's own images
    link.write({"private": []})
    if asked is None and not private:
        return False
    given = (private or asked or [SHIPPED_CARS.id])[-1]
    state.dataset = given if given in names else next((id for id, name in names.items() if name == given), given)
    return True


def _color(entry: DatasetEntry, base: Space, notions: list[str], shown: list[str], new: bool) -> str | None:
    """Draws the choice of color: an attribute, or a notion's aspects as the encoder sees them; `new` images do not inherit a color.

    `shown`: the aspects of displayed notions.
    """
    attributes = [name for name in base.table.attributes if _is_drawable(base.table.frame, name)]
    options = [*attributes, *(f"{ASPECTS}{name}" for name in notions), NONE]
    if len(options) == 1:
        return None
    labeled = any(name not in PHOTO_COLUMNS for name in attributes)
    kept = state.color if State.color.is_set() else st.query_params.get("color")
    if kept not in (*options, *map(readable, options)) and (new or not labeled):
        state.color = options[0] if labeled else _first_color(entry, base, shown, attributes)
    # an address omits the widget's default, so this must be the color without an address: the first label, or else none
    default = 0 if labeled else None
    help = _COLOR_HELP if notions else None
    chosen = st.selectbox("Color by", options, default, format_func=_titles(options), key=State.color.key, bind="query-params", help=help)
    return None if chosen == NONE else chosen


def _first_color(entry: DatasetEntry, base: Space, shown: Sequence[str], attributes: Sequence[str]) -> str:
    """The first color of unlabeled images: the aspects of a displayed notion, or of the one that separates them best; None if the encoder hardly
    distinguishes them."""
    first = shown[0] if shown else None if entry.warning else cached.first_starter(base, fitting(base))
    return f"{ASPECTS}{first}" if first else next(iter(attributes), NONE)


@cache_by_identity
def _is_drawable(frame: pd.DataFrame, name: str) -> bool:
    return numbers_of(frame[name]) is not None or filters.distinct(frame, name) < max(2, len(frame) // 2)


def readable(name: str) -> str:
    """Display name: `car_color` -> `Car color`; runs keep their names, the edited notion has its own name and a mark."""
    draft = drafts.current() if name.endswith(DRAFT) else None
    if draft and name in (DRAFT, f"{ASPECTS}{DRAFT}"):
        name = name.removesuffix(DRAFT) + drafts.title(draft)
    if name.startswith(trained.PREFIX):
        return f"Run {name.removeprefix(trained.PREFIX)}"
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
