"""Planted drifts: what is planted, controls without drift, and what the table says of them."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from experiments.analyses.drift import (
    ALTERATIONS,
    ALTERED_SHARES,
    HALF,
    NONE,
    SHUFFLED,
    Plant,
    _altered,
    _changes,
    _plant,
    _versions,
    drift_summary,
    drift_table,
    planted_drifts,
)
from likeness.errors import InputError
from likeness.notions import Notion

PLANT = Plant("color", "red", ("color",))


@pytest.fixture
def base() -> lk.Space:
    """600 images in which color and shape are two of six directions."""
    rng = np.random.default_rng(0)
    colors, shapes = rng.choice(["red", "blue"], 600, p=[0.4, 0.6]), rng.choice(["ball", "cube"], 600)
    vectors = 0.4 * rng.standard_normal((600, 6)) + np.eye(6)[4]
    vectors[:, 0] += 2 * (colors == "red")
    vectors[:, 1] += 2 * (shapes == "ball")
    axes = {"a red": 0, "a blue": 2, "a ball": 1, "a cube": 3}
    texts = lambda prompts: np.eye(6, dtype=np.float32)[[axes[prompt] for prompt in prompts]]  # noqa: E731
    frame = pd.DataFrame({"path": [f"{row}.png" for row in range(600)], "color": colors})
    return lk.Space(vectors, frame, embed_texts=texts)


def test_a_share_is_planted_and_controls_have_none(base: lk.Space) -> None:
    red = (base.table.frame["color"] == "red").to_numpy()
    shares = []
    for seed in range(20):
        old, new = _versions(base, "color: red", 0.4, PLANT, 100, seed)
        assert not set(old) & set(new)
        assert len(set(old)) == len(set(new)) == 100
        shares.append(red[new].mean())
    assert np.mean(shares) == pytest.approx(0.4 + 0.6 * red.mean(), abs=0.04)
    for name, plant in ((NONE, None), (SHUFFLED, PLANT)):
        old, new = (np.concatenate(each) for each in zip(*(_versions(base, name, 0.0, plant, 100, seed) for seed in range(20)), strict=True))
        assert red[new].mean() == pytest.approx(red[old].mean(), abs=0.06)
    old, new = _versions(base, HALF, 0.0, None, 100, 0)
    assert len(set(old) & set(new)) == 50
    assert pd.Series(_changes(old, new).state).value_counts().to_dict() == {"same": 50, "went": 50, "came": 50}
    with pytest.raises(InputError, match="images are left with color = 'red', and 200 are needed"):
        _versions(base, "color: red", 0.4, PLANT, 500, 0)


def test_the_table_names_what_drifted(base: lk.Space) -> None:
    notions = [Notion("color", "a {}", ["red", "blue"]), Notion("shape", "a {}", ["ball", "cube"])]
    runs = planted_drifts(base, notions, [PLANT], 150, range(3))
    assert len(runs) == 7 * 3 * 3
    turned = base.replace(vectors=base.vectors[:, [1, 0, 2, 3, 4, 5]])
    altered = planted_drifts(base, notions, [], 150, range(3), {"turned": turned})
    assert altered.groupby(["planted", "share"], sort=False).size().index.tolist() == [(NONE, 0.0), *(("turned", share) for share in ALTERED_SHARES)]
    auc = altered[altered["space"] == base.name].groupby("share")["auc"].mean()
    assert auc[0.0] < auc[0.4] < auc[1.0]
    same = planted_drifts(base, notions, [], 150, range(1), {"same": base})
    assert same.groupby("space")["auc"].nunique().eq(1).all()  # an alteration that changes nothing is no drift
    summary = drift_summary(runs).set_index(["planted", "share", "space"])
    found = drift_table(drift_summary(runs)).set_index(["planted", "share"])
    assert found.loc[("color: red", 0.4), "right one named"] == 1
    assert found.loc[("color: red", 0.4), "notion, C2ST"] == 1
    assert summary.loc[("color: red", 0.4, "color"), "auc"] > summary.loc[("color: red", 0.4, "shape"), "auc"]
    assert np.isnan(found.loc[(NONE, 0), "right one named"])
    assert found.loc[(NONE, 0), "notion, C2ST"] < 1


def test_alterations_and_plants() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    image = Image.fromarray(pixels)
    altered = {name: np.asarray(change(image), float) for name, change in ALTERATIONS.items()}
    assert altered["brightness 50 %"].mean() == pytest.approx(pixels.mean() / 2, rel=0.02)
    assert altered["blur, radius 3 of 224"].std() < altered["blur, radius 1 of 224"].std() < pixels.std()
    assert np.abs(altered["JPEG quality 10"] - pixels).mean() > np.abs(altered["JPEG quality 50"] - pixels).mean() > 0
    with pytest.raises(InputError, match="no alteration 'fog'; choose from JPEG quality 50"):
        _altered(lk.Space(np.eye(4)), "fog")
    assert _plant("a=b c:x|y") == Plant("a", "b c", ("x", "y"))
    with pytest.raises(InputError, match="cannot be read; write ATTRIBUTE=VALUE:NOTION"):
        _plant("color")
