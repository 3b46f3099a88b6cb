"""The tables of the language guidance paper: as printed, and consistent in themselves."""

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.studies import published_guidance

COLUMNS = ["table", "dataset", "backbone", "dim", "group", "method", "metric", "mean", "std"]
KEYS = ["dataset", "group", "method", "metric"]
# number of cells, and of those without a value
SIZES = {
    "table1": (189, 17 + 7),
    "table2": (27, 4),
    "table3": (44, 0),
    "table4": (40, 0),
    "table5": (24, 16),
    "table_s1": (81, 8),
    "table_s2": (44, 0),
    "table_s3": (48, 0),
    "section_4.5": (2, 0),
}
# typed from the paper
SPOTS = [
    ("table1", "CUB200", "", "MIC", "R@2", 76.8, None),
    ("table1", "SOP", "", "IB-DML", "NMI", 92.6, None),
    ("table1", "CARS196", "", "DR-MS", "R@2", 90.5, None),
    ("table2", "SOP", "Margin, β = 1.2", "+PLG Top-5", "R@1", 78.3, 0.2),
    ("table2", "CARS196", "Multisimilarity + S2SD", "+ELG", "R@1", 88.2, 0.2),
    ("table3", "CARS196", "Language Models", "+GPT2", "R@1", 84.8, 0.4),
    ("table3", "CUB200", "Word Hierarchies", "+HierMatch", "mAP@1000", 32.2, 0.1),
    ("table4", "CARS196", "Methods of incorporation", "Weight scaling", "mAP@1000", 26.0, 0.8),
    ("table4", "CUB200", "Vision-Language representation matching", "CLIP-style", "mAP@1000", 31.9, 0.6),
    ("table5", "CARS196", "", "+ELG", "R@1", 85.3, 0.1),
    ("table_s1", "CARS196", "Margin, β = 1.2", "Margin, β = 1.2", "NMI", 66.6, 0.7),
    ("table_s1", "SOP", "Multisimilarity", "+PLG Top-5", "mAP@1000", 43.7, 0.1),
    ("table_s1", "CUB200", "Multisimilarity + S2SD", "+ELG", "mAP@1000", 36.4, 0.5),
    ("table_s2", "CUB200", "Language Models", "+DistRoberta", "R@1", 66.0, 0.2),
    ("table_s3", "CUB200", "Number of pseudolabels", "+PLG", "R@1", 66.2, 0.6),
    ("table_s3", "CARS196", "Different pseudolabel matching methods", "Dense (Top-5)", "mAP@1000", 31.5, 0.4),
    ("section_4.5", "", "", "base-to-language", "KL divergence", 1.49, 0.16),
    ("section_4.5", "", "", "ELG-to-language", "KL divergence", 0.34, 0.09),
]
# cells of Table 1 by backbone and dimension, where a method stands more than once
STATE_OF_THE_ART = [
    ("ResNet50", 128, "CARS196", "R@1", 89.1, 0.2),
    ("ResNet50", 512, "CARS196", "R@1", 90.2, 0.3),
    ("Inception-BN", 512, "CARS196", "R@1", 88.1, 0.3),
    ("ResNet50", 128, "SOP", "NMI", 90.9, 0.1),
    ("Inception-BN", 512, "SOP", "R@1", 79.4, 0.1),
]


def test_columns_and_types() -> None:
    frame = published_guidance()
    assert list(frame.columns) == COLUMNS
    assert frame["dim"].dtype == "Int64"
    assert frame[["mean", "std"]].dtypes.tolist() == ["float64", "float64"]
    texts = frame.drop(columns=["dim", "mean", "std"])
    assert texts.map(lambda value: isinstance(value, str)).all(axis=None)
    assert (texts[["table", "method", "metric"]] != "").all(axis=None)
    assert not frame.duplicated(COLUMNS[:-2]).any()


@pytest.mark.parametrize("table", SIZES)
def test_every_table_is_whole(table: str) -> None:
    frame = published_guidance(table)
    assert (len(frame), frame["mean"].isna().sum()) == SIZES[table]
    assert list(frame.index) == list(range(len(frame)))
    assert set(frame["table"]) == {table}


def test_all_tables_together() -> None:
    frame = published_guidance()
    assert list(dict.fromkeys(frame["table"])) == list(SIZES)
    assert len(frame) == sum(size for size, _ in SIZES.values())


@pytest.mark.parametrize(("table", "dataset", "group", "method", "metric", "mean", "std"), SPOTS)
def test_cells_as_printed(table: str, dataset: str, group: str, method: str, metric: str, mean: float, std: float | None) -> None:
    frame = published_guidance(table)
    row = frame[(frame[KEYS] == [dataset, group, method, metric]).all(axis=1)]
    assert row["mean"].tolist() == [mean]
    assert row["std"].tolist() == [std] if std is not None else row["std"].isna().all()


@pytest.mark.parametrize(("backbone", "dim", "dataset", "metric", "mean", "std"), STATE_OF_THE_ART)
def test_state_of_the_art_by_backbone(backbone: str, dim: int, dataset: str, metric: str, mean: float, std: float) -> None:
    frame = published_guidance("table1", dataset)
    row = frame[(frame["method"] == "S2SD+PLG") & (frame["backbone"] == backbone) & (frame["dim"] == dim) & (frame["metric"] == metric)]
    assert row[["mean", "std"]].values.tolist() == [[mean, std]]


def test_what_the_text_does_not_give() -> None:
    empty = published_guidance()
    empty = empty[empty["mean"].isna()]
    rows = empty.groupby(["table", "group", "method"]).size().to_dict()
    assert rows == {
        ("table1", "", "EPSHN"): 3,
        ("table1", "", "NormSoft"): 3,
        ("table1", "", "Multisimilarity"): 3,
        ("table1", "", "DR-MS"): 5,
        ("table1", "", "ProxyAnchor"): 3,
        ("table1", "", "Multisimilarity+PLG"): 7,
        ("table2", "Margin, β = 1.2", "Margin, β = 1.2"): 2,
        ("table2", "Multisimilarity + S2SD", "+ELG"): 2,
        ("table5", "", "Caption"): 4,
        ("table5", "", "Caption + insertion"): 4,
        ("table5", "", "Classname only"): 4,
        ("table5", "", "Other primers"): 4,
        ("table_s1", "Multisimilarity", "+ELG"): 8,
    }
    assert empty["std"].isna().all()


def test_values_keep_their_laws() -> None:
    frame = published_guidance()
    assert frame["mean"].dropna().between(0, 100).all()
    assert (frame["std"].dropna() >= 0).all()
    # the literature's figures of Table 1 come without deviation, all others with
    without = frame[frame["mean"].notna() & frame["std"].isna()]
    assert set(without["table"]) == {"table1"}
    assert not without["method"].str.contains("S2SD|PLG").any()


def test_recall_rises_with_the_list() -> None:
    frame = published_guidance("table1").pivot(index=["dataset", "backbone", "dim", "method"], columns="metric", values="mean")
    for longer, count in [("R@2", 2 * 20), ("R@10", 19)]:
        both = frame.dropna(subset=["R@1", longer])
        assert len(both) == count
        assert (both["R@1"] < both[longer]).all()


def test_table_2_is_in_the_supplement() -> None:
    both = published_guidance("table2").merge(published_guidance("table_s1"), on=KEYS, suffixes=("", "_s1"), validate="one_to_one")
    assert len(both) == 27
    both = both.dropna(subset=["mean", "mean_s1"])
    assert len(both) == 20
    assert (both["mean"] == both["mean_s1"]).all()
    assert (both["std"] == both["std_s1"]).all()


def test_table_3_is_in_the_supplement() -> None:
    both = published_guidance("table3").merge(published_guidance("table_s2"), on=KEYS, suffixes=("", "_s2"), validate="one_to_one")
    assert len(both) == 7 * 4
    assert (both[["mean", "std"]].to_numpy() == both[["mean_s2", "std_s2"]].to_numpy()).all()


def test_the_same_method_has_the_same_value_in_every_table() -> None:
    names = {"Baseline": "base", "Multisimilarity": "base", "+ELG": "elg", "+CLIP-L": "elg", "+PLG Top-5": "plg-5", "+PLG (Top-5)": "plg-5"}
    frame = published_guidance().query("table not in ['table1', 'section_4.5'] and group not in ['Margin, β = 1.2', 'Multisimilarity + S2SD']")
    frame = frame.assign(method=frame["method"].map(names)).dropna(subset=["method", "mean"])
    cells = frame.groupby(["method", "dataset", "metric"])
    # on CUB200 and CARS196 all three, on SOP R@1 of two
    assert (cells["table"].nunique() > 1).sum() == 3 * 4 + 2
    assert (cells["mean"].nunique() == 1).all()
    # the tables give this one deviation in two ways
    differ = cells["std"].unique().map(sorted).loc[lambda values: values.str.len() > 1]
    assert differ.to_dict() == {("base", "CUB200", "mAP@1000"): [0.2, 0.3]}
    deviations = frame[(frame["method"] == "base") & (frame["dataset"] == "CUB200") & (frame["metric"] == "mAP@1000")].set_index("table")["std"]
    assert deviations.to_dict() == {"table3": 0.3, "table4": 0.2, "table5": 0.2, "table_s1": 0.3, "table_s2": 0.3, "table_s3": 0.2}


def test_one_dataset() -> None:
    frame = published_guidance(dataset="SOP")
    assert list(dict.fromkeys(frame["table"])) == ["table1", "table2", "table_s1"]
    pd.testing.assert_frame_equal(frame[frame["table"] == "table2"].reset_index(drop=True), published_guidance("table2", "SOP"))


def test_unknown_names() -> None:
    with pytest.raises(InputError, match=r"^The paper has no table 'table6'; it has table1, table2, table3, .*, section_4\.5\.$"):
        published_guidance("table6")
    with pytest.raises(InputError, match=r"^The paper has no dataset 'cars'; it has CUB200, CARS196, SOP\.$"):
        published_guidance(dataset="cars")
    with pytest.raises(InputError, match=r"^The paper's table3 has no dataset 'SOP'; it has CUB200, CARS196\.$"):
        published_guidance("table3", "SOP")
    with pytest.raises(InputError, match=r"^The paper's section_4\.5 has no dataset 'SOP'; it has none\.$"):
        published_guidance("section_4.5", "SOP")
    with pytest.raises(InputError, match="has no table ''"):
        published_guidance("")
