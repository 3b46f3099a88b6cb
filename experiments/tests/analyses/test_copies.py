"""The figures of copies, counted by hand from the similarities; the control has no encoder."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.analyses.copies import copies_table, planted_copies
from likeness import Space
from likeness.duplicates import ALTERATIONS, CopySimilarities, best_threshold, copy_similarities


def small(images: list[object]) -> np.ndarray:
    """An encoder: 3 x 2 pixels."""
    rows = np.stack([np.asarray(image.convert("RGB").resize((3, 2)), np.float32).ravel() - 100 for image in images])  # type: ignore[attr-defined]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def space(tmp_path: Path) -> Space:
    names = []
    for number in range(30):
        pixels = np.random.default_rng(number).integers(0, 255, (2, 3, 3), np.uint8)
        names.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(pixels).resize((60, 40)).save(names[-1])
    return Space(small([Image.open(name) for name in names]), pd.DataFrame({"path": names}), embed_images=small)  # type: ignore[arg-type]


def test_one_half_sets_the_threshold_that_judges_the_other(space: Space) -> None:
    rows: list[dict[str, object]] = []
    calls: list[tuple[int, int]] = []
    runs = planted_copies(space, images=20, seeds=[3], progress=lambda done, total, *_: calls.append((done, total)), on_run=rows.append)
    assert runs.to_dict("records") == rows
    assert calls[-1] == (40, 40)
    found = copy_similarities(space, 20, 3)
    threshold = best_threshold(CopySimilarities(found.rows[::2], found.own[:, ::2], found.other[:, ::2])).threshold
    own, other = found.own[:, 1::2], found.other[:, 1::2]
    encoder = runs[runs["space"] == "encoder"].set_index("alteration")
    for place, name in enumerate(ALTERATIONS):
        true, false = (own[place] >= threshold).sum(), (other[place] >= threshold).sum()
        assert encoder.loc[name, "recall"] == pytest.approx(true / 10)
        assert encoder.loc[name, "precision"] == pytest.approx(true / (true + false), abs=1e-4)
        assert encoder.loc[name, "copies"] == 10
    assert encoder.loc["all", "recall"] == pytest.approx((own >= threshold).mean())
    assert encoder["threshold"].unique().tolist() == [round(threshold, 4)]


def test_the_control_sees_no_encoder_and_the_table_has_a_row_for_each_space(space: Space) -> None:
    def control(base: Space) -> list[float]:
        runs = planted_copies(base, images=8, seeds=[0, 1])
        return runs[runs["space"] != "encoder"]["threshold"].to_list()

    blind = space.replace(vectors=np.eye(30, 18)[np.zeros(30, int)], embed_images=lambda images: np.eye(30, 18)[np.zeros(len(images), int)])
    assert control(space) == control(blind)
    assert control(space)[0] != control(space)[-1]
    table = copies_table(planted_copies(space, images=8, seeds=[0, 1]).assign(images="mine"))
    assert table.columns.tolist() == ["images", "space", *ALTERATIONS, "recall", "precision", "threshold"]
    assert len(table) == 2
    np.testing.assert_allclose(table[[*ALTERATIONS]].mean(axis=1), table["recall"], atol=1e-4)
