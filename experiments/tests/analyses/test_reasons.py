import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.reasons import ALL, OTHERS, RAW, TRUSTED, TURNED, count_statements, reasons_page, reasons_summary, reasons_table
from likeness.defaults import DATASET
from likeness.notions import get_notion


def test_statements_are_counted_by_hand() -> None:
    labels = pd.Series(["red", "red", "blue", "blue", None])
    shown = np.array([0, 0, 0, -1, 1])  # red, red, red, nothing, blue
    one, other = np.array([0, 0, 1, 2, 3, 0]), np.array([1, 2, 2, 3, 0, 4])
    found = count_statements(shown, ["red", "blue"], labels, one, other)
    assert found == {
        "judged": 5, "alike": 2, "same": 3, "same_true": 1, "same_named": 1, "other": 0, "other_true": 0, "other_named": 0,
    }  # fmt: skip
    assert count_statements(np.array([0, 0, 1, 1, 1]), ["red", "green"], labels, one, other) == {
        "judged": 5, "alike": 2, "same": 2, "same_true": 2, "same_named": 1, "other": 3, "other_true": 3, "other_named": 0,
    }  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    base = lk.embed(lk.read(DATASET), "cars")
    return reasons_table(base, [get_notion("car color"), get_notion("car model")], seeds=range(2), grid=(0.9, 0.999))


def test_reasons_on_the_cars_are_true_and_words_without_a_meaning_are_not(runs: pd.DataFrame) -> None:
    table = reasons_summary(runs).set_index(["method", "certain", "pairs"])
    true = table["true"].str.split(" ").str[0].replace("-", np.nan).astype(float)
    for pairs in ("random", "nearest"):
        assert true[TRUSTED, 0.999, pairs] >= 0.99
        assert true[TRUSTED, 0.999, pairs] >= true[RAW, 0.0, pairs]
    assert true[OTHERS, 0.999, "nearest"] < 0.8
    said = table["said"].str.split(" ").str[0].astype(float)
    assert said[TURNED, 0.999, "nearest"] < 0.1 < said[TRUSTED, 0.999, "nearest"] <= said[TRUSTED, 0.9, "nearest"] <= said[RAW, 0.0, "nearest"] == 1
    assert said[ALL, 0.999, "random"] >= said[TRUSTED, 0.999, "random"]


def test_the_page_has_a_row_per_images_and_method(runs: pd.DataFrame) -> None:
    two = pd.concat([runs.assign(images=f"photos {number}", use="chosen on") for number in (0, 1)])
    tables = reasons_page(two)
    assert tables["reasons"]["method"].tolist() == [RAW, TRUSTED, ALL, TURNED, OTHERS]
    assert set(tables["reasons"]["images"]) == {"photos"}
    assert tables["reasons grid"]["certain"].tolist() == [0.9, 0.999]
    assert set(tables["reasons of notions"]["notion"]) == {"car color", "car model"}
    assert tables["reasons by nouns"].empty
