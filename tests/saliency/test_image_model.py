import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.saliency import ImageModel


def test_heads_come_one_after_the_other(tower: Any) -> None:
    model = ImageModel(tower)
    longer = model.then(lambda rows: rows[:, :3]).then(lambda rows: 2 * rows)
    pixels = torch.randn(2, 3, 12, 12)
    assert longer.tower is model.tower
    assert longer.embed(pixels).numpy() == pytest.approx(2 * tower.embed(pixels)[:, :3].numpy())
    assert model.embed(pixels).numpy() == pytest.approx(tower.embed(pixels).numpy())
    assert model.device == torch.device("cpu")


def test_files_and_pictures_in_any_mode_are_prepared_alike(tower: Any, table: ImageTable) -> None:
    model = ImageModel(tower)
    with Image.open(table.paths()[0]) as picture:
        prepared = model.prepare([table.paths()[0], picture, picture.convert("RGBA")])
    assert prepared.shape == (3, 12, 12, 3)
    assert prepared.dtype == np.uint8
    np.testing.assert_array_equal(prepared[1], prepared[0])
    np.testing.assert_array_equal(prepared[2], prepared[0])
    assert model.pixels(prepared)[0].numpy() == pytest.approx(tower.pixels([tower.prepare(Image.open(table.paths()[0]))])[0].numpy())


def test_a_missing_file_is_refused(tower: Any) -> None:
    with pytest.raises(InputError, match=r"The image 'no/such.png' cannot be opened \(No such file or directory\); give another"):
        ImageModel(tower).prepare([Path("no/such.png")])


def test_importing_saliency_loads_no_model_library() -> None:
    code = "import sys, likeness.saliency; print(sorted({'torch', 'scipy', 'pandas', 'open_clip', 'PIL'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
