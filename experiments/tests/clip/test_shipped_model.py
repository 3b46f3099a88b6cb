"""The shipped model: figures a little below its card's, on fewer renders that it never saw."""

import pandas as pd
import pytest

from experiments.clip.recipe import ClipRecipe
from experiments.clip.zero_shot import CAR_MODELS, FIRST, PAIR, PAIRING, SENTENCE, zero_shot_report
from likeness.io.paths import assets_dir

FOLDER = assets_dir() / "clip"
FLOORS = {"body_type": 0.97, "car_color": 0.92, "background_color": 0.97, "viewpoint": 0.93}
FLOORS |= {"camera_height": 0.93, "distance_name": 0.84, "sun_side": 0.85}


@pytest.fixture(scope="module")
def report() -> pd.DataFrame:
    return zero_shot_report(FOLDER, n=200, seed=104).set_index(["wording", "attribute"])


@pytest.mark.parametrize("attribute", FLOORS)
@pytest.mark.parametrize(("wording", "less"), [(FIRST, 0), (PAIRING, 0.03), (SENTENCE, 0.03)])
def test_zero_shot_also_in_wordings_never_trained(report: pd.DataFrame, attribute: str, wording: str, less: float) -> None:
    assert report.loc[(wording, attribute), "top1"] >= FLOORS[attribute] - less


def test_words_that_were_never_paired_and_real_car_names(report: pd.DataFrame) -> None:
    assert report.loc[(PAIR, "car_color and body_type"), "top1"] >= 0.85
    assert report.loc[(CAR_MODELS, "body_type"), "top1"] >= 0.97


def test_the_word_car_alone_leans_to_nothing() -> None:
    import numpy as np

    from experiments.clip.zero_shot import first_prompts
    from likeness.encoders.load import load_encoder

    encoder = load_encoder(f"local-dir:{FOLDER}")
    car = encoder.encode_texts(["a photo of a car"])
    assert float(np.ptp(encoder.encode_texts(first_prompts("body_type")) @ car.T)) < 0.5


def test_what_ships() -> None:
    files = {file.name for file in FOLDER.iterdir()}
    model = {"open_clip_config.json", "open_clip_model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert files == model | {"README.md", "recipe.json", "sight.json"}
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 12e6
    assert ClipRecipe.model_validate_json((FOLDER / "recipe.json").read_text()) == ClipRecipe()
