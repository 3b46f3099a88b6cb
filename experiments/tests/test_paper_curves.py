"""Curves of the paper on photos: what is drawn anew for each seed, and how many directions the prompts have."""

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.figures import paper_curves
from experiments.results import FOLDER, read_results
from likeness.notions import Notion

WORDS = [f"w{number}" for number in range(12)]


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> lk.Space:
    """Images of twelve things; texts lie where the images do, those of other words elsewhere."""
    monkeypatch.setattr(paper_curves, "_SIZES", (2, 4))
    monkeypatch.setattr(paper_curves, "_COUNTS", (4, 8))
    monkeypatch.setattr(paper_curves, "_ADAM", (2,))
    places = np.random.default_rng(0).normal(size=(12, 16))
    vectors = np.repeat(places, 4, axis=0) + 0.5 * np.random.default_rng(1).normal(size=(48, 16))

    def texts(prompts: list[str]) -> np.ndarray:
        known = [
            places[WORDS.index(word)] if (word := text.split()[-1]) in WORDS else np.random.default_rng(len(text)).normal(size=16) for text in prompts
        ]
        rows = np.array(known)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    return lk.Space(vectors, labels={"class": np.repeat(WORDS, 4)}, embed_texts=texts)


def test_what_is_drawn_has_five_runs_and_the_minimum_one(space: lk.Space) -> None:
    notion = Notion("things", "a photo of a {}", WORDS, attribute="class")
    sizes = paper_curves.curve(space, notion, "sizes")
    assert set(sizes["rank"]) == {12}
    counts = sizes.groupby(["method", "dim"]).size().unstack()
    assert counts.loc["exact"].dropna().tolist() == counts.loc["pca"].dropna().tolist() == [1, 1]
    assert counts.loc["other-words"].dropna().tolist() == counts.loc["random-transform"].dropna().tolist() == [5, 5]
    assert counts.loc["adam", 2] == 5
    prompts = paper_curves.curve(space, notion, "prompts")
    assert prompts.groupby(["method", "prompts"]).size().loc["exact"].to_dict() == {4: 5, 8: 5}
    assert set(prompts.loc[prompts["method"] == "suggested", "rank"]) == {4, 8}


@pytest.mark.parametrize("images", [each for each in paper_curves.IMAGES if (FOLDER / f"{each}-sizes.csv").is_file()])
def test_shipped_curves_leave_directions_out(images: str) -> None:
    """To 128 dimensions PCA and InDiReCT choose: the prompts have more directions, and each sample as many as prompts."""
    sizes, prompts = (read_results(f"{images}-{part}") for part in paper_curves.PARTS)
    assert (sizes["rank"] > 128).all()
    assert sizes.query("method == 'pca' and dim == 128")["map_at_r"].notna().all()
    drawn = prompts[(prompts["prompts"] > 0) & prompts["map_at_r"].notna()]
    pd.testing.assert_series_equal(drawn["rank"], drawn["prompts"], check_names=False)
    assert drawn.groupby(["method", "prompts"]).size().eq(5).all()
