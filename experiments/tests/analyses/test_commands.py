"""The analyses as commands: what they print and write, and what they answer to wrong options."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from experiments.analyses import ANALYSES
from experiments.analyses.sentences import notion_sentences, sentence_table, vague_sentences

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def analyze(run: Run, tmp_path: Path) -> Callable[..., tuple[str, pd.DataFrame]]:
    """Runs an analysis; what it printed, and the runs that it wrote."""

    def call(*words: str) -> tuple[str, pd.DataFrame]:
        status, printed, err = run("analyses", *words, "--out", str(tmp_path / "runs.csv"), "--force")
        assert status == 0, err
        return printed, pd.read_csv(tmp_path / "runs.csv")

    return call


Analyze = Callable[..., tuple[str, pd.DataFrame]]


@pytest.mark.parametrize("name", ANALYSES)
def test_each_has_help_with_examples(name: str, run: Run) -> None:
    status, printed, _ = run("analyses", name, "--help")
    assert status == 0
    assert f"python -m experiments.analyses {name}" in " ".join(printed.replace("│", " ").split())


def test_cut_offs_have_a_row_for_each_method_and_number_of_answers(analyze: Analyze) -> None:
    printed, runs = analyze("cut-offs", "cars", "--encoder", "cars-small", "--by", "body_type", "--queries", "2", "--seeds", "1")
    assert "another query" in printed
    assert set(runs["answers"]) == {0, 10, 20, 30}


def test_sentences_print_the_ratio_and_write_every_run(analyze: Analyze) -> None:
    printed, runs = analyze("sentences", "cars", "--encoder", "cars-small", "--notions", "distance", "--seeds", "2")
    assert "Median of the ratios: " in printed
    assert {"raw", "hand-written", "sentence", "sentence, not pruned", "another sentence"} <= set(runs["aspects_of"])
    means = runs.groupby("aspects_of")["map_at_r"].mean()
    assert means["sentence"] > means["raw"]
    assert means["sentence"] > means["another sentence"]
    assert sentence_table(runs)["ratio"].item() == pytest.approx(means["sentence"] / means["hand-written"])


def test_every_sentence_stands_under_the_name_of_a_notion() -> None:
    from likeness.notions import list_notions, shipped_folder

    assert set(notion_sentences()) <= {notion.name for notion in list_notions(shipped_folder())}
    assert set(vague_sentences()) == set(notion_sentences())


def test_simulated_clicks_are_printed_and_written(analyze: Analyze) -> None:
    printed, runs = analyze("clicks", "cars", "--notions", "car-color,viewpoint", "--methods", "exact", "--seeds", "1")
    assert "Median share of the gap to the Oracle that is closed, vague sentences: " in printed
    vague = runs[(runs["notion"] == "car color") & (runs["start"] == "vague")].set_index(["answers", "clicks"])["map_at_r"]
    assert vague["labels", 20] > vague["labels", 0] + 0.5
    assert vague["labels", 20] > max(vague["coin", 20], vague["another label", 20]) + 0.5
    assert set(runs.loc[runs["start"].isna(), "answers"]) == {"raw", "oracle"}


def test_clicks_of_label_spreading_are_counted_and_written(analyze: Analyze) -> None:
    args = ("--notions", "car-color", "--methods", "propagation", "--images", "300", "--seeds", "1", "--encoder", "cars-small")
    printed, runs = analyze("label-spreading", "cars", *args)
    assert "raw encoder" in printed
    assert set(runs["way"]) == {"one by one", "nearest", "queue", "screens"}
    assert set(runs["space"].dropna()) == {"notion", "raw", "random projection"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cluster-names", "cars", "--labels", "mood"], "no attribute 'mood'"),
        (["cluster-names", "cars", "--labels", "car_color", "--groups", "groups.json"], "is in no group"),
        (["cluster-names", "cars", "--labels", "car_color", "--groups", "list.json"], "must hold groups"),
        (["cut-offs", "cars", "--by", "nope"], "no label 'nope'"),
        (["label-spreading", "cars", "--methods", "magic"], "choose propagation or probe"),
        (["nothing"], "No such command"),
    ],
)
def test_wrong_options_are_answered(words: list[str], message: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("groups.json").write_text(json.dumps({"dark": ["black"]}))
    Path("list.json").write_text("[1]")
    status, _, err = run("analyses", *words)
    assert status == 2
    assert message in err
    assert "Traceback" not in err


def test_composed_queries_print_a_row_per_score_and_write_the_runs(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "runs.csv"
    status, printed, err = run("analyses", "composed-queries", "--seeds", "1", "--queries", "1", "--format", "csv", "--out", str(out))
    assert status == 0, err
    runs, table = pd.read_csv(out), pd.read_csv(io.StringIO(printed), dtype=str).set_index("fusion")
    assert list(runs.columns) == ["kind", "seed", "fusion", "map", "queries"]
    one = runs[(runs["kind"] == "not") & (runs["fusion"] == "sum")]["map"].item()
    assert table.loc["sum", "not"] == f"{one:.3f}"
