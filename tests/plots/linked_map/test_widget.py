"""The widget's Python side: what it sends, what it answers, what it takes in."""

import base64
import importlib
import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.plots.linked_map import placement, show_map, show_maps
from likeness.plots.linked_map.parts import decode_rows, encode_rows
from likeness.plots.linked_map.widget import LinkedMapWidget
from likeness.projection import align, map_key, pca_map, save_map
from likeness.space import Space

N = 40
RNG = np.random.default_rng(0)


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Images of one color each; that of row 3 is damaged."""
    for row in range(N):
        Image.new("RGB", (8, 8), (6 * row, 0, 0)).save(tmp_path / f"{row}.png")
    (tmp_path / "3.png").write_bytes(b"no image")
    frame = pd.DataFrame({"path": [f"{row}.png" for row in range(N)], "pet": ["cat", "dog"] * (N // 2), "weight": np.linspace(0, 1, N)})
    return ImageTable("pets", tmp_path, frame)


def space(table: ImageTable, seed: int = 0, name: str = "One") -> Any:
    rows = np.random.default_rng(seed).standard_normal((N, 5)).astype(np.float32)
    return SimpleNamespace(name=name, table=table, vectors=rows / np.linalg.norm(rows, axis=1, keepdims=True))


class Browser:
    """Hears what a widget sends and says what a browser would say."""

    def __init__(self, widget: LinkedMapWidget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.widget, self.heard, self.count = widget, [], 0
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: self.heard.append((content, buffers)))

    def say(self, **message: Any) -> None:
        self.widget._handle_custom_msg(message, [])

    def ask(self, **message: Any) -> tuple[dict[str, Any], bytes | None]:
        self.say(**message)
        content, buffers = self.heard.pop()
        return content, None if buffers is None else bytes(buffers[0])

    def edit(self, *changed: str, selected: list[int] | None = None, query: int | None = None, n: int = N) -> str:
        self.count += 1
        bits = None if selected is None else encode_rows(np.array(selected), n)
        self.say(kind="edit", id=f"e{self.count}", changed=list(changed), n=n, selected=bits, query=query)
        return f"e{self.count}"


def positions(widget: LinkedMapWidget, panel: int = 0) -> np.ndarray:
    """What the browser is sent of small maps."""
    part = widget.payload["panels"][panel]["positions"]
    return np.frombuffer(base64.b64decode(part["base64"]), np.float32).reshape(-1, 2)


def test_maps_of_spaces_are_their_layouts_the_second_turned_onto_the_first(table: ImageTable) -> None:
    one = space(table)
    widget = show_map(one, "pet", "pca")
    np.testing.assert_array_equal(positions(widget), pca_map(one.vectors))
    assert (widget.payload["coloring"]["names"], widget.payload["coloring"]["label"]) == (["cat", "dog"], "pet")
    assert (widget.payload["n"], widget.payload["noun"], widget.payload["panels"][0]["title"]) == (N, "images", "One")
    assert repr(widget) == "LinkedMapWidget(One, 40 rows, 0 selected)"
    two = space(table, 1, "Two")
    widget = show_maps(one, two, method="pca")
    np.testing.assert_allclose(positions(widget, 1), align(pca_map(two.vectors), pca_map(one.vectors)), atol=1e-6)


def test_a_refit_is_laid_out_from_the_points_of_the_map_before(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[dict[str, Any]] = []

    class Job:
        """Lays nothing out: gives rotated PCA, which `align` turns back."""

        def __init__(self, vectors: Any, **options: Any) -> None:
            self.vectors = vectors
            jobs.append(options)

        def result(self) -> np.ndarray:
            return pca_map(self.vectors)[:, ::-1]

    monkeypatch.setattr(placement, "LayoutJob", Job)
    widget = show_map(space(table), min_distance=0.2, seed=0)
    before = positions(widget)
    widget.update(space(table, 1))
    assert [(job["method"], job["min_distance"], job.get("seed")) for job in jobs] == [("umap", 0.2, None)] * 2
    assert jobs[0]["init"] is None
    np.testing.assert_array_equal(jobs[1]["init"], before)
    np.testing.assert_allclose(positions(widget), align(pca_map(space(table, 1).vectors), before), atol=1e-5)


def test_large_arrays_are_fetched_once_by_message(monkeypatch: pytest.MonkeyPatch) -> None:
    places = RNG.random((10_000, 2)).astype(np.float32)
    widget = show_map(places, np.arange(10_000) % 2)
    browser = Browser(widget, monkeypatch)
    part = widget.payload["panels"][0]["positions"]
    assert "base64" not in part
    answer, content = browser.ask(kind="part", id=part["id"])
    assert answer == {"kind": "part", "id": part["id"]}
    np.testing.assert_array_equal(np.frombuffer(content, np.float32).reshape(-1, 2), places)
    widget.recolor(np.arange(10_000) % 3)
    assert widget.payload["panels"][0]["positions"] == part
    answer, content = browser.ask(kind="part", id="unknown")
    assert ("error" in answer, content) == (True, None)


def test_a_row_is_answered_with_its_picture_and_attributes(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(show_map(space(table), method="pca"), monkeypatch)
    answer, picture = browser.ask(kind="row", row=20)
    assert answer == {"kind": "row", "row": 20, "label": "20.png", "attributes": {"pet": "cat", "weight": "0.513"}}
    image = Image.open(io.BytesIO(picture or b""))
    assert (image.format, image.convert("RGB").getpixel((64, 64))[0]) == ("WEBP", pytest.approx(120, abs=4))
    assert browser.ask(kind="row", row=3)[1] is None  # damaged
    browser.say(kind="row", row=N)
    browser.say(kind="row", row="../secret")
    assert browser.heard == []


def test_positions_or_vectors_alone_have_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = show_map(torch.rand(N, 2))
    assert widget.pictures is False
    assert Browser(widget, monkeypatch).ask(kind="row", row=1) == ({"kind": "row", "row": 1, "label": "Row 1", "attributes": {}}, None)
    widget.query = 3
    assert widget.payload["neighbors"] == [[]]
    bare = Space(RNG.standard_normal((N, 4)), labels={"pet": ["cat", "dog"] * (N // 2)})
    widget = bare.map(color="pet", method="pca")
    assert (widget.pictures, widget.payload["noun"]) == (False, "rows")
    assert Browser(widget, monkeypatch).ask(kind="row", row=1) == ({"kind": "row", "row": 1, "label": "Row 1", "attributes": {"pet": "dog"}}, None)


def test_a_lasso_changes_selected_and_is_answered(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = show_map(space(table), method="pca")
    changes: list[list[int]] = []
    widget.observe(lambda change: changes.append(change["new"].tolist()), "selected")
    browser = Browser(widget, monkeypatch)
    name = browser.edit("selection", selected=[7, 5])
    assert (widget.selected.tolist(), widget.selected.dtype) == ([5, 7], np.int64)
    assert (widget.payload["seen"], decode_rows(widget.payload["selected"], N).tolist()) == (name, [5, 7])
    name = browser.edit("selection", selected=[7, 5])  # the same again: answered, but no change
    assert widget.payload["seen"] == name
    browser.edit("selection")
    assert changes == [[5, 7], []]
    browser.edit("selection", selected=[1], n=9)  # of another map
    assert widget.selected.tolist() == []


@pytest.mark.parametrize(
    "message",
    [
        *(None, 3, "edit", [], {}, {"kind": []}, {"kind": "edit"}, {"kind": "edit", "n": [], "id": {}}, {"kind": "edit", "n": N, "selected": 5}),
        *({"kind": "edit", "n": N, "changed": ["selection", "query"], "selected": "²", "query": True}, {"kind": "part", "id": {"a": []}}),
        *({"kind": "row", "row": True}, {"kind": "row", "row": "1"}, {"kind": "row", "row": 10**30}, {"kind": "row", "row": -1}, {"kind": "row"}),
    ],
    ids=repr,
)
def test_a_message_of_another_form_is_passed_over(table: ImageTable, monkeypatch: pytest.MonkeyPatch, message: object) -> None:
    widget = LinkedMapWidget([space(table)], positions=[RNG.random((N, 2))])
    browser = Browser(widget, monkeypatch)
    widget._handle_custom_msg(message, [])
    assert (widget.query, len(widget.selected)) == (None, 0)
    assert all("error" in content for content, _ in browser.heard)


def test_a_click_is_a_query_with_its_neighbors_in_each_space(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    spaces = space(table), space(table, 1, "Two")
    widget = show_maps(*spaces, method="pca")
    Browser(widget, monkeypatch).edit("query", query=4)
    assert widget.query == 4
    for found, each in zip(widget.payload["neighbors"], spaces, strict=True):
        similarities = each.vectors @ each.vectors[4]
        similarities[4] = -2
        assert found == np.argsort(-similarities, kind="stable")[:10].tolist()
    widget.query = None
    assert widget.payload["neighbors"] is None


def test_selected_takes_rows_of_any_kind_and_refuses_what_is_no_row() -> None:
    widget = show_map(RNG.random((N, 2)))
    for rows in ([3, 1, 1], np.array([1, 3]), torch.tensor([3, 1]), np.isin(np.arange(N), [1, 3]), pd.Series([1, 3])):
        widget.selected = rows
        assert widget.selected.tolist() == [1, 3]
        assert decode_rows(widget.payload["selected"], N).tolist() == [1, 3]
        widget.selected = None
        assert widget.selected.tolist() == []
        assert widget.payload["selected"] is None
    widget.selected = [2]
    for rows, message in (
        *(([N], "Row 40 is outside the 40 rows"), ([-1], "Row -1 is outside"), ([0.5], "Rows are whole numbers")),
        (np.ones(3, bool), "A mask of shape"),
    ):
        with pytest.raises(InputError, match=message):
            widget.selected = rows
        assert widget.selected.tolist() == [2]


def test_a_refit_moves_the_points_of_the_last_map_onto_the_first(table: ImageTable) -> None:
    one, two = space(table), space(table, 1, "Two")
    widget = show_maps(one, one, method="pca")
    before = positions(widget, 0)
    widget.query = 2
    widget.update(two)
    np.testing.assert_array_equal(positions(widget, 0), before)
    np.testing.assert_allclose(positions(widget, 1), align(pca_map(two.vectors), before), atol=1e-6)
    assert [panel["title"] for panel in widget.payload["panels"]] == ["One", "Two"]
    assert widget.payload["neighbors"][0] != widget.payload["neighbors"][1]
    widget.update(one, 1)
    np.testing.assert_allclose(positions(widget, 1), before, atol=1e-5)


def test_own_positions_are_shown_as_they_are_and_stored_maps_are_found_by_the_key_of_the_space(table: ImageTable) -> None:
    places = RNG.random((2, N, 2)).astype(np.float32)
    widget = show_maps(space(table), space(table, 1), positions=places)
    np.testing.assert_array_equal(positions(widget, 1), places[1])
    assert widget.pictures
    widget.update(space(table, 2), positions=places[0])
    np.testing.assert_array_equal(positions(widget, 1), places[0])
    save_map(map_key("its key", "umap", init=None), places[1])
    keyed = space(table)
    keyed.key = "its key"
    np.testing.assert_array_equal(positions(show_map(keyed)), places[1])


def test_colors_by_attribute_or_by_values(table: ImageTable) -> None:
    widget = show_map(space(table), method="pca")
    assert widget.payload["coloring"]["kind"] == "none"
    colors = ("pet", "weight", np.arange(N) % 3, torch.rand(N), ["red"] * N)
    for color, kind in zip(colors, ("category", "number", "category", "number", "colors"), strict=True):
        still = widget.still
        widget.recolor(color)
        assert widget.payload["coloring"]["kind"] == kind
        assert widget.still != still


@pytest.mark.parametrize(
    ("show", "message"),
    [
        (lambda one, _: show_map(one, "color", "pca"), "no attribute 'color' to color by; choose from: pet, weight"),
        (lambda one, _: show_map(one, [1, 2, 3], "pca"), "3 values do not color 40 rows"),
        (lambda one, places: show_maps(places, places[:9]), "maps have 40 and 9 rows"),
        (lambda one, places: show_map(one, method="pca").update(places[:9]), "maps have 40 and 9 rows"),
        (lambda one, _: show_map(one.vectors), "A map takes a space, or positions"),
        (lambda one, places: show_map(places).update(places, 2), "There is no map 2"),
        (lambda one, _: show_map(one, method="magic"), "no layout method 'magic'"),
        (lambda one, places: setattr(show_map(places), "query", N), "The query 40 is outside the 40 rows"),
        (lambda one, places: LinkedMapWidget([places] * 3), "3 maps were passed"),
    ],
)
def test_what_does_not_fit_is_refused(table: ImageTable, show: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        show(space(table), RNG.random((N, 2)))


def test_a_saved_output_holds_a_picture_beside_the_widget(table: ImageTable) -> None:
    widget = show_map(space(table), "pet", "pca")
    data = widget._repr_mimebundle_()[0]
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    assert data["text/plain"] == "LinkedMapWidget(One, 40 rows, 0 selected)"
    assert base64.b64decode(data["image/png"]) == widget.still
    widget.selected = [1]
    selected = widget._repr_mimebundle_()[0]["image/png"]
    assert Image.open(io.BytesIO(base64.b64decode(selected))).format == "PNG"
    assert selected != data["image/png"]


def test_in_colab_the_widget_says_where_its_manager_comes_from(table: ImageTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colab draws widgets of other packages only where the output names the manager that it enabled."""
    enabled: list[bool] = []
    output = SimpleNamespace(enable_custom_widget_manager=lambda: enabled.append(True), _widgets=SimpleNamespace(_installed_url="https://manager"))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    anywidget_util = importlib.import_module("anywidget._util")
    anywidget_util.enable_custom_widget_manager_once.cache_clear()
    data, metadata = show_map(space(table), "pet", "pca")._repr_mimebundle_()
    anywidget_util.enable_custom_widget_manager_once.cache_clear()
    kind = "application/vnd.jupyter.widget-view+json"
    assert metadata[kind] == {"colab": {"custom_widget_manager": {"url": "https://manager"}}}
    assert {kind, "image/png"} <= set(data)
    assert enabled == [True]


def test_the_app_needs_no_widgets() -> None:
    script = "import sys, likeness.plots.linked_map; print([m for m in ('anywidget', 'ipywidgets', 'streamlit', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
