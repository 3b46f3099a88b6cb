import re

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.studies import paper_table, published, refusals, statistics, summarize

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
    assert list(table["method"][::2]) == ["raw", "pca", "exact", "oracle", "raw", "pca", "exact"]
    assert list(table["metric"]) == ["map_at_r", "ami"] * 7
    color = table[table["notion"] == "color"].set_index(["method", "metric"])[["mean", "std", "runs"]]
    assert color.loc["exact"].to_numpy().tolist() == [pytest.approx([0.53, 0.03, 2]), pytest.approx([0.7, 0, 2])]
    assert color.loc["pca"].isna().to_numpy().tolist() == [[True, True, False]] * 2
    assert set(statistics(runs, ["ami", "map"])["metric"]) == {"ami"}
    with pytest.raises(InputError, match="The runs have none of the metrics mrr; choose from their columns notion, method"):
        statistics(runs, ["mrr"])
    for empty in (statistics(runs[:0]), summarize(runs[:0]), paper_table(runs[:0])):
        assert (len(empty), "notion" in empty) == (0, True)


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


def test_the_papers_form_has_a_column_per_method_and_the_best_is_bold_the_oracle_aside(runs: pd.DataFrame) -> None:
    rows = [
        ("color", "MAP@R", "0.400", "–", "**0.530 ± 0.030**", "0.900"),
        ("color", "AMI", "0.500", "–", "**0.700 ± 0.000**", "0.900"),
        ("model", "MAP@R", "**0.800**", "0.600", "0.550 ± 0.000", ""),
        ("model", "AMI", "0.100", "**0.300**", "**0.300 ± 0.100**", ""),  # equal as written
    ]
    expected = pd.DataFrame(rows, columns=["notion", "metric", "Raw encoder", "PCA", "InDiReCT (exact)", "Oracle"])
    pd.testing.assert_frame_equal(paper_table(runs, bold=True), expected)
    pd.testing.assert_frame_equal(paper_table(runs), expected.map(lambda text: text.replace("**", "")))


def test_several_dimensions_the_raw_encoder_alone_and_a_method_of_ones_own(runs: pd.DataFrame) -> None:
    table = paper_table(pd.concat([runs, runs_of(("color", "exact", 5, 0, 0.7, 0.8))]), ["map_at_r"])
    assert list(table.columns[:3]) == ["notion", "dim", "metric"]
    assert table[["notion", "dim", "Raw encoder", "InDiReCT (exact)", "Oracle"]].to_numpy().tolist() == [
        ["color", 128, "0.400", "0.530 ± 0.030", "0.900"],
        ["color", 5, "0.400", "0.700", ""],
        ["model", 128, "0.800", "0.550 ± 0.000", ""],
    ]
    alone = paper_table(runs[runs["method"] == "raw"])
    assert list(alone.columns) == ["notion", "metric", "Raw encoder"]
    assert list(alone["Raw encoder"]) == ["0.400", "0.500", "0.800", "0.100"]
    own = paper_table(runs.replace({"method": {"exact": "mine"}}), ["map_at_r"])
    assert list(own["mine"]) == ["0.530 ± 0.030", "0.550 ± 0.000"]


def _runs(*rows: tuple[object, ...], along: str = "dim") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["notion", "method", along, "refused"])


def test_what_is_refused_is_named_with_all_its_sizes_and_the_first_reason() -> None:
    for nothing in (_runs(("color", "pca", 2, "")), pd.DataFrame({"notion": ["color"]}), _runs()):
        assert refusals(nothing) == []
    sizes = (("color", "pca", 2, ""), ("color", "pca", 16, "too few for 16."), ("color", "pca", 32, "too few for 32."), ("color", "exact", 32, ""))
    assert refusals(_runs(*sizes)) == ["color, PCA at 16, 32 dimensions: too few for 16."]
    assert refusals(_runs(("color", "pca", 5, "too few."), along="prompts").assign(dim=128)) == ["color, PCA at 5 prompts: too few."]
    large = _runs(("color", "raw", 4, "No network."), ("shape", "exact", 4, "No network.")).assign(encoder="large")  # is named once
    small = _runs(("color", "raw", 4, ""), ("color", "pca", 4, "Too few prompts.")).assign(encoder="small")
    assert refusals(pd.concat([large, small])) == ["large: No network.", "small, color, PCA at 4 dimensions: Too few prompts."]


KEYS = ["notion", "metric", "method"]


def test_appendix_is_whole_and_notions_are_those_of_the_library() -> None:
    frame = published("indirect")
    assert len(frame) == 13 * 7 * 8
    assert frame[["dataset", *KEYS]].notna().all(axis=None)
    empty = frame[frame["mean"].isna() & (frame["method"] != "pca")]
    gaps = {("DeepFashion fit", *each) for each in (("ami", "lae"), ("map", "raw"), ("map", "ae"))}
    assert set(empty[KEYS].itertuples(index=False, name=None)) == gaps | {("car color", "nmi", "raw"), ("background color", "map", "raw")}
    assert set(frame[(frame["method"] == "pca") & frame["mean"].notna()]["notion"]) == {"car model", "Cars196 car model"}
    rows = published(table="table1").to_dict("records")
    for row in rows:
        notion = get_notion(row["notion"])
        assert notion.dataset == row["dataset"]
        assert row["template"].split("[")[0] == notion.templates[0].split("{}")[0]
    assert (len(rows), {row["notion"]: row["aspect_count"] for row in rows}["Cars196 manufacturer"]) == (13, 46)


@pytest.mark.parametrize(
    ("kind", "asked", "known"),
    [
        ("dataset", "cars", "it has Synthetic Cars, Cars196, CUB200, DeepFashion, Movie Posters."),
        ("paper", "clip", "choose from indirect."),
        ("table", "table9", "choose from appendix_table1, section5, table1, table2."),
    ],
)
def test_unknown_names(kind: str, asked: str, known: str) -> None:
    with pytest.raises(InputError, match=rf"no {kind} '{asked}'( here)?; {re.escape(known)}"):
        published(**{kind: asked})  # type: ignore[arg-type]
