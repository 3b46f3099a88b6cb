"""Lists of what runs retrieve: the nearest images by their embeddings, without the query, beside the Oracle's."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.figures import photo_retrieval
from experiments.figures.photo_retrieval import PICTURED, QUERIES, SCORE, by_rarity, described, rare_queries, retrieved, shared_words
from experiments.results import read_results
from likeness.embedding import embed
from likeness.studies import Cell, StudyConfig, cells
from likeness.studies.study import run_study
from likeness.training import run_images

BASE: dict[str, Any] = {
    "data": {"split": "images", "labels": {"kind": "pose"}, "test_images": 20, "queries": 20, "image_size": 16},
    "backbone": {"name": "test_resnet", "weights": "none", "dim": 4},
    "objective": {"name": "log-ratio"},
    "batch": {"size": 8, "nearest": 2, "drawn": 2, "anchors": "all"},
    "epochs": 1,
    "device": "cpu",
}
ROWS: dict[str, dict[str, Any]] = {
    "Raw encoder": {"epochs": 0, "backbone.dim": None},
    "L(Triplet)+M(Binary)": {"objective.name": "binary-triplet", "batch.pool": 5},
    "L(Log-ratio)+M(Dense)": {},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    """A study of 30 gray pictures, labeled by a point."""
    folder, rng = tmp_path_factory.mktemp("spots"), np.random.default_rng(0)
    for number in range(30):
        Image.fromarray(rng.integers(0, 255, (16, 16, 3), dtype=np.uint8)).save(folder / f"{number:02d}.png")
    places = rng.uniform(0, 16, (30, 2)).round(2)
    frame = pd.DataFrame({"path": [f"{number:02d}.png" for number in range(30)], "spot_x": places[:, 0], "spot_y": places[:, 1]})
    frame.to_csv(folder / "spots.csv", index=False)
    found = cells(StudyConfig(base=BASE, rows=ROWS, seeds=(0, 1)), folder / "runs", {"data.source": str(folder / "spots.csv")})
    run_study(found)
    return found


def test_each_space_lists_its_nearest_images_beside_the_oracle(runs: list[Cell]) -> None:
    found, images = retrieved(runs, k=3), run_images(runs[0].config.data, 0)
    assert images.distances is not None
    order, ideal = by_rarity(images, 3)
    apart = images.distances.between(images.queries, images.gallery).astype(float)
    np.fill_diagonal(apart, np.inf)
    means = np.sort(apart, axis=1)[:, :3].mean(axis=1)
    assert (np.diff(means[order]) >= 0).all()
    assert list(dict.fromkeys(found["method"])) == ["Query", *PICTURED, "Oracle"]
    names = images.table.frame["path"].to_numpy()
    tests = embed(images.table, f"run:{next(cell for cell in runs if cell.row == PICTURED[2]).folder}").vectors
    for query, share in QUERIES.items():
        own = {str(method): lines for method, lines in found[found["query"] == query].groupby("method")}
        place = order[int(share * 20)]
        row = images.queries[place]
        assert own["Query"][["rank", "path", "label_distance"]].to_numpy().tolist() == [[0, names[row], 0]]
        assert own["Oracle"]["path"].tolist() == names[ideal[place]].tolist()
        assert own["Oracle"]["label_distance"].mean() == pytest.approx(means[place])
        others = images.gallery[images.gallery != row]
        nearest = others[np.argsort(np.linalg.norm(tests[others] - tests[row], axis=1))[:3]]
        assert own[PICTURED[2]]["path"].tolist() == names[nearest].tolist()
        assert own[PICTURED[2]]["rank"].tolist() == [1, 2, 3]
        assert (found["words"] == "").all()


def test_rare_queries_are_the_tenth_whose_nearest_images_lie_farthest_and_all_have_the_figure_of_the_run(runs: list[Cell]) -> None:
    found = rare_queries(runs)
    assert found.groupby(["row", "queries"]).size().unstack().loc[PICTURED[2]].tolist() == [2, 2]
    for cell in runs:
        own = found[(found["row"] == cell.row) & (found["seed"] == cell.seed)].set_index("queries")
        figures = pd.read_parquet(cell.folder / "queries.parquet")[f"last {SCORE}"]
        assert own.loc["all", SCORE] == pytest.approx(figures.mean())
        assert own["step"].tolist() == [int(cell.row != "Raw encoder")] * 2
    images = run_images(runs[0].config.data, 0)
    assert images.distances is not None
    rarest = by_rarity(images, 10)[0][-2:]
    last = pd.read_parquet(runs[-1].folder / "queries.parquet").set_index("row").loc[images.queries[rarest], f"last {SCORE}"]
    assert found.iloc[-1][SCORE] == pytest.approx(last.mean())
    assert found.iloc[-1]["chance"] == pytest.approx(images.distances.between(images.queries[rarest], images.gallery).mean())


def test_shared_words_stand_in_two_captions_of_both() -> None:
    captions = [["A dog runs", "the dog on grass", "grass"], ["dog, grass", "a DOG", "sky"], ["a lone dog"]]
    assert shared_words(captions, 0) == "dog grass"
    assert shared_words(captions, 0, 1) == "dog"
    assert shared_words(captions, 2) == "dog lone"
    assert shared_words(captions, 2, 1) == "dog"


def test_people_describe_the_photos_whose_sentences_are_shown(tmp_path: Path) -> None:
    paths = read_results("captioning-sentences")["path"].unique()[:: photo_retrieval.SHOWN]
    for path in paths:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / path)
    frame = pd.DataFrame({"path": np.repeat(paths, 2), "caption": ["a red dog", "the dog"] * len(paths)})
    frame.to_csv(tmp_path / "captions.csv", index=False)
    found = described(str(tmp_path / "captions.csv"))
    assert found["path"].tolist() == list(paths)
    assert set(found["words"]) == {"dog"}


def test_shipped_lists_have_five_images_of_each_space_and_no_picture_twice() -> None:
    found = read_results("photo-retrieval").query("study != 'sentences'")
    assert "lsp-pose-whole" in set(found["study"])
    for _, own in found.groupby(["study", "query"]):
        assert own.groupby("method").size().to_dict() == {"Query": 1, "Oracle": 5} | dict.fromkeys(PICTURED, 5)
        for _, listed in own.groupby("method"):
            assert listed["path"].is_unique
        oracle = own.query("method == 'Oracle'")["label_distance"].sum()
        assert (own.query("method in @PICTURED").groupby("method")["label_distance"].sum() >= oracle).all()
