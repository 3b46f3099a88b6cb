"""The papers' tables: as printed, consistent in themselves, and comparable with ours."""

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.notions.methods import METHOD_TITLES
from likeness.studies import order_differences, published, side_by_side

KEYS = ["notion", "metric", "method"]


def results(rows: list[tuple[str, float, float]], notion: str = "n") -> pd.DataFrame:
    return pd.DataFrame([{"notion": notion, "metric": "map_at_r", "method": m, "mean": mean, "std": std} for m, mean, std in rows])


def test_appendix_is_whole() -> None:
    frame = published("indirect")
    assert len(frame) == 13 * 7 * 8
    assert frame[["dataset", *KEYS]].notna().all(axis=None)
    empty = frame[frame["mean"].isna() & (frame["method"] != "pca")]
    assert set(empty[KEYS].itertuples(index=False, name=None)) == {
        ("car color", "nmi", "raw"),
        ("background color", "map", "raw"),
        ("DeepFashion fit", "ami", "lae"),
        ("DeepFashion fit", "map", "raw"),
        ("DeepFashion fit", "map", "ae"),
    }
    assert set(frame[(frame["method"] == "pca") & frame["mean"].notna()]["notion"]) == {"car model", "Cars196 car model"}


def test_notions_are_those_of_the_library() -> None:
    table = published(table="table1")
    assert len(table) == 13
    for row in table.to_dict("records"):
        notion = get_notion(row["notion"])
        assert notion.dataset == row["dataset"]
        assert row["template"].split("[")[0] == notion.templates[0].split("{}")[0]
    assert table.set_index("notion").loc["Cars196 manufacturer", "aspect_count"] == 46


def test_unknown_names() -> None:
    with pytest.raises(InputError, match=r"no dataset 'cars'; it has Synthetic Cars, Cars196, CUB200, DeepFashion, Movie Posters\."):
        published(dataset="cars")
    with pytest.raises(InputError, match=r"There is no paper 'clip' here; choose from indirect\."):
        published("clip")
    with pytest.raises(InputError, match=r"There is no table 'table9' here; choose from appendix_table1, section5, table1, table2\."):
        published(table="table9")  # type: ignore[arg-type]


def test_order_differences_by_hand() -> None:
    theirs = results([("raw", 0.5, float("nan")), ("pca", 0.6, 0.01), ("ae", 0.4, 0.2), ("oracle", 0.9, 0.0)])
    ours = results([("raw", 0.7, 0.0), ("pca", 0.3, 0.01), ("ae", 0.35, 0.01), ("exact", 0.8, 0.0)])
    found = order_differences(ours, theirs)
    # raw over pca is turned round beyond all deviations; pca over ae by .05, and by .2 against .21 of deviations in the other table
    assert found[["better", "worse", "clear"]].values.tolist() == [["pca", "raw", True], ["pca", "ae", False]]
    assert found["their_gap"].tolist() == pytest.approx([0.1, 0.2])
    assert found["our_gap"].tolist() == pytest.approx([-0.4, -0.05])


def test_side_by_side_by_hand() -> None:
    ours = pd.concat([results([("raw", 0.5, 0.0), ("exact", 0.6, 0.0123), ("pca", float("nan"), float("nan"))]), results([("raw", 1, 0)], "m")])
    ours["runs"] = [1, 5, 0, 2]
    theirs = results([("raw", 0.435, float("nan")), ("adam", 0.574, 0.002), ("random", float("nan"), float("nan"))])
    table = side_by_side(ours, theirs)
    assert list(table.columns) == [METHOD_TITLES[method] for method in ("raw", "exact", "adam")]
    assert table.index.tolist() == [("n", "MAP@R", "here"), ("n", "MAP@R", "paper"), ("m", "MAP@R", "here"), ("m", "MAP@R", "paper")]
    assert table.values.tolist() == [
        ["0.500", "0.600 ± 0.012", "–"],
        ["0.435", "–", "0.574 ± 0.002"],
        ["1.000 ± 0.000", "–", "–"],
        ["–", "–", "–"],
    ]
