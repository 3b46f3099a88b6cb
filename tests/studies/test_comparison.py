from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

import worlds
from likeness.data import UNLABELED, ImageTable
from likeness.data.table import IMAGE_COLUMN
from likeness.errors import InputError
from likeness.evaluation import METRICS, clustering_metrics, retrieval_metrics
from likeness.notions import PCA, InDiReCT, LinearAutoencoder, Notion, Oracle, RandomEmbedding, get_notion, suggest_dim, with_other_words
from likeness.notions.methods import METHODS
from likeness.space import Space
from likeness.studies import compare, compare_in_parallel
from made_rows import unit


class Halves:
    """A method of one's own: the first dimensions of the mean-free images, refused where there are too few prompts."""

    def __init__(self, dim: int, seed: int) -> None:
        self.dim, self.seed = dim, seed

    def fit(self, text: np.ndarray) -> "Halves":
        if len(text) < 4:
            raise InputError(f"Halves need 4 prompts, but there are {len(text)}.")
        self.mean = text.mean(axis=0)
        return self

    def transform(self, images: np.ndarray) -> np.ndarray:
        return (images - self.mean)[:, : self.dim] * (1 + self.seed)


@pytest.mark.parametrize("ranking", ["cosine", "euclidean"])
def test_every_run_equals_fit_transform_and_metrics(base: Space, color: Notion, texts: Any, ranking: Any) -> None:
    methods = ("random", "raw", "pca", "lae", "exact", "other-words", "oracle")
    runs = compare(base, [color], methods, dims=(2,), seeds=(3, 4), ranking=ranking)
    rows, labels = texts.vectors("made-up", color.prompts), base.table.frame["color"]
    made = {"random": RandomEmbedding, "pca": PCA, "lae": LinearAutoencoder, "exact": InDiReCT}
    for run in runs.itertuples():
        if run.method == "raw":
            codes = base.vectors
        elif run.method == "oracle":
            codes = Oracle(2, run.seed).fit(base.vectors, labels).transform(base.vectors)
        elif run.method == "other-words":
            other = texts.vectors("made-up", with_other_words(color, run.seed).prompts)
            codes = InDiReCT(2, seed=run.seed).fit(other).transform(base.vectors)
        else:
            codes = made[run.method](dim=2, seed=run.seed).fit(rows).transform(base.vectors)
        expected = retrieval_metrics(codes, labels, metric=ranking) | clustering_metrics(codes, labels, seed=run.seed, metric=ranking)
        for metric in METRICS:
            assert getattr(run, metric) == pytest.approx(expected[metric], abs=1e-12), (run.method, metric)
        assert run.fit_seconds >= 0
        assert run.refused == ""
    scores = runs.groupby("method")["map_at_r"].max()
    assert scores["other-words"] < scores["exact"]  # what was made up so: only the words of the colors find them
    cosine = compare(base, [color], ("raw", "pca"), (2,), (0,), metrics=["map_at_r"]).set_index("method")["map_at_r"]
    assert (abs(scores["pca"] - cosine["pca"]) > 0.01) == (ranking == "euclidean")
    assert scores["raw"] == pytest.approx(cosine["raw"], abs=1e-6)


def test_rows_of_one_image_do_not_find_each_other(base: Space, color: Notion) -> None:
    names = base.table.frame["path"].astype(str)
    frame = pd.concat([base.table.frame.assign(box=box, **{IMAGE_COLUMN: names}) for box in (1, 2)], ignore_index=True)
    frame["path"] = [f"{box}/{name}" for box in (1, 2) for name in names]
    twice = base.replace(vectors=np.vstack([base.vectors] * 2), images=replace(base.table, frame=frame), index=None, provenance="")
    expected, found = (compare(each, [color], ("raw", "exact", "probabilities"), dims=(2,), seeds=(0,)) for each in (base, twice))
    pd.testing.assert_frame_equal(found.drop(columns="fit_seconds"), expected.drop(columns="fit_seconds"))
    labels = frame[color.attribute].astype(object)
    labels[0] = labels[labels != labels[0]].iloc[0]  # one image is called two things
    differing = twice.replace(images=replace(twice.table, frame=frame.assign(**{str(color.attribute): labels})))
    assert compare(differing, [color], ("raw",), dims=(2,), seeds=(0,), metrics=["mrr"])["left_out"].tolist() == [1]


def test_one_row_per_run_in_order_and_all_methods_and_metrics_by_default(base: Space, color: Notion, shape: Notion) -> None:
    runs = compare(base, [shape, color], ("raw", "pca", "exact"), dims=(2, 1), seeds=(0, 5), metrics=["mrr", "map_at_r"])
    assert list(runs.columns) == ["notion", "method", "dim", "seed", "left_out", "fit_seconds", "refused", "mrr", "map_at_r"]
    per_notion = [("raw", 24, 0), ("pca", 2, 0), ("pca", 1, 0), *[("exact", dim, seed) for dim in (2, 1) for seed in (0, 5)]]
    expected = [(notion, *run) for notion in ("car shape", "car color") for run in per_notion]
    assert list(runs[["notion", "method", "dim", "seed"]].itertuples(index=False, name=None)) == expected
    every = compare(base, [color], dims=(3,), seeds=(0,)).set_index("method")
    assert tuple(every.index) == tuple(METHODS)
    assert tuple(every.columns[6:]) == ("map_at_r", "precision_at_1", "r_precision", "ami", "nmi", "map", "mrr")
    scores, refused = every["map_at_r"], every["refused"]
    assert set(refused[refused != ""].index) == {
        "raw-code",
        "pca-code",
        "lae-code",
        "ae-code",
    }  # nobody knows how long the features of a made-up encoder are
    # what was made up so is found: color words help, labels help more, chance does not
    assert scores["random"] < scores["raw"] < scores["exact"] <= scores["oracle"]


def test_what_does_not_apply_is_a_row_with_the_reason_and_the_rest_goes_on(base: Space, color: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = compare(base, [color], ("raw", "pca", "exact"), dims=(4, 24, 30), seeds=(0,), metrics=["map_at_r", "ami"]).set_index(["method", "dim"])
    assert runs.loc[("pca", 4), "refused"].startswith("PCA to 4 dimensions needs more than 4 prompts, but there are 4;")
    assert runs.loc[("exact", 30), "refused"] == "dim is 30, but the encoder has 24 dimensions; choose a whole number from 1 to 24."
    refused = runs[runs["refused"] != ""]
    assert len(refused) == 4  # of PCA all, of the others what is too large; nothing is clipped
    assert refused[["map_at_r", "ami", "fit_seconds"]].isna().all(axis=None)
    assert runs.loc[runs["refused"] == "", ["map_at_r", "ami"]].notna().all(axis=None)

    unknown = compare(base.replace(encoder=None), [color], ("raw", "ae-code"), dims=(3,), seeds=(0,), metrics=["map_at_r"]).set_index("method")
    assert unknown.loc["raw", "refused"] == ""
    assert "no encoder" in unknown.loc["ae-code", "refused"]
    assert np.isnan(unknown.loc["ae-code", "map_at_r"])
    with pytest.raises(InputError, match="The method 'ae-code' needs features of any length, but a space has unit vectors"):
        base.refit(color, "ae-code", dim=2)

    no_text = InputError("The encoder 'timm' has no text side; choose a CLIP model.")
    monkeypatch.setattr("likeness.space.embed_texts", MagicMock(side_effect=no_text))
    silent = Space(base.vectors, base.table, name="Raw encoder", encoder="timm", embed_texts=None, embed_images=None)
    runs = compare(silent, [color], ("random", "raw", "random-transform", "oracle"), dims=(2,), seeds=(0,), metrics=["map"])
    assert (runs["refused"] == "").all()
    with pytest.raises(InputError, match="has no text side"):
        compare(silent, [color], ("exact",), dims=(2,))


def test_a_method_of_ones_own_and_a_suggested_number_of_each_notion(base: Space, color: Notion, shape: Notion, shades: Notion, texts: Any) -> None:
    runs = compare(base, [color, shape], [("halves", Halves), "raw"], dims=(6,), seeds=(0, 1), metrics=["map_at_r"])
    mine = runs[runs["method"] == "halves"].set_index(["notion", "seed"])
    codes = Halves(6, 0).fit(texts.vectors("made-up", color.prompts)).transform(base.vectors)
    assert mine.loc[("car color", 0), "map_at_r"] == pytest.approx(retrieval_metrics(codes, base.table.frame["color"])["map_at_r"])
    assert set(mine.loc["car shape", "refused"]) == {"Halves need 4 prompts, but there are 3."}
    first, other = (suggest_dim(texts.vectors("made-up", notion.prompts)) for notion in (color, shades))
    runs = compare(base, [color, shades], ("exact",), dims=("suggested", first), seeds=(0,), metrics=["map"])
    assert first != other
    assert runs.groupby("notion", sort=False)["dim"].agg(list).to_dict() == {"car color": [first], "shades": [other, first]}  # no run is double


def test_texts_are_looked_up_once_per_notion_and_what_nothing_reads_is_not_computed(
    base: Space, color: Notion, shape: Notion, texts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(base, [color, shape], ("pca", "exact"), dims=(2, 3), seeds=(0, 1), metrics=["map"])
    assert texts.calls == [("made-up", tuple(color.prompts)), ("made-up", tuple(shape.prompts))]
    texts.calls.clear()
    compare(base, [color], ("random", "raw", "random-transform", "oracle"), dims=(2,), seeds=(0,), metrics=["map"])
    assert texts.calls == []
    with monkeypatch.context() as patch:
        patch.setattr("likeness.evaluation.definitions.clustering_metrics", None)
        compare(base, [color], ("raw",), metrics=["map_at_r", "mrr"])
    monkeypatch.setattr("likeness.evaluation.definitions.retrieval_metrics", None)
    assert compare(base, [color], ("raw",), metrics=["nmi"]).loc[0, "nmi"] > 0


def test_images_without_a_label_neither_search_nor_are_found(base: Space, color: Notion) -> None:
    frame = base.table.frame.copy()
    frame.loc[::5, "color"] = UNLABELED
    frame.loc[1::5, "color"] = None
    left = frame["color"].notna() & (frame["color"] != UNLABELED)
    partly = base.replace(images=ImageTable("made-up cars", base.table.root, frame))
    labeled = base.replace(vectors=base.vectors[left.to_numpy()], images=ImageTable("made-up cars", base.table.root, frame[left]))
    ours, expected = (
        compare(space, [color], ("raw", "exact", "oracle"), (2,), (0,), metrics=["map_at_r", "nmi", "zero_shot"]).drop(columns="fit_seconds")
        for space in (partly, labeled)
    )
    pd.testing.assert_frame_equal(ours.drop(columns="left_out"), expected.drop(columns="left_out"))
    assert set(ours["left_out"]) == {int((~left).sum())}
    assert set(expected["left_out"]) == {0}
    with pytest.raises(InputError, match="No image has a label of 'color', which 'car color' needs; choose other images"):
        compare(base.replace(images=ImageTable("none", base.table.root, frame.assign(color=UNLABELED))), [color], ("raw",))


def test_zero_shot_is_how_often_the_nearest_aspect_is_the_label(base: Space, color: Notion, texts: Any) -> None:
    shouted = replace(color, name="shouted", template=("a {} car", "{}"), aspects=tuple(aspect.upper() for aspect in color.aspects))
    none = replace(color, name="none", aspects=("crimson", "navy", "lime"))
    runs = compare(base, [color, shouted, none], ("raw", "pca", "random"), dims=(2,), seeds=(0,), metrics=["zero_shot", "map"])
    assert list(runs.columns[-2:]) == ["zero_shot", "map"]
    found, prompts = runs.set_index(["notion", "method"])["zero_shot"], texts.vectors("made-up", color.prompts)
    pca = PCA(2).fit(prompts)
    for method, images, rows in (("raw", base.vectors, prompts), ("pca", pca.transform(base.vectors), pca.transform(prompts))):
        nearest = (images @ unit(rows).T).argmax(axis=1)
        assert found["car color", method] == pytest.approx((np.array(color.aspects)[nearest] == base.table.frame["color"]).mean())
    assert found["car color", "raw"] > 0.5 > found["car color", "random"]
    assert 0 <= found["shouted", "raw"] <= 1  # labels are met in any case of letters
    assert np.isnan(found["none", "raw"])
    with pytest.raises(InputError, match="The metric 'zero_shot' needs a notion's aspects"):
        base.metrics(by="color", include=["zero_shot"])


def test_the_authors_protocol_reads_features_in_their_lengths_and_ranks_by_distance(base: Space, color: Notion, texts: Any) -> None:
    lengths = np.random.default_rng(5).uniform(1, 20, len(base)).astype(np.float32)
    base.lengths = lengths  # type: ignore[misc]
    methods = ("raw-code", "pca-code", "lae", "lae-code")
    runs = compare(base, [color], methods, dims=(3,), seeds=(2,), metrics=["map_at_r", "zero_shot"]).set_index("method")
    rows, labels = texts.vectors("made-up", color.prompts), base.table.frame["color"]
    fitted = LinearAutoencoder(3, 2, normalize=False).fit(rows)
    features = base.vectors * lengths[:, None]
    for name, rows_by_code in (("raw-code", features), ("pca-code", features @ PCA(3).fit(rows).U)):  # the mean moves all images alike
        by_distance = retrieval_metrics(rows_by_code, labels, metric="euclidean")["map_at_r"]
        assert runs.loc[name, "map_at_r"] == pytest.approx(by_distance, abs=1e-9)
    codes = fitted.transform(features)
    expected = retrieval_metrics(codes, labels, metric="euclidean")["map_at_r"]
    assert runs.loc["lae-code", "map_at_r"] == pytest.approx(expected, abs=1e-9)
    assert runs.loc["lae-code", "map_at_r"] != runs.loc["lae", "map_at_r"]
    places = codes @ unit(fitted.transform(rows)).T
    assert runs.loc["lae-code", "zero_shot"] == pytest.approx((np.array(color.aspects)[places.argmax(axis=1)] == labels).mean(), abs=1e-9)


@pytest.mark.long
def test_rows_of_several_processes_are_those_of_compare() -> None:
    shipped, notions = worlds.cars(), [get_notion("distance"), get_notion("car-color")]
    # pca is refused for the distance, which has few prompts
    given, options = (("exact", "raw", "pca", "random"), (8, "suggested", 3), (5, 0)), {"metrics": ("map_at_r", "precision_at_1")}
    done: list[tuple[int, int]] = []
    parallel = compare_in_parallel(shipped, notions, *given, workers=2, progress=lambda *step: done.append(step), **options)
    serial = compare(shipped, notions, *given, **options)
    assert (serial["refused"] != "").any()
    pd.testing.assert_frame_equal(parallel.drop(columns="fit_seconds"), serial.drop(columns="fit_seconds"), atol=1e-6, rtol=0)
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_compare_refuses_is_refused_before_any_process_starts(base: Space, color: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joblib.Parallel", None)
    with pytest.raises(InputError, match="There is no metric 'speed'"):
        compare_in_parallel(base, [color], metrics=["speed"])
