"""`likeness saliency` as a person meets it."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likeness.data import read_cars
from worlds import Run


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `likeness saliency ...`; exit status, stdout and stderr."""
    return lambda *arguments: run("saliency", *arguments)


def test_it_draws_image_map_and_difference_for_every_image(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "maps.png"
    status, printed, err = run("--rows", "5,2", "--notion", "car-color,background-color", "--samples", "2", "--out", str(out))
    assert status == 0, err
    with Image.open(out) as figure:
        sheet = np.asarray(figure)
    assert f"wrote {out}: {sheet.shape[1]} x {sheet.shape[0]} pixels" in printed
    assert sheet.shape[1] > 6 * 192
    assert 2 * 192 < sheet.shape[0] < 3 * 192
    seen = np.asarray(Image.open(read_cars().paths()[5]).convert("RGB").resize((96, 96), Image.Resampling.BICUBIC))
    corner = tuple(np.argwhere((sheet == seen[0, 0]).all(-1))[0])
    tile = sheet[corner[0] : corner[0] + 192, corner[1] : corner[1] + 192]
    assert np.abs(tile[::2, ::2].astype(int) - seen).mean() < 2


def test_without_a_notion_it_draws_the_raw_encoder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(2):
        Image.effect_noise((40, 30), 60 + i).convert("RGB").save(folder / f"{i}.png")
    status, _, err = run(str(folder), "--samples", "2", "--blur", "1", "--base", str(folder / "1.png"), "--out", str(tmp_path / "maps.png"))
    assert status == 0, err
    with Image.open(tmp_path / "maps.png") as figure:
        assert 2 * 192 < figure.width < 3 * 192
        assert 2 * 192 < figure.height < 3 * 192
