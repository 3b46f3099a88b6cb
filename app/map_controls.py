"""How maps are to be laid out: the method and its settings. Kept by the session and in the URL, so that a link reopens them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from likeness.projection import METHODS, Parameter, differing

T = TypeVar("T", bound=str | float)

_TITLES = {method.title: name for name, method in METHODS.items()}
_FIRST = METHODS["umap"].title
_SEED = Parameter("Seed", 0, 0, 9999, 1, "The same seed always gives the same map; another one shows what is chance.")


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


def choose(page: str) -> Choice:
    """The controls of the maps of a page: the method, and beside it what it can be told."""
    arrived = st.session_state.get("map_controls_on") != page
    st.session_state["map_controls_on"] = page
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        _prepare("layout", _FIRST, arrived, lambda text: text if text in _TITLES else None)
        title = st.segmented_control(
            "Layout",
            list(_TITLES),
            required=True,
            key="layout",
            label_visibility="collapsed",
            help="  \n".join(f"**{method.title}** {method.help[0].lower()}{method.help[1:]}" for method in METHODS.values()),
        )
        name = _TITLES[title or _FIRST]
        with st.popover("Map settings", icon=":material/tune:"):
            values = _settings(name, arrived)
    shown = {"layout"} | {_key(name, each) for each in values}
    _note("layout", METHODS[name].title, _FIRST)
    _forget_in_url(key for key in _all_keys() if key not in shown)
    return Choice(name, differing(name, values))


def _settings(name: str, arrived: bool) -> dict[str, float]:
    method = METHODS[name]
    st.markdown(f"**{method.title}**", help=method.help)
    values = {each: _number(_key(name, each), parameter, arrived, st.slider) for each, parameter in method.parameters.items()}
    if method.seeded:
        values["seed"] = _number(_key(name, "seed"), _SEED, arrived, st.number_input)
    if not values:
        st.caption(f"{method.title} has nothing to set: it is the same every time.")
        return values
    st.button("Reset", icon=":material/restart_alt:", disabled=not differing(name, values), key="reset_map", on_click=_reset, args=(name,))
    return values


def _number(key: str, parameter: Parameter, arrived: bool, control: Callable[..., float]) -> float:
    decimals = max(0, -math.floor(math.log10(parameter.step)))
    shown = "%d" if isinstance(parameter.default, int) else f"%.{decimals}f"
    _prepare(key, parameter.default, arrived, lambda text: _read(text, parameter))
    value = control(parameter.title, parameter.low, parameter.high, step=parameter.step, format=shown, key=key, help=parameter.help)
    value = round(value, decimals) if decimals else value  # 0.3, and not the browser's 0.30000000000000004
    _note(key, value, parameter.default)
    return value


def _read(text: str, parameter: Parameter) -> float | None:
    """The number in a link, or None where it is none that the control can have."""
    try:
        value = type(parameter.default)(text)
    except ValueError:
        return None
    return value if parameter.low <= value <= parameter.high else None


def _prepare(key: str, default: T, arrived: bool, read: Callable[[str], T | None]) -> None:
    """Gives a control, where it has no value on this page yet, that of the link, or else of the page before, or else its default."""
    if arrived or key not in st.session_state:
        kept: dict[str, T] = st.session_state.get("map_settings", {})
        asked_for = read(st.query_params[key]) if key in st.query_params else None
        st.session_state[key] = kept.get(key, default) if asked_for is None else asked_for


def _note(key: str, value: T, default: T) -> None:
    """Keeps what a control has, and writes it into the URL where it is not the default."""
    st.session_state.setdefault("map_settings", {})[key] = value
    if value == default:
        _forget_in_url([key])
    elif st.query_params.get(key) != _written(value):
        st.query_params[key] = _written(value)


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _forget_in_url(keys: Iterable[str]) -> None:
    for key in keys:
        if key in st.query_params:
            del st.query_params[key]


def _reset(name: str) -> None:
    for each, parameter in METHODS[name].parameters.items():
        st.session_state[_key(name, each)] = parameter.default
    st.session_state[_key(name, "seed")] = _SEED.default


def _key(method: str, parameter: str) -> str:
    return "map_seed" if parameter == "seed" else f"{method}_{parameter}"


def _all_keys() -> list[str]:
    return ["map_seed", *(_key(name, each) for name, method in METHODS.items() for each in method.parameters)]
