"""`likeness evaluate` on real photos, in its quick form: some of ../shared's, few methods."""

import io
import zipfile
from pathlib import Path

import pandas as pd

from worlds import Run

_METHODS = ["--methods", "raw,exact,other-words", "--metrics", "map_at_r,zero_shot", "--seeds", "2", "--format", "csv"]


def test_captioned_photos_that_are_listed(shared: Path, tmp_path: Path, run: Run) -> None:
    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        frame = pd.read_csv(archive.open("flickr8k_700/captions.csv"))
        paths = list(frame["path"].unique()[:60])
        for path in paths:
            archive.extract(f"flickr8k_700/{path}", tmp_path)
    folder = tmp_path / "flickr8k_700"
    frame[frame["path"].isin(paths)].to_csv(folder / "captions.csv", index=False)
    (tmp_path / "some.txt").write_text("\n".join(paths[:40]))
    arguments = ["evaluate", f"flickr:{folder}", "--only", str(tmp_path / "some.txt"), "--notions", "flickr-number-of-people", *_METHODS]
    status, printed, errors = run(*arguments, "--out", str(tmp_path / "runs.csv"))
    assert status == 0, errors
    table = pd.read_csv(io.StringIO(printed)).set_index("method")
    assert list(table.index) == ["raw", "exact", "other-words"]
    assert list(table["runs"]) == [1, 2, 2]
    runs = pd.read_csv(tmp_path / "runs.csv")
    assert runs[["map_at_r", "zero_shot"]].stack().between(0, 1).all()
    controls = runs[runs["method"] == "other-words"]["map_at_r"]
    assert controls.nunique() == 2  # other words for each seed


def test_birds_in_folders_of_species(shared: Path, tmp_path: Path, run: Run) -> None:
    with zipfile.ZipFile(shared / "data" / "cub100_160.zip") as archive:
        for species in ("Indigo_Bunting", "White_Pelican"):
            for name in [each for each in archive.namelist() if f"/{species}/" in each and each.endswith(".jpg")][:8]:
                archive.extract(name, tmp_path)
    arguments = ["evaluate", f"cub200/all:{tmp_path / 'cub100'}", "--notions", "cub200-species-names", *_METHODS]
    status, printed, errors = run(*arguments)
    assert status == 0, errors
    table = pd.read_csv(io.StringIO(printed)).set_index("method")
    # two birds that the network knows, among a hundred names
    assert float(table.loc["raw", "Zero-shot"]) > 0.5
    assert float(table.loc["raw", "MAP@R"]) > 0.5
