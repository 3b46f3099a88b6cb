"""The frame that every page shares: dataset, space A, space B, coloring and filters."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from access import redact
from likeness.data import PHOTO_COLUMNS, SHIPPED_CARS, DatasetEntry, find_dataset, list_datasets, numbers_of
from likeness.defaults import NOTION
from likeness.errors import InputError
from likeness.notions import Notion, fitting_notions, list_notions
from likeness.plots.linked_map import cache_by_identity
from likeness.space import Space
from shared import cached, drafts, filters, growing, link, problems, selection, trained
from shared.app_page import Needs
from shared.plain import plain
from shared.view import View
from visitors import notions_dir, visitor

RAW = "Raw encoder"
DRAFT = "My edits"
NONE = "None"
ASPECTS = "aspects of "
_COLOR_HELP = "An attribute of the images, or the aspects of a notion: each image takes the aspect that the encoder matches best with it."


def choose(needs: Needs = "spaces", first_screen: bool = False) -> View:
    """Draws the sidebar and returns what was chosen.

    Args:
        needs: of the page; where it shows no spaces, none is fitted.
        first_screen: on an address that says nothing, a notion begins beside the raw encoder.

    Raises:
        InputError: the images that are asked for are not here, or cannot be opened.
    """
    first_screen = first_screen and not st.query_params and "dataset" not in st.session_state
    with st.sidebar:
        with st.container(gap="xxsmall"):
            listed = _dataset()
            entry = growing.opened(listed)
            growing.show_bar(entry)
        base = cached.base(entry.id)
        growing.keep_rows(listed.id, base.table.frame)
        if not cached.is_state(entry.id):
            selection.fit(len(base.table))
        names = space_names(base)
        new = st.session_state.setdefault("spaces_of", listed.id) != listed.id
        if new:
            st.session_state["spaces_of"] = listed.id
            _leave_notions_of_others(base, listed.id)
        _take_link(names)
        if first_screen:
            _begin_beside(first_notion(base))
        if "next_color" in st.session_state:
            st.session_state["color"] = st.session_state.pop("next_color")
        a = _space_box("Space A", names, "a", "The embedding space on the map: which images lie close together.", base)
        b = _space_box("Space B", [NONE, *names], "b", "A second space, to compare it with A.", base)
        for name, other in {name: other for name in (a, b) if (other := _foreign(name, listed.id))}.items():
            st.caption(f":material/info: {plain(readable(name))} was trained on “{plain(other.name)}”, not on these images.")
        color = _color(entry, base, [name for name in (a, b) if name != NONE], new)
        hidden = filters.choose(base.table, new, readable)
        if needs != "spaces":
            return View(entry, base, base, None, color, hidden)
        shown = _spaces(entry.id, [name for name in (a, b) if name != NONE])
    judges = {each.key: attribute for name, each in shown.items() if (attribute := _judge(name, base))}
    aspects = cached.with_aspects(base, notion_by(color.removeprefix(ASPECTS)), color) if color and color.startswith(ASPECTS) else None
    return View(entry, base, shown.get(a, base), shown.get(b), color, hidden, aspects, judges)


def first_notion(base: Space) -> Notion | None:
    """The notion to begin with: one that the images have labels for; None where there is none."""
    attributes = base.table.attributes
    labeled = [notion for notion in list_notions(notions_dir()) if notion.attribute in attributes] if base.embed_texts else []
    return min(labeled, key=lambda notion: notion.slug != NOTION, default=None)


def _leave_notions_of_others(base: Space, listed_id: str) -> None:
    """Of the spaces chosen for other images, takes back each notion that does not fit these, or that labels judge which these do not have, and each
    run that was trained on those others; edits and runs stay in the menu."""
    attributes = {None, *base.table.attributes}
    known = {notion.name for notion in list_notions(notions_dir())}
    stays = {notion.name for notion in fitting(base) if notion.attribute in attributes}
    if draft := drafts.current():
        known.add(DRAFT)
        stays |= {DRAFT} if draft.attribute in attributes else set()
    runs = {name for key in ("a", "b") if (name := st.session_state.get(key, "")).startswith(trained.PREFIX) and _foreign(name, listed_id)}
    for key, default in (("a", RAW), ("b", NONE)):
        if st.session_state.get(key) in (known - stays) | runs:
            st.session_state[key] = default


def _foreign(name: str, listed_id: str) -> DatasetEntry | None:
    """The other images that a run was trained on; None of a run on these, and of all other spaces."""
    entry = trained.trained_on(name) if name.startswith(trained.PREFIX) else None
    return entry if entry and entry.id != listed_id else None


def _begin_beside(notion: Notion | None) -> None:
    """Puts a notion beside the raw encoder, colored by the labels that judge it."""
    if notion is not None:
        st.session_state["b"], st.session_state["color"] = notion.name, notion.attribute


def _spaces(dataset_id: str, names: Sequence[str]) -> dict[str, Space]:
    """The spaces of these names; without notions that these images' encoder cannot fit, so that the pages stay, and a sentence for each cause."""
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
        if problems.is_new(problem):
            st.warning(f"{listed(without)} {'is' if len(without) == 1 else 'are'} not shown. {plain(problem)}", icon=":material/warning:")
    return shown


def space_names(base: Space) -> list[str]:
    """The raw encoder, the edited notion if there is one, the notions that fit the images and every trained run."""
    return [RAW, *notion_names(base), *trained.names()]


def notion_names(base: Space) -> list[str]:
    """The notions that fit the images, those that these have labels for first; before them the edited notion if it is one of these or a new one, and
    after them if it was made for other images. One that was only looked at is not among them."""
    if base.embed_texts is None:
        return []
    names = [notion.name for notion in fitting(base)]
    draft = drafts.current()
    if draft is None or not _is_edited():
        return names
    is_foreign = draft.origin not in ("", *names) or draft.attribute not in (None, *base.table.attributes)
    return [*names, DRAFT] if is_foreign else [DRAFT, *names]


def _is_edited() -> bool:
    """Whether the notion in the editor says anything of its own, or is shown somewhere."""
    shown = {str(st.session_state.get(key) or st.query_params.get(key)) for key in ("a", "b", "color")}
    if {readable(name) for name in shown} & {DRAFT, readable(f"{ASPECTS}{DRAFT}")}:
        return True
    draft = drafts.latest()
    origin = next((notion for notion in list_notions(notions_dir()) if draft and notion.name == draft.origin), None)
    return drafts.of(origin) != draft if origin else bool(drafts.versions())


def fitting(base: Space) -> list[Notion]:
    """The notions of the library that fit the images; none where their encoder reads no text."""
    return fitting_notions(base.table, base.encoder_name, notions_dir()) if base.embed_texts else []


def space(dataset_id: str, name: str) -> Space:
    """The space of this name on a dataset."""
    if name == RAW:
        return cached.base(dataset_id)
    if name.startswith(trained.PREFIX):
        return trained.space(dataset_id, name)
    draft = drafts.current()
    if name == DRAFT and draft:
        return cached.fit(dataset_id, draft.notion, draft.solver, draft.seed)
    return cached.fit(dataset_id, notion_named(name))


def _judge(name: str, base: Space) -> str | None:
    """The attribute that judges the notion of this name, where the images have it."""
    attribute = notion_by(name).attribute if name in notion_names(base) else None
    return attribute if attribute in base.table.attributes else None


def _take_link(names: list[str]) -> None:
    """Space A from a link on another page."""
    target = st.query_params.get("show")
    if target is not None:
        del st.query_params["show"]
        if target in names:
            st.session_state["a"] = target
        else:
            link.report(f"There is no space “{link.shortened(readable(target))}” here. Choose another one under Space A.")


def notion_by(name: str) -> Notion:
    """The notion of a name in `notion_names`: the edited one, or one of the library."""
    draft = drafts.current()
    return draft.notion if name == DRAFT and draft else notion_named(name)


def notion_named(name: str) -> Notion:
    """The notion of this name; names are unique in the library."""
    return next(notion for notion in list_notions(notions_dir()) if notion.name == name)


def _space_box(label: str, names: list[str], key: str, help: str, base: Space) -> str:
    return st.selectbox(label, names, format_func=readable, key=key, bind="query-params", help=help, on_change=_color_by_notion, args=(key, base))


def _color_by_notion(key: str, base: Space) -> None:
    name = st.session_state[key]
    if name in notion_names(base) and (color := color_of(name, _judge(name, base), base)):
        st.session_state["color"] = color


def color_of(name: str, judge: str | None, base: Space) -> str | None:
    """What colors the map where a notion was just chosen: the labels that judge it, or its aspects where images have no labels or those of another
    notion color them; None: what does now."""
    if judge is not None:
        return judge
    by_aspects = str(st.session_state.get("color")).startswith(ASPECTS)
    return f"{ASPECTS}{name}" if by_aspects or set(base.table.attributes) <= set(PHOTO_COLUMNS) else None


def _dataset_names() -> dict[str, str]:
    """Id -> name of every dataset; where two share a name, the encoder tells them apart."""
    entries = [*list_datasets(visitor()), *_opened_by_link()]
    shared = {name for name, count in Counter(entry.name for entry in entries).items() if count > 1}
    return {entry.id: f"{entry.name} ({redact(entry.encoder)}, {entry.id[:4]})" if entry.name in shared else entry.name for entry in entries}


def _opened_by_link() -> list[DatasetEntry]:
    """Datasets of other visitors of a shared server, whose links this one was given."""
    known = {entry.id for entry in list_datasets(visitor())}
    opened: list[str] = st.session_state.setdefault("opened_datasets", [])
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
    chosen = st.session_state.setdefault("dataset", SHIPPED_CARS.id)
    offered = names if chosen in names else {chosen: "Not here", **names}
    chosen = st.selectbox("Images", list(offered), format_func=offered.__getitem__, key="dataset", help="Add your own under Your images.")
    if st.session_state.setdefault("selection_of", chosen) != chosen:
        st.session_state["selection_of"] = chosen
        if not by_link:
            selection.clear()
            filters.clear()
    link.write({"dataset": [] if chosen == SHIPPED_CARS.id else [chosen]})
    if chosen not in names:
        raise InputError(
            f"There are no images “{link.shortened(chosen)}” here: they were removed, or the link is from another computer. "
            "Choose others in the sidebar, or bring them under Your images."
        )
    return find_dataset(chosen)


def _take_dataset(names: dict[str, str]) -> bool:
    """Makes the dataset that a link asks for, by its id or its name, the chosen one; whether an address did, with all else that it says."""
    target = st.query_params.get("open")  # a link on another page
    if target is not None:
        del st.query_params["open"]
        st.session_state["dataset"] = target
        return False
    asked, private = link.read("dataset"), link.read("private")  # private: as links of earlier versions name a visitor's own images
    link.write({"private": []})
    if asked is None and not private:
        return False
    given = (private or asked or [SHIPPED_CARS.id])[-1]
    st.session_state["dataset"] = given if given in names else next((id for id, name in names.items() if name == given), given)
    return True


def _color(entry: DatasetEntry, base: Space, spaces: Sequence[str], new: bool) -> str | None:
    """What colors the map: an attribute, or the aspects of a notion as the encoder sees them; of `new` images no color of others."""
    attributes = [name for name in base.table.attributes if _is_drawable(base.table.frame, name)]
    notions = notion_names(base)
    options = [*attributes, *(f"{ASPECTS}{name}" for name in notions), NONE]
    if len(options) == 1:
        return None
    labeled = any(name not in PHOTO_COLUMNS for name in attributes)
    kept = st.session_state.get("color", st.query_params.get("color"))
    if kept not in (*options, *map(readable, options)) and (new or not labeled):
        st.session_state["color"] = options[0] if labeled else _first_color(entry, base, [name for name in spaces if name in notions], attributes)
    # an address leaves out the widget's default, which must then be what an address without a color gives: the first label, or else none of them
    default = 0 if labeled else None
    help = _COLOR_HELP if notions else None
    chosen = st.selectbox("Color by", options, default, format_func=readable, key="color", bind="query-params", help=help)
    return None if chosen == NONE else chosen


def _first_color(entry: DatasetEntry, base: Space, shown: Sequence[str], attributes: Sequence[str]) -> str:
    """What colors images without labels at first: the aspects of a notion that is shown, or else of the one that divides them most clearly;
    none of these where the encoder hardly sees anything in them."""
    first = shown[0] if shown else None if entry.warning else cached.first_starter(base, fitting(base))
    return f"{ASPECTS}{first}" if first else next(iter(attributes), NONE)


@cache_by_identity
def _is_drawable(frame: pd.DataFrame, name: str) -> bool:
    return numbers_of(frame[name]) is not None or filters.distinct(frame, name) < max(2, len(frame) // 2)


def readable(name: str) -> str:
    """`car_color` -> `Car color`; the name of a run stays as it is."""
    if name.startswith(trained.PREFIX):
        return f"Run {name.removeprefix(trained.PREFIX)}"
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
