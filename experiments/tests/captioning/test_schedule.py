"""Steps, epochs, batches and draws as functions of seed and step."""

import numpy as np
import pytest

from experiments.captioning.schedule import Stage, drawn_sentences, rate, sampling_chance


def stage(seed: int = 0, name: str = "xe", first: int = 0) -> Stage:
    return Stage(name, first, 3, 4, np.arange(100, 110), seed)


def test_every_image_once_in_an_epoch_and_in_another_order_in_the_next() -> None:
    own = stage()
    assert (own.epoch_steps, own.last) == (3, 9)
    epochs = [np.concatenate([own.images(step) for step in range(3 * e, 3 * e + 3)]) for e in range(3)]
    for epoch in epochs:
        assert sorted(epoch) == list(range(100, 110))
    assert not np.array_equal(epochs[0], epochs[1])
    assert [own.epoch(step) for step in (0, 2, 3, 8)] == [0, 0, 1, 2]
    assert [own.ends_epoch(step) for step in range(4)] == [False, False, True, False]
    assert np.array_equal(stage().images(5), own.images(5))
    assert not np.array_equal(stage(seed=1).images(5), own.images(5))


def test_stages_draw_apart_and_count_from_their_first_step() -> None:
    other = stage(name="rl", first=9)
    assert (other.last, other.epoch(9), other.epoch(12)) == (18, 0, 1)
    assert stage().torch_seed(3) != other.torch_seed(3) != other.torch_seed(4)
    assert stage().draws(3).random() == stage().draws(3).random() != other.draws(3).random()
    assert not np.array_equal(other.images(9), stage().images(0))


def test_rates_chances_and_drawn_sentences() -> None:
    assert [rate(1.0, 0.5, 2, epoch) for epoch in range(5)] == [1, 1, 0.5, 0.5, 0.25]
    assert [sampling_chance(0.12, 5, epoch) for epoch in (0, 4, 5, 10, 15)] == pytest.approx([0, 0, 0.05, 0.1, 0.12])
    assert sampling_chance(0.0, 5, 50) == 0
    rng = np.random.default_rng(0)
    assert sorted(drawn_sentences(5, 5, rng)) == [0, 1, 2, 3, 4]
    assert len(set(drawn_sentences(5, 3, rng))) == 3
    counts = np.bincount(drawn_sentences(2, 5, rng), minlength=2)
    assert sorted(counts) == [2, 3]
