"""Fixtures for the recipe's tests."""

import pandas as pd
import pytest

from likeness.data.synthetic_cars import sample_scenes
from likeness.training.clip.captions import Codes, encode_attributes


@pytest.fixture(scope="session")
def scenes() -> pd.DataFrame:
    return sample_scenes(60, seed=7)


@pytest.fixture(scope="session")
def codes(scenes: pd.DataFrame) -> Codes:
    return encode_attributes(scenes)
