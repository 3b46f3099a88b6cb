"""`likeness kinds`: every list that can be added to is shown, whole."""

from collections.abc import Callable

import pytest

from likeness.commands.kinds import KINDS

Run = Callable[..., tuple[int, str, str]]
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


def test_an_unknown_kind_is_answered_with_those_there_are(run: Run) -> None:
    status, _, error = run("kinds", "colors")
    assert status == 2
    assert "There is no list of 'colors'; choose from objectives, miners, methods" in error
