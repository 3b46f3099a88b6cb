"""The maps' layout method and settings, stored in the session and the URL."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import streamlit as st

from likeness.options import Option
from likeness.projection import METHODS, differing
from parts import link, map_names
from state import Item, state

_SEED = Option(0, "The same seed always gives the same map. Compare seeds to see what is due to chance.", 0, 9999, "Seed")
_page = Item("", key="map_controls_page")  # whose controls are shown
_turn = Item(0, key="map_controls_turn")  # a number in the names of these controls: Streamlit mixes up those of one name on two pages


@dataclass(frozen=True)
class Choice:
    """A layout method and its settings.

    Attributes:
        method: a name in `METHODS`.
        parameters: those that differ from the method's defaults, including the seed.
    """

    method: str
    parameters: dict[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The method's title."""
        return METHODS[self.method].title


def choose(page: str, *, named: bool = False) -> Choice:
    """Draws the map settings: the method with its parameters, and if `named`, the names on the maps."""
    if _page.get() != page:
        _page.set(page)
        _read_link()
        if named:
            map_names.read_link()
        _turn.set(_turn.get() + 1)
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        with st.popover("Map settings", icon=":material/tune:"):
            kept = str(state.map_settings.get("layout", "umap"))
            chosen = st.segmented_control(
                "Layout",
                list(METHODS),
                default=kept,
                required=True,
                format_func=lambda each: METHODS[each].title,
                key=f"layout-{_turn.get()}",
                help="  \n".join(f"**{method.title}** {method.help[0].lower()}{method.help[1:]}" for method in METHODS.values()),
            )
            name = state.map_settings["layout"] = chosen or kept
            values = _settings(name)
        if named:
            map_names.choose(str(_turn.get()))
    changed = differing(name, values)
    shown = {_key(name, each): [f"{value:g}"] for each, value in changed.items()}
    # what the method does not have is taken out of the address
    link.write({"layout": [] if name == "umap" else [METHODS[name].title]} | {key: shown.get(key, []) for key in _ALL})
    return Choice(name, changed)


def _settings(name: str) -> dict[str, float]:
    method = METHODS[name]
    st.markdown(f"**{method.title}**", help=method.help)
    values = {each: _number(_key(name, each), parameter, st.slider) for each, parameter in method.parameters.items()}
    if method.seeded:
        values["seed"] = _number(_key(name, "seed"), _SEED, st.number_input)
    if not values:
        st.caption(f"{method.title} has no settings; it always gives the same map.")
        return values
    changed = bool(differing(name, values))
    st.button("Reset", icon=":material/restart_alt:", disabled=not changed, key="reset_map", on_click=_reset, args=(name, list(values)))
    return values


def _number(key: str, parameter: Option, control: Callable[..., float]) -> float:
    decimals = max(0, -math.floor(math.log10(parameter.step)))
    value = control(
        parameter.title,
        parameter.least,
        parameter.most,
        # widgets in a popover reach the browser when it is opened, with this value
        state.map_settings.get(key, parameter.default),
        step=parameter.step,
        format="%d" if isinstance(parameter.default, int) else f"%.{decimals}f",
        key=f"{key}-{_turn.get()}",
        help=parameter.help,
    )
    value = round(value, decimals) if decimals else value  # 0.3, and not the browser's 0.30000000000000004
    state.map_settings[key] = value
    return value


def _reset(name: str, parameters: Sequence[str]) -> None:
    for each in parameters:
        del state.map_settings[_key(name, each)]
    _turn.set(_turn.get() + 1)  # new ones, which show the defaults


def _read_link() -> None:
    """Applies the settings of the URL, if the controls allow them."""
    kept = state.map_settings
    layout = st.query_params.get("layout")
    if name := next((name for name, method in METHODS.items() if method.title == layout), None):
        kept["layout"] = name
    elif layout is not None:
        link.report_missing("the layout", layout, "It is unchanged. Choose one under Map settings.")
    for key, parameter in _ALL.items():
        if (asked := st.query_params.get(key)) is None:
            continue
        if (value := _read(asked, parameter)) is not None:
            kept[key] = value
        else:
            link.report_missing(parameter.title.lower(), asked, "It is unchanged. Set it under Map settings.")


def _read(text: str, parameter: Option) -> float | None:
    try:
        value = type(parameter.default)(text)
    except ValueError:
        return None
    return None if parameter.problem(value) else value


def _key(method: str, parameter: str) -> str:
    return "map_seed" if parameter == "seed" else f"{method}_{parameter}"


_ALL = {"map_seed": _SEED} | {_key(name, each): parameter for name, method in METHODS.items() for each, parameter in method.parameters.items()}
