"""An analysis of several sets of images: one file with the figures of all, of which one set is measured anew."""

from pathlib import Path

import pandas as pd
import pytest

from experiments.figures import image_sets
from experiments.figures.image_sets import measure_sets


def test_all_sets_are_measured_and_one_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(image_sets, "FOLDER", tmp_path)
    calls: list[tuple[str, ...]] = []

    def experiment(*words: str) -> None:
        calls.append(words)
        pd.DataFrame({"seed": [0, 1], "score": [len(calls), 3.0]}).to_csv(words[words.index("--out") + 1], index=False)

    def measure(*words: str) -> pd.DataFrame:
        monkeypatch.setattr("sys.argv", ["measure", "data", *words])
        cases = lambda data: [("cars", ("cars",)), ("photos", (str(data / "photos"), "-e", "photos"))]  # noqa: E731
        measure_sets("copies", "found", cases, "Help.", summary=lambda runs: runs.groupby("seed", as_index=False)["score"].max())
        return pd.read_csv(tmp_path / "found.csv")

    monkeypatch.setattr(image_sets, "experiment", experiment)
    every = measure()
    assert [words[:-3] for words in calls] == [("analyses", "copies", "cars"), ("analyses", "copies", str(Path("data/photos")), "-e", "photos")]
    assert list(every) == ["images", "seed", "score"]
    assert every["images"].tolist() == ["cars", "cars", "photos", "photos"]
    assert every["score"].tolist() == [1, 3, 2, 3]
    again = measure("--only", "cars")
    assert len(calls) == 3
    assert dict(again.groupby("images")["score"].min()) == {"cars": 3, "photos": 2}
    with pytest.raises(SystemExit):
        measure("--only", "birds")
    assert "there is no set 'birds'; choose from cars, photos" in capsys.readouterr().err
