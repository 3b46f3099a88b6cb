"""Dressed figures: the flesh is round the bones, and clothes cover what they should."""

import numpy as np
import pytest

from experiments.renders.poses import ACTIVITIES, JOINTS
from experiments.renders.poses.activities import sample_posture
from experiments.renders.poses.angles import posture
from experiments.renders.poses.figure import HAIRS, MATERIALS, SHIRTS, TROUSERS, Clothes, dress
from experiments.renders.poses.skeleton import pose, sample_body

BODY = sample_body(np.random.default_rng(0))
REST = pose(BODY, posture({"raise": 12}))


def area(clothes: Clothes, material: str) -> float:
    """Square meters of a material on the figure at rest."""
    figure = dress(BODY, REST, clothes)
    a, b, c = figure.triangles[figure.material == MATERIALS.index(material)].transpose(1, 0, 2)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize("activity", ACTIVITIES)
def test_every_joint_is_within_the_flesh(activity: str) -> None:
    """Along 64 directions, most rays from a joint meet the skin within 20 cm."""
    rng = np.random.default_rng(4)
    posed = pose(BODY, sample_posture(activity, rng))
    points = dress(BODY, posed, Clothes("t-shirt", "shorts", "short", False)).triangles.mean(axis=1)
    for joint, place in zip(JOINTS, posed.joints, strict=True):
        gap = np.linalg.norm(points - place, axis=1)
        near = points[gap < 0.22] - place
        assert gap.min() < 0.12, joint
        if joint != "head_top":
            directions = rng.normal(size=(64, 3))
            assert ((near @ directions.T).max(axis=0) > 0).mean() > 0.95, joint


def test_the_figure_is_as_tall_as_its_body_up_to_its_top_joint() -> None:
    figure = dress(BODY, REST, Clothes("t-shirt", "shorts", "bald", False))
    assert figure.triangles[..., 2].max() == pytest.approx(REST.joints[JOINTS.index("head_top"), 2], abs=0.02)
    tall = np.ptp(dress(BODY, REST, Clothes("t-shirt", "shorts", "bald", False)).triangles[..., 2])
    assert tall == pytest.approx(BODY.height, rel=0.06)


def test_longer_sleeves_and_legs_cover_more() -> None:
    skin = [area(Clothes(shirt, "trousers", "bald", False), "skin") for shirt in SHIRTS]
    assert skin[0] > skin[1] > skin[2] > 0.05
    cloth = {trousers: area(Clothes("t-shirt", trousers, "bald", False), "trousers") for trousers in TROUSERS}
    assert cloth["trousers"] > cloth["shorts"] > 0.2
    assert area(Clothes("t-shirt", "trousers", "bald", True), "stripe") > 0.05
    assert area(Clothes("t-shirt", "trousers", "bald", False), "stripe") == 0


def test_hair_is_behind_the_face_and_bald_heads_have_none() -> None:
    amounts = {hair: area(Clothes("t-shirt", "shorts", hair, False), "hair") for hair in HAIRS}
    assert amounts["bald"] == 0
    assert amounts["long"] > amounts["short"] > 0.05
    figure = dress(BODY, REST, Clothes("t-shirt", "shorts", "long", False))
    eyes, hair = (figure.triangles[figure.material == MATERIALS.index(name)][..., 0].mean() for name in ("eyes", "hair"))
    assert eyes > 0.05 > hair


def test_a_skirt_goes_round_both_thighs() -> None:
    posed = pose(BODY, posture({"hip": (50, -20)}))
    skirted = dress(BODY, posed, Clothes("t-shirt", "skirt", "bald", False))
    cloth = skirted.triangles[skirted.material == MATERIALS.index("trousers")].reshape(-1, 3)
    for side in ("right", "left"):
        hip, knee = (posed.joints[JOINTS.index(f"{side}_{joint}")] for joint in ("hip", "knee"))
        middle = hip + 0.55 * (knee - hip)
        assert (cloth.min(axis=0) < middle).all()
        assert (cloth.max(axis=0) > middle).all()
