"""Which splits are looked at: the class of an image, the way they are built, or a file instead."""

import streamlit as st

from likeness.errors import InputError
from likeness.shifts import SplitFile, SplitOptions
from pages.shifts import files, splits as shift_splits
from pages.shifts.splits import Progression
from shared import filters, progress
from shared.sidebar import listed, readable
from shared.view import View

_RULES = {"paper": "As in the paper", "official": "As in the authors' code"}
_REMOVALS = {"paper": "As in the paper", "score": "By the rule of the exchanges", "official": "As in the authors' code"}


def choose(view: View) -> Progression | None:
    """Draws the settings; what they ask for, or None while it is being computed or waits for a file.

    Raises:
        InputError: settings or a file that do not fit.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = files.choices()
        if st.session_state.get("shift_splits") not in named:
            st.session_state["shift_splits"] = files.BUILT
        choice = st.selectbox(
            "Splits",
            list(named),
            format_func=lambda each: named.get(each, each),
            key="shift_splits",
            width=240,
            persist_state="session",
            help="Splits say which classes train and which test. They are built from the vectors of space A, or read from a file.",
        )
        if choice == files.BUILT:
            attributes, options = _classes(view), _options()
    if choice == files.BUILT:
        if not attributes:
            raise InputError("Choose what makes a class.")
        return _built(view, attributes, options)
    splits = files.read(choice)
    return None if splits is None else _read(view, splits)


def _classes(view: View) -> tuple[str, ...]:
    frame, attributes = view.frame, view.base.table.attributes
    shared = [name for name in attributes if 2 <= filters.distinct(frame, name) <= len(frame) // 2]
    shipped = [name for name in ("car_color", "body_type") if name in shared]
    default = shipped if len(shipped) == 2 else ["class"] if "class" in shared else shared[:1]
    st.session_state["shift_classes"] = [name for name in st.session_state.get("shift_classes", default) if name in shared]
    return tuple(
        st.multiselect(
            "Class of an image",
            shared,
            format_func=readable,
            key="shift_classes",
            bind="query-params",
            placeholder="Choose what makes a class",
            help="Several are combined: car color and body type give classes such as red pickup.",
        )
    )


def _options() -> SplitOptions:
    with st.popover("Options", icon=":material/tune:"):
        per_step = st.number_input(
            "Classes per step",
            1,
            10_000,
            key="shift_per_step",
            persist_state="session",
            help="How many classes each side exchanges or loses in a step. With many classes, a larger number means fewer steps.",
        )
        easier = st.toggle("Also easier splits", key="shift_easier", persist_state="session", help="Steps from the start in the other direction.")
        random = st.toggle(
            "Start from random halves", key="shift_random", persist_state="session", help="Otherwise the first half of the classes, by name, trains."
        )
        rule = st.radio("Exchanges", list(_RULES), format_func=_RULES.get, key="shift_rule", persist_state="session", help=_RULE_HELP)
        removal = st.radio("Removals", list(_REMOVALS), format_func=_REMOVALS.get, key="shift_removal", persist_state="session", help=_REMOVAL_HELP)
    return SplitOptions(int(per_step), rule, removal, bool(easier), bool(random))


_RULE_HELP = (
    "In the paper, the classes farthest from their own side and nearest to the other go over. The authors' code also leaves out what took part in "
    "one of the last five exchanges."
)

_REMOVAL_HELP = (
    "In the paper, the classes nearest to the middle of the other side are taken out. By the rule of the exchanges, those that would go over next. "
    "The authors' code exchanges these, and takes them out only where exchanging does not lower the distance."
)


def _built(view: View, attributes: tuple[str, ...], options: SplitOptions) -> Progression | None:
    job = shift_splits.build(view.entry.id, view.a, attributes, view.entry.encoder, options)
    if not progress.follow(job):
        return None
    return Progression(job.result, view.entry.id, view.a, shift_splits.classes_by(view.entry.id, attributes), True)


def _read(view: View, splits: SplitFile) -> Progression:
    """The splits of a file; where these images do not have its classes, without them and with the reason."""
    attributes = (splits.attribute,) if isinstance(splits.attribute, str) else tuple(splits.attribute)
    table = view.base.table
    message = f"These splits are of {splits.dataset}, by {listed([readable(name).lower() for name in attributes])}"
    remedy = "Only their distances are shown. Choose their images in the sidebar to see the classes."
    if any(name not in table.attributes for name in attributes):
        return Progression(splits, view.entry.id, view.a, None, False, f"{message}, which {table.name} does not have. {remedy}")
    classes = shift_splits.classes_by(view.entry.id, attributes)
    wanted = {name for split in splits for name in (*split.train, *split.test)}
    missing = sorted(wanted - set(classes.names))
    if missing:
        return Progression(splits, view.entry.id, view.a, None, False, f"{message}, and {table.name} has no '{missing[0]}'. {remedy}")
    return Progression(splits, view.entry.id, view.a, classes, False)
