"""The card says what was measured, and what the model cannot do."""

from pathlib import Path

import pandas as pd
import pytest

from experiments.clip.card import write_card
from experiments.clip.recipe import ClipRecipe
from experiments.clip.zero_shot import CAR_MODELS, FIRST, SENTENCE

FACTS = {"words": 7, "names": 2, "parameters": 1.5e6, "bytes": 3e6, "steps": 10, "seconds": 120, "report_seed": 103}


def report(sun_height: float) -> pd.DataFrame:
    rows = [
        (FIRST, "body_type", 6, 0.9876, 0.95, 40, "a photo of a van"),
        (FIRST, "sun_height", 2, sun_height, sun_height, 40, "a car in low sun"),
        (SENTENCE, "body_type", 6, 0.8, 0.7, 40, "the vehicle is a van"),
        (CAR_MODELS, "body_type", 2, 0.75, 0.75, 40, "a photo of a Volvo S60"),
    ]
    return pd.DataFrame(rows, columns=["wording", "attribute", "classes", "top1", "balanced", "images", "example"])


def test_figures_and_facts(tmp_path: Path) -> None:
    write_card(tmp_path, ClipRecipe(), FACTS, report(0.9))
    card = (tmp_path / "README.md").read_text()
    for text in ("| body_type | 6 | 0.988 | 0.950 | a photo of a van |", "On 40 renders", "10 steps", "2 minutes", "3.0 MB", "in 75.0% of the cases"):
        assert text in card
    assert "Not learned" not in card


@pytest.mark.parametrize("guessing", [0.46, 0.5, 0.54])
def test_guessing_is_named(tmp_path: Path, guessing: float) -> None:
    write_card(tmp_path, ClipRecipe(), FACTS, report(guessing))
    assert "no better than guessing: sun height." in (tmp_path / "README.md").read_text()
