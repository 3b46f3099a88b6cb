import sys

import numpy as np
import pytest

import likeness as lk
import worlds
from likeness.errors import InputError
from likeness.notions import InDiReCT, Notion, aspect_rows, best_aspects, division_scores, get_notion, suggest_dim
from likeness.studies import compare
from made_rows import unit

PETS = Notion("pets", ("a {}", "one {}"), ("cat", "dog", "fish"))


def _rows(n: int, seed: int) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, 8)).astype(np.float32))


@pytest.fixture
def color() -> Notion:
    """The shipped notion in three templates."""
    known = get_notion("car color")
    return Notion(known.name, ("a {} car", "a photo of a {} car", "the car is {}"), known.aspects, attribute=known.attribute)


def _by_hand(space: lk.Space, notion: Notion) -> np.ndarray:
    """(aspects, d), float32: the mean over the templates of each aspect's prompts, at unit length."""
    found = [[space.text_query(template.replace("{}", aspect))[0] for template in notion.templates] for aspect in notion.aspects]
    return unit(np.mean(found, axis=1)).astype(np.float32)


def test_several_templates_are_averaged_to_unit_rows_and_one_is_left_as_it_is() -> None:
    prompts = _rows(6, 1)
    found = aspect_rows(prompts, PETS)
    np.testing.assert_allclose(found, unit(prompts[:3] + prompts[3:]), atol=1e-6)  # all aspects in the first template, then in the next
    one = _rows(3, 2)
    assert aspect_rows(one, Notion("pets", "a {}", PETS.aspects)) is one
    np.testing.assert_array_equal(aspect_rows(np.concatenate([one, -one]), PETS), np.zeros((3, 8)))  # what cancels out is no NaN
    with pytest.raises(InputError, match="'pets' has 6 prompts, but 5 rows"):
        aspect_rows(_rows(5, 1), PETS)


def test_zero_shot_is_the_nearest_aspect_from_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    images, aspects = _rows(40, 0), _rows(3, 1)
    whole = best_aspects(images, aspects)
    assert whole.tolist() == [int(np.argmax([float(image @ aspect) for aspect in aspects])) for image in images]
    monkeypatch.setattr(sys.modules["likeness.notions.aspect_rows"], "_ROWS_AT_ONCE", 7)  # the function hides the module
    np.testing.assert_array_equal(best_aspects(images, aspects), whole)
    colors = ["red", "lime", "blue", "white", "black"]
    found, known = worlds.cars().best_aspects(Notion("color", "a {} car", colors)), worlds.cars().table.frame["car_color"]
    assert (found == known)[known.isin(colors)].mean() > 0.9


def test_a_space_reads_a_row_per_aspect(cars: lk.Space, color: Notion) -> None:
    rows, _ = cars.embed_aspects(color)
    assert len(rows) == len(color.aspects)
    np.testing.assert_allclose(rows, _by_hand(cars, color), atol=1e-6)
    single = get_notion("car color")
    np.testing.assert_array_equal(cars.embed_aspects(single)[0], cars.embed_prompts(single.prompts)[0])
    # the same prompts in other roles are another space
    stacked = Notion(color.name, "{}", color.prompts)
    assert cars.refit(color, dim=4).provenance != cars.refit(stacked, dim=4).provenance
    assert color.content != stacked.content == stacked.prompts


def test_fits_dimensions_labels_scores_and_comparisons_all_read_the_averages(cars: lk.Space, color: Notion) -> None:
    rows = _by_hand(cars, color)
    fit = cars.refit(color)
    assert fit.vectors.shape[1] == suggest_dim(rows)
    assert len(fit.estimator.angles_) == len(color.aspects)
    assert fit.estimator.fit_stats_.n_prompts == 3 * len(color.aspects)
    np.testing.assert_allclose(fit.vectors, InDiReCT(suggest_dim(rows)).fit(rows).transform(cars.vectors), atol=1e-3)
    assert (cars.best_aspects(color) == np.array(color.aspects)[(cars.vectors @ rows.T).argmax(1)]).all()
    assert division_scores(cars.vectors, [cars.embed_aspects(color)[0]]) == pytest.approx(division_scores(cars.vectors, [rows]), abs=1e-3)

    runs = compare(cars, [color], ["exact", "pca"], (4, len(color.aspects)), (0,), metrics=["map_at_r", "zero_shot"])
    exact = InDiReCT(4).fit(rows).transform(cars.vectors)
    assert runs["map_at_r"][0] == pytest.approx(lk.metrics(exact, cars.table.frame["car_color"], ["map_at_r"])["map_at_r"], abs=1e-4)
    assert runs["zero_shot"].notna()[0]
    # PCA counts rows, not prompts
    assert f"there are {len(color.aspects)};" in runs.query("method == 'pca' and dim > 4")["refused"].item()
