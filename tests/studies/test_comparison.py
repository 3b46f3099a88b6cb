from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data import UNLABELED, ImageTable
from likeness.data.table import IMAGE_COLUMN
from likeness.errors import InputError
from likeness.evaluation import METRICS, clustering_metrics, retrieval_metrics
from likeness.notions import PCA, InDiReCT, LinearAutoencoder, Notion, Oracle, RandomEmbedding, suggest_dim, with_other_words
from likeness.notions.methods import METHODS
from likeness.space import Space
from likeness.studies import compare


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


def forbidden(*_: Any, **__: Any) -> None:
    raise AssertionError("this was not asked for")


def test_every_run_equals_fit_transform_and_metrics(base: Space, color: Notion, texts: Any) -> None:
    runs = compare(base, [color], ("random", "raw", "pca", "lae", "exact", "oracle"), dims=(2,), seeds=(3, 4))
    rows, labels = texts.vectors("made-up", color.prompts), base.table.frame["color"]
    made = {"random": RandomEmbedding, "pca": PCA, "lae": LinearAutoencoder, "exact": InDiReCT}
    for run in runs.itertuples():
        if run.method == "raw":
            codes = base.vectors
        elif run.method == "oracle":
            codes = Oracle(2, run.seed).fit(base.vectors, labels).transform(base.vectors)
        else:
            codes = made[run.method](dim=2, seed=run.seed).fit(rows).transform(base.vectors)
        expected = retrieval_metrics(codes, labels) | clustering_metrics(codes, labels, seed=run.seed)
        for metric in METRICS:
            assert getattr(run, metric) == pytest.approx(expected[metric], abs=1e-12), (run.method, metric)
        assert run.fit_seconds >= 0
        assert run.refused == ""


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


def test_one_row_per_run_in_order(base: Space, color: Notion, shape: Notion) -> None:
    runs = compare(base, [shape, color], ("raw", "pca", "exact"), dims=(2, 1), seeds=(0, 5), metrics=["mrr", "map_at_r"])
    assert list(runs.columns) == ["notion", "method", "dim", "seed", "left_out", "fit_seconds", "refused", "mrr", "map_at_r"]
    per_notion = [("raw", 24, 0), ("pca", 2, 0), ("pca", 1, 0), *[("exact", dim, seed) for dim in (2, 1) for seed in (0, 5)]]
    expected = [(notion, *run) for notion in ("car shape", "car color") for run in per_notion]
    assert list(runs[["notion", "method", "dim", "seed"]].itertuples(index=False, name=None)) == expected


def test_all_methods_and_metrics_by_default(base: Space, color: Notion) -> None:
    runs = compare(base, [color], dims=(3,), seeds=(0,))
    assert tuple(runs["method"]) == tuple(METHODS)
    assert tuple(runs.columns[7:]) == ("map_at_r", "precision_at_1", "r_precision", "ami", "nmi", "map", "mrr")
    scores = runs.set_index("method")["map_at_r"]
    refused = runs.set_index("method")["refused"]
    assert set(refused[refused != ""].index) == {"lae-code", "ae-code"}  # nobody knows how long the features of a made-up encoder are
    # what was made up so is found: color words help, labels help more, chance does not
    assert scores["random"] < scores["raw"] < scores["exact"] <= scores["oracle"]


def test_a_method_that_does_not_apply_is_a_row_with_the_reason(base: Space, color: Notion) -> None:
    runs = compare(base, [color], ("pca", "exact"), dims=(4, 30), seeds=(0,), metrics=["map_at_r", "ami"]).set_index(["method", "dim"])
    assert runs.loc[("pca", 4), "refused"].startswith("PCA to 4 dimensions needs more than 4 prompts, but there are 4")
    assert runs.loc[("exact", 4), "refused"] == ""
    assert runs.loc[("exact", 30), "refused"].startswith("dim is 30, but the encoder has 24 dimensions")
    refused = runs[runs["refused"] != ""]
    assert len(refused) == 3
    assert refused[["map_at_r", "ami", "fit_seconds"]].isna().all(axis=None)
    assert runs.loc[("exact", 4), ["map_at_r", "ami"]].notna().all()


def test_a_method_of_ones_own(base: Space, color: Notion, shape: Notion, texts: Any) -> None:
    runs = compare(base, [color, shape], [("halves", Halves), "raw"], dims=(6,), seeds=(0, 1), metrics=["map_at_r"])
    mine = runs[runs["method"] == "halves"].set_index(["notion", "seed"])
    codes = Halves(6, 0).fit(texts.vectors("made-up", color.prompts)).transform(base.vectors)
    assert mine.loc[("car color", 0), "map_at_r"] == pytest.approx(retrieval_metrics(codes, base.table.frame["color"])["map_at_r"])
    assert set(mine.loc["car shape", "refused"]) == {"Halves need 4 prompts, but there are 3."}


def test_suggested_is_a_number_of_each_notion_and_no_run_is_double(base: Space, color: Notion, shades: Notion, texts: Any) -> None:
    suggested = {notion.name: suggest_dim(texts.vectors("made-up", notion.prompts)) for notion in (color, shades)}
    runs = compare(base, [color, shades], ("exact",), dims=("suggested", suggested["car color"]), seeds=(0,), metrics=["map"])
    sizes = runs.groupby("notion", sort=False)["dim"].agg(list).to_dict()
    assert suggested["car color"] != suggested["shades"]
    assert sizes == {"car color": [suggested["car color"]], "shades": [suggested["shades"], suggested["car color"]]}


def test_texts_are_looked_up_once_per_notion_and_only_if_read(base: Space, color: Notion, shape: Notion, texts: Any) -> None:
    compare(base, [color, shape], ("pca", "exact"), dims=(2, 3), seeds=(0, 1), metrics=["map"])
    assert texts.calls == [("made-up", tuple(color.prompts)), ("made-up", tuple(shape.prompts))]
    texts.calls.clear()
    compare(base, [color], ("random", "raw", "random-transform", "oracle"), dims=(2,), seeds=(0,), metrics=["map"])
    assert texts.calls == []


def test_only_what_the_metrics_need_is_computed(base: Space, color: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("likeness.evaluation.clustering.clustering_metrics", forbidden)
        compare(base, [color], ("raw",), metrics=["map_at_r", "mrr"])
    monkeypatch.setattr("likeness.evaluation.retrieval.retrieval_metrics", forbidden)
    assert compare(base, [color], ("raw",), metrics=["nmi"]).loc[0, "nmi"] > 0


def test_euclidean_ranking_is_that_of_the_rows_as_they_are(base: Space, color: Notion, texts: Any) -> None:
    cosine, euclidean = (
        compare(base, [color], ("raw", "pca"), (2,), (0,), metrics=["map_at_r", "nmi"], ranking=ranking).set_index("method")
        for ranking in ("cosine", "euclidean")
    )
    codes = PCA(2).fit(texts.vectors("made-up", color.prompts)).transform(base.vectors)
    labels = base.table.frame["color"]
    assert euclidean.loc["pca", "map_at_r"] == pytest.approx(retrieval_metrics(codes, labels, metric="euclidean")["map_at_r"])
    assert euclidean.loc["pca", "nmi"] == pytest.approx(clustering_metrics(codes, labels, metric="euclidean")["nmi"])
    assert abs(euclidean.loc["pca", "map_at_r"] - cosine.loc["pca", "map_at_r"]) > 0.01
    assert euclidean.loc["raw", "map_at_r"] == pytest.approx(cosine.loc["raw", "map_at_r"], abs=1e-6)


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
    with pytest.raises(InputError, match="No image has a label of 'color', by which 'car color' is judged; choose other images"):
        compare(base.replace(images=ImageTable("none", base.table.root, frame.assign(color=UNLABELED))), [color], ("raw",))


def test_the_control_is_indirect_on_other_words_of_each_seed(base: Space, color: Notion, texts: Any) -> None:
    runs = compare(base, [color], ("exact", "other-words"), dims=(2,), seeds=(0, 7), metrics=["map_at_r"]).set_index(["method", "seed"])
    for seed in (0, 7):
        rows = texts.vectors("made-up", with_other_words(color, seed).prompts)
        codes = InDiReCT(2, seed=seed).fit(rows).transform(base.vectors)
        expected = retrieval_metrics(codes, base.table.frame["color"])["map_at_r"]
        assert runs.loc[("other-words", seed), "map_at_r"] == pytest.approx(expected)
        # what was made up so: only the words of the colors find them
        assert expected < runs.loc[("exact", seed), "map_at_r"]


def test_zero_shot_is_how_often_the_nearest_aspect_is_the_label(base: Space, color: Notion, texts: Any) -> None:
    shouted = replace(color, name="shouted", template=("a {} car", "{}"), aspects=tuple(aspect.upper() for aspect in color.aspects))
    runs = compare(base, [color, shouted], ("raw", "pca", "random"), dims=(2,), seeds=(0,), metrics=["zero_shot", "map"])
    assert list(runs.columns[-2:]) == ["zero_shot", "map"]
    labels = list(base.table.frame["color"])
    found = runs.set_index(["notion", "method"])["zero_shot"]
    prompts = texts.vectors("made-up", color.prompts)
    pca = PCA(2).fit(prompts)
    for method, images, rows in (("raw", base.vectors, prompts), ("pca", pca.transform(base.vectors), pca.transform(prompts))):
        right = 0
        for image, label in zip(images, labels, strict=True):
            cosines = [float(image @ row / np.linalg.norm(row)) for row in rows]
            right += color.aspects[int(np.argmax(cosines))] == label
        assert found["car color", method] == pytest.approx(right / len(labels))
    assert found["car color", "raw"] > 0.5
    assert found["car color", "random"] < 0.5
    assert 0 <= found["shouted", "raw"] <= 1  # labels are met in any case of letters


def test_zero_shot_needs_aspects_that_are_labels(base: Space, color: Notion) -> None:
    runs = compare(base, [replace(color, aspects=("crimson", "navy"))], ("raw",), metrics=["zero_shot"])
    assert np.isnan(runs["zero_shot"][0])
    with pytest.raises(InputError, match="The metric 'zero_shot' needs a notion's aspects"):
        base.metrics(by="color", include=["zero_shot"])


def test_an_encoder_without_texts_still_has_what_needs_none(base: Space, color: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_text(*_: Any) -> None:
        raise InputError("The encoder 'timm' has no text side; choose a CLIP model.")

    monkeypatch.setattr("likeness.encoders.embed_texts", no_text)
    silent = Space(base.vectors, base.table, name="Raw encoder", encoder="timm")
    runs = compare(silent, [color], ("random", "raw", "random-transform", "oracle"), dims=(2,), seeds=(0,), metrics=["map"])
    assert (runs["refused"] == "").all()
    with pytest.raises(InputError, match="has no text side"):
        compare(silent, [color], ("exact",), dims=(2,))


def test_the_authors_protocol_reads_features_in_their_lengths_and_ranks_by_distance(base: Space, color: Notion, texts: Any) -> None:
    lengths = np.random.default_rng(5).uniform(1, 20, len(base)).astype(np.float32)
    base.lengths = lengths  # type: ignore[misc]
    runs = compare(base, [color], ("lae", "lae-code"), dims=(3,), seeds=(2,), metrics=["map_at_r", "zero_shot"]).set_index("method")
    rows, labels = texts.vectors("made-up", color.prompts), base.table.frame["color"]
    fitted = LinearAutoencoder(3, 2, normalize=False).fit(rows)
    codes = fitted.transform(base.vectors * lengths[:, None])
    expected = retrieval_metrics(codes, labels, metric="euclidean")["map_at_r"]
    assert runs.loc["lae-code", "map_at_r"] == pytest.approx(expected, abs=1e-9)
    assert runs.loc["lae-code", "map_at_r"] != runs.loc["lae", "map_at_r"]
    places = codes @ fitted.transform(rows).T / np.linalg.norm(fitted.transform(rows), axis=1)
    assert runs.loc["lae-code", "zero_shot"] == pytest.approx((np.array(color.aspects)[places.argmax(axis=1)] == labels).mean(), abs=1e-9)


def test_without_lengths_the_authors_protocol_is_refused_and_others_go_on(base: Space, color: Notion) -> None:
    runs = compare(base.replace(encoder=None), [color], ("raw", "ae-code"), dims=(3,), seeds=(0,), metrics=["map_at_r"]).set_index("method")
    assert runs.loc["raw", "refused"] == ""
    assert "what made them is not at hand" in runs.loc["ae-code", "refused"]
    assert np.isnan(runs.loc["ae-code", "map_at_r"])


def test_a_space_of_unit_vectors_refuses_the_authors_protocol(base: Space, color: Notion) -> None:
    with pytest.raises(InputError, match="The method 'ae-code' reads features of any length, and a space keeps unit vectors"):
        base.refit(color, "ae-code", dim=2)
