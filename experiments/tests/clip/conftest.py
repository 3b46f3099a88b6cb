"""Fixtures for the recipe's tests."""

import pandas as pd
import pytest

from experiments.clip.captions import Codes, encode_attributes
from experiments.renders.cars import sample_scenes


@pytest.fixture(scope="session")
def scenes() -> pd.DataFrame:
    return sample_scenes(60, seed=7)


@pytest.fixture(scope="session")
def codes(scenes: pd.DataFrame) -> Codes:
    return encode_attributes(scenes)
