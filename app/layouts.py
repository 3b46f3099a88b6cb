"""Where the points of each map lie: PCA at once, the others when they are ready; a new layout is turned to lie on the old one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import cached
from likeness.projection import METHODS, LayoutFailed, Parameter, align, differing
from likeness.spaces import Space

Positions = NDArray[np.float32]
_TITLES = {method.title: name for name, method in METHODS.items()}
_SEED = "map_seed"


@dataclass(frozen=True)
class Choice:
    """How maps are to be laid out.

    Attributes:
        method: a name in `METHODS`.
        parameters: those that are not at the method's default, the seed among them.
    """

    method: str
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The method's name as a person reads it."""
        return METHODS[self.method].title


_Wanted = tuple[Space, Choice]


@dataclass(frozen=True)
class Layout:
    """One map of a page.

    Attributes:
        name: of the space that it shows.
        choice: how it was laid out, which is not what was asked for while that is not ready.
        own: positions (n, 2) as the method gave them.
        shown: the same, turned and scaled to lie on the map before.
        note: a few words where the map is not the one that was asked for.
        problem: why that one could not be laid out.
    """

    name: str
    choice: Choice
    own: Positions
    shown: Positions
    note: str = ""
    problem: str = ""


def choose(page: str) -> Choice:
    """The controls of the maps of a page: the method, and beside it what it can be told."""
    _arrive(page)
    _restore("layout")
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        title = st.segmented_control(
            "Layout",
            list(_TITLES),
            default="UMAP",
            required=True,
            key="layout",
            bind="query-params",
            label_visibility="collapsed",
            help="  \n".join(f"**{method.title}** {method.help[0].lower()}{method.help[1:]}" for method in METHODS.values()),
        )
        _keep("layout", title)
        name = _TITLES[title or "UMAP"]
        with st.popover("Map settings", icon=":material/tune:"):
            return Choice(name, differing(name, _settings(name)))


def _settings(name: str) -> dict[str, float]:
    method = METHODS[name]
    st.markdown(f"**{method.title}**", help=method.help)
    values = {each: _slider(f"{name}_{each}", parameter) for each, parameter in method.parameters.items()}
    if method.seeded:
        _restore(_SEED)
        values["seed"] = st.number_input(
            "Seed", 0, 9999, 0, key=_SEED, bind="query-params", help="The same seed always gives the same map; another one shows what is chance."
        )
        _keep(_SEED, values["seed"])
    if not values:
        st.caption("PCA has nothing to set: it is the same every time.")
        return values
    changed = bool(differing(name, values))
    st.button("Reset", icon=":material/restart_alt:", disabled=not changed, key="reset_map", on_click=_reset, args=(name,))
    return values


def _slider(key: str, parameter: Parameter) -> float:
    decimals = max(0, -math.floor(math.log10(parameter.step)))
    _restore(key)
    value = st.slider(
        parameter.title,
        parameter.low,
        parameter.high,
        parameter.default,
        parameter.step,
        format=f"%.{decimals}f",
        key=key,
        bind="query-params",
        help=parameter.help,
    )
    _keep(key, value)
    return round(value, decimals) if decimals else value  # 0.3, and not the browser's 0.30000000000000004


def _arrive(page: str) -> None:
    st.session_state["controls_are_new"] = st.session_state.get("controls_on") != page
    st.session_state["controls_on"], st.session_state["controls_drawn"] = page, True


def _keep(key: str, value: object) -> None:
    st.session_state.setdefault("kept_map_settings", {})[key] = value


def _restore(key: str) -> None:
    """Gives a control what it had on the page before: in the first run on a page, Streamlit may give it its default."""
    kept = st.session_state.get("kept_map_settings", {})
    if st.session_state["controls_are_new"] and key in kept and key not in st.query_params:
        st.session_state[key] = kept[key]


def _reset(name: str) -> None:
    for each, parameter in METHODS[name].parameters.items():
        st.session_state[f"{name}_{each}"] = parameter.default
    st.session_state[_SEED] = 0


def lay_out(spaces: Sequence[Space], choice: Choice, slot: str) -> list[Layout]:
    """A layout of each space.

    Until one is ready, a map keeps what `slot` showed in its place, or shows the PCA. The first map is turned to lie on what was shown
    last, the others on the first, so that what has not changed stays where it was.
    """
    last: list[Layout] = [each for each in st.session_state.get(f"layouts_{slot}", []) if len(each.shown) == len(spaces[0].table)]
    placed: list[Layout] = []
    waited_for: list[_Wanted] = []
    for place, space in enumerate(spaces):
        before = last[place] if place < len(last) else None
        found, ready = _find(space, choice, before)
        if not ready:
            waited_for.append((space, choice))
        placed.append(replace(found, shown=_turned(found, before, placed)))
    _wait(waited_for, slot)
    st.session_state[f"layouts_{slot}"] = placed
    return placed


def _find(space: Space, choice: Choice, before: Layout | None) -> tuple[Layout, bool]:
    """The layout asked for; while it is not ready, the one before or the PCA, with a note."""
    if choice.method == "pca":
        return _pca(space), True
    # a refit begins at the map before it; another space or method at a start of its own, so that a link always shows the same map
    refitted = before is not None and before.choice == choice and before.name == space.name
    job = cached.layout(space, choice.method, choice.parameters, before.own if before is not None and refitted else None)
    if not job.done:
        note = f"{choice.title} is being computed"
        return (_pca(space, f"PCA while {note}") if before is None else replace(before, note=note, problem="")), False
    try:
        own = job.result()
    except LayoutFailed as error:
        return _pca(space, f"PCA, since {choice.title} failed", str(error)), True
    return Layout(space.name, choice, own, own), True


def _turned(found: Layout, before: Layout | None, placed: Sequence[Layout]) -> Positions:
    if placed:
        return align(found.own, placed[0].shown)
    if before is None:
        return found.own
    return before.shown if np.array_equal(found.own, before.own) else align(found.own, before.shown)


def _pca(space: Space, note: str = "", problem: str = "") -> Layout:
    own = cached.pca(space)
    return Layout(space.name, Choice("pca"), own, own, note, problem)


def _wait(waited_for: list[_Wanted], slot: str) -> None:
    """Puts layouts on the list of `watch`; those that the slot waited for before and does not want any more make room."""
    for space, choice in st.session_state.get(f"waits_{slot}", []):
        if not any(space.key == other.key and choice == wanted for other, wanted in waited_for):
            cached.give_up_layout(space, choice.method, choice.parameters)
    st.session_state[f"waits_{slot}"] = waited_for
    st.session_state.setdefault("waited_for", []).extend(waited_for)


def watch() -> None:
    """Redraws the page once every layout that its maps wait for is ready; called once a run, after the page."""
    if not st.session_state.pop("controls_drawn", False):
        st.session_state.pop("controls_on", None)
    waited_for: list[_Wanted] = st.session_state.pop("waited_for", [])
    if waited_for:
        _watch(waited_for)


@st.fragment(run_every=0.5)
def _watch(waited_for: Sequence[_Wanted]) -> None:
    if all(cached.layout(space, choice.method, choice.parameters).done for space, choice in waited_for):
        st.rerun()
