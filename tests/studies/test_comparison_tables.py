import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.studies import paper_table, refusals, statistics, summarize

NAN = float("nan")


def runs_of(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["notion", "method", "dim", "seed", "map_at_r", "ami"]).assign(fit_seconds=0.1, refused="")


@pytest.fixture
def runs() -> pd.DataFrame:
    return runs_of(
        ("color", "raw", 512, 0, 0.4, 0.5),
        ("color", "pca", 128, 0, NAN, NAN),
        ("color", "exact", 128, 0, 0.50, 0.7),
        ("color", "exact", 128, 1, 0.56, 0.7),
        ("color", "oracle", 128, 0, 0.9, 0.9),
        ("model", "raw", 512, 0, 0.8, 0.1),
        ("model", "pca", 128, 0, 0.6, 0.3),
        ("model", "exact", 128, 0, 0.55, 0.2),
        ("model", "exact", 128, 1, 0.55, 0.4),
    )


def test_statistics_are_mean_and_population_deviation(runs: pd.DataFrame) -> None:
    table = statistics(runs)
    assert list(table.columns) == ["notion", "method", "dim", "metric", "mean", "std", "runs"]
    assert list(table["method"]) == ["raw"] * 2 + ["pca"] * 2 + ["exact"] * 2 + ["oracle"] * 2 + ["raw"] * 2 + ["pca"] * 2 + ["exact"] * 2
    assert list(table["metric"]) == ["map_at_r", "ami"] * 7
    exact = table[(table["method"] == "exact") & (table["notion"] == "color")].set_index("metric")
    assert exact.loc["map_at_r", ["mean", "std", "runs"]].tolist() == pytest.approx([0.53, 0.03, 2])
    assert exact.loc["ami", ["mean", "std", "runs"]].tolist() == pytest.approx([0.7, 0, 2])
    refused = table[(table["method"] == "pca") & (table["notion"] == "color")]
    assert refused[["mean", "std"]].isna().all(axis=None)
    assert refused["runs"].tolist() == [0, 0]


def test_statistics_of_chosen_metrics(runs: pd.DataFrame) -> None:
    assert set(statistics(runs, ["ami", "map"])["metric"]) == {"ami"}
    with pytest.raises(InputError, match="The runs have none of the metrics mrr; their columns are notion, method"):
        statistics(runs, ["mrr"])


def test_summary_has_a_row_per_notion_method_and_dimension(runs: pd.DataFrame) -> None:
    expected = pd.DataFrame(
        [
            ("color", "raw", 512, 1, "0.400", "0.500"),
            ("color", "pca", 128, 0, "–", "–"),
            ("color", "exact", 128, 2, "0.530 ± 0.030", "0.700 ± 0.000"),
            ("color", "oracle", 128, 1, "0.900", "0.900"),
            ("model", "raw", 512, 1, "0.800", "0.100"),
            ("model", "pca", 128, 1, "0.600", "0.300"),
            ("model", "exact", 128, 2, "0.550 ± 0.000", "0.300 ± 0.100"),
        ],
        columns=["notion", "method", "dim", "runs", "MAP@R", "AMI"],
    )
    pd.testing.assert_frame_equal(summarize(runs), expected)


def test_the_papers_form_has_a_column_per_method(runs: pd.DataFrame) -> None:
    expected = pd.DataFrame(
        [
            ("color", "MAP@R", "0.400", "–", "0.530 ± 0.030", "0.900"),
            ("color", "AMI", "0.500", "–", "0.700 ± 0.000", "0.900"),
            ("model", "MAP@R", "0.800", "0.600", "0.550 ± 0.000", ""),
            ("model", "AMI", "0.100", "0.300", "0.300 ± 0.100", ""),
        ],
        columns=["notion", "metric", "Raw encoder", "PCA", "InDiReCT (exact)", "Oracle"],
    )
    pd.testing.assert_frame_equal(paper_table(runs), expected)


def test_the_best_is_bold_the_oracle_aside(runs: pd.DataFrame) -> None:
    table = paper_table(runs, bold=True)
    titles = table.columns[2:]
    bold = {(row["notion"], row["metric"]): [title for title in titles if row[title].startswith("**")] for _, row in table.iterrows()}
    assert bold == {
        ("color", "MAP@R"): ["InDiReCT (exact)"],
        ("color", "AMI"): ["InDiReCT (exact)"],
        ("model", "MAP@R"): ["Raw encoder"],
        # equal as written
        ("model", "AMI"): ["PCA", "InDiReCT (exact)"],
    }
    assert table.loc[0, "InDiReCT (exact)"] == "**0.530 ± 0.030**"


def test_several_dimensions_stand_below_each_other_with_the_raw_encoder_beside_each(runs: pd.DataFrame) -> None:
    more = pd.concat([runs, runs_of(("color", "exact", 5, 0, 0.7, 0.8))])
    table = paper_table(more, ["map_at_r"])
    assert list(table.columns[:3]) == ["notion", "dim", "metric"]
    assert table[["notion", "dim", "Raw encoder", "InDiReCT (exact)", "Oracle"]].to_numpy().tolist() == [
        ["color", 128, "0.400", "0.530 ± 0.030", "0.900"],
        ["color", 5, "0.400", "0.700", ""],
        ["model", 128, "0.800", "0.550 ± 0.000", ""],
    ]


def test_the_raw_encoder_alone_and_a_method_of_ones_own(runs: pd.DataFrame) -> None:
    alone = paper_table(runs[runs["method"] == "raw"])
    assert list(alone.columns) == ["notion", "metric", "Raw encoder"]
    assert list(alone["Raw encoder"]) == ["0.400", "0.500", "0.800", "0.100"]
    own = paper_table(runs.replace({"method": {"exact": "mine"}}), ["map_at_r"])
    assert list(own["mine"]) == ["0.530 ± 0.030", "0.550 ± 0.000"]


def test_tables_of_no_runs_are_empty(runs: pd.DataFrame) -> None:
    for table in (statistics(runs[:0]), summarize(runs[:0]), paper_table(runs[:0])):
        assert table.empty
        assert {"notion"} <= set(table.columns)


def _runs(*rows: tuple[object, ...], along: str = "dim") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["notion", "method", along, "refused"])


def test_nothing_refused_gives_no_sentence() -> None:
    assert refusals(_runs(("color", "pca", 2, ""))) == []
    assert refusals(pd.DataFrame({"notion": ["color"]})) == []
    assert refusals(_runs()) == []


def test_a_method_is_named_with_all_its_sizes_and_the_first_reason() -> None:
    runs = _runs(
        ("color", "pca", 2, ""), ("color", "pca", 16, "too few for 16."), ("color", "pca", 32, "too few for 32."), ("color", "exact", 32, "")
    )
    assert refusals(runs) == ["color, PCA at 16, 32 dimensions: too few for 16."]
    assert refusals(_runs(("color", "pca", 5, "too few."), along="prompts").assign(dim=128)) == ["color, PCA at 5 prompts: too few."]


def test_an_encoder_without_weights_is_named_once() -> None:
    runs = pd.concat(
        [
            _runs(("color", "raw", 4, "No network."), ("shape", "exact", 4, "No network.")).assign(encoder="large"),
            _runs(("color", "raw", 4, ""), ("color", "pca", 4, "Too few prompts.")).assign(encoder="small"),
        ]
    )
    assert refusals(runs) == ["large: No network.", "small, color, PCA at 4 dimensions: Too few prompts."]
