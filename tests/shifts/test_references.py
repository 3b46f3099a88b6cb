"""References of a distance, and few-shot episodes."""

import numpy as np
import pytest

from likeness.shifts import few_shot_episodes, frechet_distance, iid_halves, reference_distances


def test_halves_and_episodes_have_all_classes() -> None:
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(6), [2, 3, 4, 5, 6, 7]))
    first, second = iid_halves(labels, seed=1)
    assert sorted([*first, *second]) == list(range(len(labels)))
    assert np.bincount(labels[first]).tolist() == [1, 2, 2, 3, 3, 4]
    assert first.tolist() == iid_halves(labels, seed=1)[0].tolist()
    assert first.tolist() != iid_halves(labels, seed=2)[0].tolist()
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(5), [4, 5, 6, 7, 8]))
    episodes = few_shot_episodes(labels, 2, 10, seed=3)
    assert len({tuple(episode.support) for episode in episodes}) == 10
    for episode in episodes:
        assert np.bincount(labels[episode.support]).tolist() == [2] * 5
        assert sorted([*episode.support, *episode.query]) == list(range(len(labels)))
    fewer = few_shot_episodes(labels, 2, 3, seed=3)
    assert [episode.support.tolist() for episode in fewer] == [episode.support.tolist() for episode in episodes[:3]]


def test_the_same_classes_lie_nearer_than_others() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 20)
    rows = (rng.standard_normal((12, 6)) + 3 * (np.arange(12) < 6)[:, None])[labels] + 0.3 * rng.standard_normal((240, 6))
    told: list[int] = []
    found = reference_distances(rows, labels, range(6), range(6, 12), repeats=3, progress=lambda done, total: told.append(done))
    table = found.set_index(["reference", "measure"])["distance"]
    means = np.stack([rows[labels == each].mean(axis=0) for each in range(12)])
    assert table["this split", "class means"] == pytest.approx(frechet_distance(means[:6], means[6:]))
    assert table["this split", "images"] == pytest.approx(frechet_distance(rows[:120], rows[120:]))
    for measure in ("class means", "images"):
        own, random, same = (table[name, measure] for name in ("this split", "classes drawn at random", "same classes, images drawn at random"))
        assert same < random < own
    assert told == [1, 2, 3]
    of_means = reference_distances(rows, labels, range(6), range(6, 12), repeats=3, images=False)
    assert of_means["distance"].tolist() == found[found["measure"] == "class means"]["distance"].tolist()
