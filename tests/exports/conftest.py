"""Images with labels and vectors that tests of exports share."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data import ImageTable
from likeness.space import Space


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Twelve pictures in two folders; names collide, values are odd, and some are missing."""
    root = tmp_path / "photos"
    paths = [f"{folder}/{number}.png" for folder in ("one", "two") for number in range(6)]
    for number, path in enumerate(paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (10 + number, 8), (20 * number, 5, 5)).save(root / path)
    frame = pd.DataFrame(
        {
            "path": paths,
            "breed": pd.Categorical(["cat/dog", "..", "cat/dog", "..", "Pug", "pug", "Pug", "pug", "..", None, "cat/dog", "(unlabeled)"]),
            "good": [True, False] * 6,
            "weight": [1.5, None, *range(10)],
            "count": range(12),
            "taken": pd.date_range("2024-05-01", periods=12),
            "note": [f'it is "{number}", so\nto say' for number in range(12)],
        }
    )
    return ImageTable("My photos", root, frame)


@pytest.fixture
def space(table: ImageTable) -> Space:
    """The same, with vectors."""
    return Space(np.random.default_rng(0).normal(size=(12, 5)), table, name="Five numbers")


@pytest.fixture
def files(table: ImageTable) -> dict[str, bytes]:
    """Content of each picture by its path."""
    return {str(path): table.file(row).read_bytes() for row, path in enumerate(table.frame["path"])}
