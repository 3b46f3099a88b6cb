"""Addresses with values that no link of the app has: no page fails, and the sidebar stays to choose from."""

import pytest
from streamlit.testing.v1 import AppTest

import navigation
from shared.app_page import AppPage

_NAMES = (
    *("rows", "query", "draft", "open", "private", "show", "dataset", "a", "b", "color", "config", "watch", "runs", "map_seed", "layout"),
    *("umap_n_neighbors", "filter_car_color", "filter_yaw", "continuous_label", "continuous_columns", "saliency_show"),
)
_VALUES = (
    "²",
    "-1",
    "nan",
    "9" * 5000,
    "\0",
    "../../etc/passwd",
    "eJxjZGBgYAIAAA0ABA",
    "a\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
)


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_odd_parameters_raise_nothing(app: AppTest, page: AppPage) -> None:
    app.switch_page(str(page.folder / "page.py"))
    for shift in range(3):
        for place, name in enumerate(_NAMES):
            app.query_params[name] = _VALUES[(place + shift) % len(_VALUES)]
        app.query_params["layout"] = "PCA"
        app.run()
        assert not app.exception
        assert app.sidebar.selectbox
        for name in ("view", "rows", "query", "draft_history", "link_asked"):  # as for a visitor who comes by this address
            if name in app.session_state:
                del app.session_state[name]
