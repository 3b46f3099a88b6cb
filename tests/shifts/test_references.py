"""References of a distance, and few-shot episodes."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.shifts import ClassSplit, ShotEpisodes, few_shot_episodes, frechet_distance, iid_halves, published_episodes, reference_distances


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


def test_published_episodes_are_found_by_file_and_class() -> None:
    support = ((("1.jpg", "2.jpg"), ("1.jpg", "3.jpg")), (("2.jpg", "2_2.jpg"), ("4.jpg", "5.jpg")))
    episodes = (ShotEpisodes(shots=2, support=support),)
    split = ClassSplit(name="start", distance=1, train=("a", "b"), test=("d", "c"), episodes=episodes)
    images = [("c", "train/2.jpg"), ("c", "test/2.jpg"), ("c", "train/4.jpg"), ("c", "test/5.jpg"), ("d", "train/3.jpg"), ("d", "train/1.jpg")]
    images += [("d", "test/2.jpg"), ("d", "test/9.jpg")]
    names, paths = zip(*images, strict=True)
    first, second = published_episodes(split, 2, names, paths)
    assert first.support.tolist() == [0, 1, 5, 6]  # c has two 2.jpg
    assert second.support.tolist() == [2, 3, 4, 5]
    assert first.query.tolist() == [2, 3, 4, 7]
    with pytest.raises(InputError, match=r"name the image '2\.jpg' of 'd', which these images lack; use the layout"):
        published_episodes(split, 2, names[:6], paths[:6])
    with pytest.raises(InputError, match=r"has no episodes of 5 shots \(it has 2\); set few_shot.support to random"):
        published_episodes(split, 5, names, paths)


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
