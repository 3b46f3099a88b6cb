"""`likeness kinds`: every list that can be added to is shown, whole."""

import pytest

from likeness.commands.kinds import KINDS
from worlds import Run

SHOWN = {
    "objectives": "multisimilarity",
    "miners": "distance-weighted",
    "methods": "random-transform",
    "metrics": "recall_at_{k}",
    "datasets": "synthetic-poses",
    "labels": "pose",
    "language-models": "minilm",
    "encoders": "timm",
    "engines": "ivf",
    "targets": "coco",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_shows_what_is_listed(kind: str, run: Run) -> None:
    status, shown, _ = run("kinds", kind, "--format", "csv")
    assert status == 0
    assert SHOWN[kind] in [line.partition(",")[0] for line in shown.splitlines()]
