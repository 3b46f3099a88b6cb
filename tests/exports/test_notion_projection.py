"""A notion's map elsewhere: onnxruntime and NumPy give what the space has, for images, texts and rows without a place."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.exports.notion_projection import projection_model

NOTION = lk.Notion("car color", "a {} car", ["red", "green", "blue", "white", "black", "yellow", "gray", "purple"])


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars-small")


def _run(model: Any, vectors: np.ndarray) -> np.ndarray:
    import onnxruntime

    content = model if isinstance(model, str) else model.SerializeToString()
    return np.asarray(onnxruntime.InferenceSession(content).run(None, {"vectors": vectors})[0])


@pytest.mark.parametrize("method", ["exact", "scaled-pca", "pca", "faded", "random-transform"])
def test_onnx_gives_what_the_space_has(method: str, cars: lk.Space, tmp_path: Path) -> None:
    color = cars.refit(NOTION, method, dim=5)
    written = lk.export(color, "notion", tmp_path / "color")
    assert (written.n, written.what) == (color.vectors.shape[1], "dimensions")
    model = str(tmp_path / "color" / "projection.onnx")
    np.testing.assert_allclose(_run(model, np.asarray(cars.vectors)), color.vectors, atol=2e-5)
    assert cars.embed_texts is not None
    texts = cars.embed_texts(["a red car", "a blue car"])
    np.testing.assert_allclose(_run(model, 7 * texts), np.vstack([color.text_query(text) for text in ("a red car", "a blue car")]), atol=2e-5)


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("part", [0, 1])
def test_the_page_runs_as_it_is_written(part: int, joined: bool, cars: lk.Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.notions import get_notion

    color = cars.refit(NOTION + 0.5 * get_notion("car model"), dim=4) if joined else cars.refit(NOTION, "pca", dim=4)
    lk.export(color, "notion", tmp_path / "color")
    np.save(tmp_path / "color" / "vectors.npy", cars.vectors)
    code = re.findall(r"```python\n(.*?)```", (tmp_path / "color" / "README.md").read_text(), re.DOTALL)
    assert len(code) == 2
    assert len(code[part].strip().splitlines()) <= 10
    monkeypatch.chdir(tmp_path / "color")
    names: dict[str, Any] = {}
    exec(code[part], names)
    np.testing.assert_allclose(names["notion"], color.vectors, atol=2e-5)


def test_a_row_at_a_right_angle_to_the_notion_is_zero() -> None:
    from likeness.notions import project

    U = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0].astype(np.float32)
    rows = np.vstack([U[:, 5], U[:, 0], 1e-3 * U[:, 0] + U[:, 5], 1e6 * U[:, 4], np.random.default_rng(1).normal(size=(50, 6))]).astype(np.float32)
    found = _run(projection_model(U[:, :3]), rows)
    np.testing.assert_allclose(found, project(rows, U[:, :3]), atol=1e-5)
    assert (found[[0, 3]] == 0).all()


def test_what_is_not_linear_and_wrong_input_are_answered(cars: lk.Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for method in ("probabilities", "raw"):
        with pytest.raises(InputError, match="which is not a single matrix; choose a linear method"):
            lk.export(cars.refit(NOTION, method), "notion", tmp_path / "out")
    with pytest.raises(InputError, match="This is not a notion's space"):
        lk.export(cars, "notion", tmp_path / "out")
    color = cars.refit(NOTION)
    again = type(color.estimator)(dim=2).fit(np.random.default_rng(0).normal(size=(9, color.vectors.shape[1])))
    with pytest.raises(InputError, match="is derived from another notion's space"):
        lk.export(color.project(again, "twice"), "notion", tmp_path / "out")
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(InputError, match=r'pip install "likeness\[onnx\]"'):
        lk.export(color, "notion", tmp_path / "out")
    assert not (tmp_path / "out").exists()
