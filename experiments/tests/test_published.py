import numpy as np
import pandas as pd
import pytest

from experiments.published import beside_guidance, order_differences, published_guidance, published_shifts, side_by_side
from likeness.errors import InputError
from likeness.notions.methods import METHOD_TITLES
from likeness.shifts import read_splits

COLUMNS = ["table", "dataset", "backbone", "dim", "group", "method", "metric", "mean", "std"]


def test_the_guidance_tables_are_whole_and_keep_their_laws() -> None:
    frame = published_guidance()
    assert list(frame.columns) == COLUMNS
    assert frame["dim"].dtype == "Int64"
    texts = frame.drop(columns=["dim", "mean", "std"])
    assert texts.map(lambda value: isinstance(value, str)).all(axis=None)
    assert (texts[["table", "method", "metric"]] != "").all(axis=None)
    assert not frame.duplicated(COLUMNS[:-2]).any()
    sizes = {"table1": 189, "table2": 27, "table3": 44, "table4": 40, "table5": 24, "table_s1": 81, "table_s2": 44, "table_s3": 48, "section_4.5": 2}
    assert frame["table"].value_counts(sort=False).to_dict() == sizes
    assert frame["mean"].dropna().between(0, 100).all()
    assert (frame["std"].dropna() >= 0).all()
    # the literature's figures of Table 1 come without deviation, all others with
    without = frame[frame["mean"].notna() & frame["std"].isna()]
    assert set(without["table"]) == {"table1"}
    assert not without["method"].str.contains("S2SD|PLG").any()


def test_the_same_method_has_the_same_value_in_every_guidance_table() -> None:
    names = {"Baseline": "base", "Multisimilarity": "base", "+ELG": "elg", "+CLIP-L": "elg", "+PLG Top-5": "plg-5", "+PLG (Top-5)": "plg-5"}
    frame = published_guidance().query("table not in ['table1', 'section_4.5'] and group not in ['Margin, β = 1.2', 'Multisimilarity + S2SD']")
    cells = frame.assign(method=frame["method"].map(names)).dropna(subset=["method", "mean"]).groupby(["method", "dataset", "metric"])
    # on CUB200 and CARS196 all three, on SOP R@1 of two
    assert (cells["table"].nunique() > 1).sum() == 3 * 4 + 2
    assert (cells["mean"].nunique() == 1).all()


def test_one_table_and_one_dataset() -> None:
    frame = published_guidance(dataset="SOP")
    assert list(dict.fromkeys(frame["table"])) == ["table1", "table2", "table_s1"]
    pd.testing.assert_frame_equal(frame[frame["table"] == "table2"].reset_index(drop=True), published_guidance("table2", "SOP"))
    for arguments, message in ((("table6",), "'table6'; it has table1"), ((None, "cars"), "'cars'; it has CUB200"), (("section_4.5", "SOP"), "none")):
        with pytest.raises(InputError, match=message):
            published_guidance(*arguments)


def test_the_default_split_of_cars196_stands_in_table_1_of_oodml() -> None:
    table = published_shifts().set_index(["dataset", "split"])["distance"]
    assert table["CARS", "default"] == pytest.approx(read_splits("cars196-oodml").named("start").distance, abs=0.005)
    assert (table["CUB", "default"], table["SOP", "default"], table["SOP", "i.i.d."], table["CARS", "i.i.d."]) == (52.62, 3.43, 0.98, 2.33)
    assert np.isnan(table["CUB", "i.i.d."])  # the text of the paper lacks it, and the authors' code names the first alone


def ours(*rows: str) -> pd.DataFrame:
    return pd.DataFrame({"row": rows, "runs": 3, "recall_at_1": 0.5, "recall_at_1 ±": 0.0123, "map_at_1000": 0.25, "map_at_1000 ±": float("nan")})


def test_rows_meet_by_the_papers_names_and_in_percent() -> None:
    table = beside_guidance(ours("Multisimilarity", "Multisimilarity +ELG", "Of our own"), "table2").set_index("row")
    assert list(table.columns) == ["R@1", "mAP@1000", "R@1, CUB200, paper", "R@1, CARS196, paper"]
    assert table.loc["Multisimilarity +ELG"].tolist() == ["50.0 ± 1.2", "25.0", "67.3 ± 0.2", "85.3 ± 0.1"]
    assert table.loc["Of our own"].tolist() == ["50.0 ± 1.2", "25.0", "", ""]
    assert table.loc["Multisimilarity + S2SD"].tolist() == ["", "", "67.7 ± 0.3", "86.5 ± 0.1"]
    alone = beside_guidance(ours("Baseline", "+ELG"), "table4", ["CUB200"]).set_index("row")
    assert alone.loc["+ELG", "R@1, CUB200, paper"] == "67.3 ± 0.2"
    assert alone.loc["Mining mask", "mAP@1000, CUB200, paper"] == "32.6 ± 0.2"


def results(rows: list[tuple[str, float, float]], notion: str = "n") -> pd.DataFrame:
    return pd.DataFrame([{"notion": notion, "metric": "map_at_r", "method": m, "mean": mean, "std": std} for m, mean, std in rows])


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
    assert dict(zip(table.index, table.values.tolist(), strict=True)) == {
        ("n", "MAP@R", "here"): ["0.500", "0.600 ± 0.012", "–"],
        ("n", "MAP@R", "paper"): ["0.435", "–", "0.574 ± 0.002"],
        ("m", "MAP@R", "here"): ["1.000 ± 0.000", "–", "–"],
        ("m", "MAP@R", "paper"): ["–", "–", "–"],
    }
