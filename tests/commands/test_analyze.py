"""`likeness analyze` as a person meets it."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.training import RunConfig, RunFolder
from worlds import Run


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `likeness analyze ...`; exit status, stdout and stderr."""
    return lambda *arguments: run("analyze", *arguments)


def _printed(text: str) -> pd.DataFrame:
    return pd.read_csv(StringIO(text), dtype=str)


def test_embedding_size_prints_writes_and_draws(ok: Any, tmp_path: Path) -> None:
    out, plot = tmp_path / "runs.csv", tmp_path / "sizes.html"
    printed, err = ok(
        *("embedding-size", "--notions", "car-color", "--methods", "raw,pca,exact", "--sizes", "4,32", "--seeds", "2"),
        *("--format", "csv", "--out", out, "--plot", plot),
    )
    runs = pd.read_csv(out, keep_default_na=False, na_values=[""])
    assert list(zip(runs["method"], runs["dim"], strict=True)) == [("raw", 512), ("pca", 4), ("pca", 32), *[("exact", 4)] * 2, *[("exact", 32)] * 2]
    table = _printed(printed).set_index(["method", "dim"])
    assert list(table.columns) == ["notion", "runs", "MAP@R", "Prec@1"]
    exact = runs[(runs["method"] == "exact") & (runs["dim"] == 4)]["map_at_r"]
    assert table.loc[("exact", "4"), "MAP@R"] == f"{exact.mean():.3f} ± {exact.std(ddof=0):.3f}"
    assert table.loc[("pca", "32"), "MAP@R"] == "–"
    assert "car color, PCA at 32 dimensions: PCA to 32 dimensions needs more than 32 prompts, but there are 17" in err
    page = plot.read_text(encoding="utf-8")
    assert "<title>MAP@R by embedding size</title>" in page
    assert "PCA to 32 dimensions needs more than 32 prompts" in page


def test_prompt_count_samples_the_car_names(ok: Any, tmp_path: Path) -> None:
    out, plot = tmp_path / "runs.csv", tmp_path / "prompts.html"
    printed, _ = ok(
        *("prompt-count", "--methods", "raw,exact", "--counts", "5,569", "--dim", "4", "--seeds", "2", "--metric", "mrr", "--format", "csv"),
        *("--out", out, "--plot", plot),
    )
    runs = pd.read_csv(out)
    expected = [(0, "raw", 0), (5, "exact", 0), (5, "exact", 1), (569, "exact", 0), (569, "exact", 1)]
    assert list(zip(runs["prompts"], runs["method"], runs["seed"], strict=True)) == expected
    assert list(runs.columns[-3:]) == ["map_at_r", "precision_at_1", "mrr"]
    table = _printed(printed)
    assert list(table["prompts"]) == ["0", "5", "569"]
    assert list(table["rank"]) == ["0", "5", "128"]  # the text side of the shipped cars' encoder has no more
    five = runs[runs["prompts"] == 5]["mrr"]
    assert table.loc[1, "MRR"] == f"{five.mean():.3f} ± {five.std(ddof=0):.3f}"
    assert "<title>MRR by number of prompts</title>" in plot.read_text(encoding="utf-8")


def test_encoder_size_names_the_encoder_that_is_not_here(ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.embedding import embed

    def without_network(table: Any, encoder: str, **options: Any) -> Any:
        if encoder != "cars":
            raise InputError(f"The weights of '{encoder}' cannot be downloaded.")
        return embed(table, encoder)

    monkeypatch.setattr("likeness.commands.analyze.embedded", without_network)
    plot, out = tmp_path / "encoders.html", tmp_path / "runs.csv"
    printed, err = ok(
        *("encoder-size", "--encoders", "cars, paper", "--notions", "car-color", "--methods", "raw,exact", "--dim", "8", "--seeds", "1"),
        *("--format", "csv", "--plot", plot, "--out", out),
    )
    table = _printed(printed)
    assert list(dict.fromkeys(table["encoder"])) == ["cars", "ViT-B-32/openai", "ViT-B-16/openai", "ViT-L-14/openai"]
    assert list(table["MAP@R"][2:]) == ["–"] * 6
    runs = pd.read_csv(out)
    assert table["MAP@R"][0] == f"{runs['map_at_r'][0]:.3f}"
    assert "ViT-L-14/openai: The weights of 'ViT-L-14/openai' cannot be downloaded." in err
    assert plot.read_text(encoding="utf-8").count("(refused)") == 3


@pytest.mark.parametrize(("command", "function"), [("embedding-size", "embedding_sizes"), ("prompt-count", "prompt_counts")])
def test_all_methods_of_the_paper_run_five_times_by_default(ok: Any, monkeypatch: pytest.MonkeyPatch, command: str, function: str) -> None:
    from likeness.notions import METHODS, PAPER_METHODS

    asked: list[Any] = []

    def compared(base: Any, *rest: Any, **options: Any) -> pd.DataFrame:
        asked.append(rest)
        row = {"notion": "x", "method": "raw", "dim": 512, "prompts": 0, "seed": 0, "refused": "", "map_at_r": 0.5, "precision_at_1": 0.5}
        return pd.DataFrame([row])

    monkeypatch.setattr(f"likeness.studies.{function}", compared)
    for options in ([], ["--methods", "all"], ["--methods", "raw,exact"]):
        ok(command, *options)
    methods = [next(each for each in call if isinstance(each, list) and "raw" in each) for call in asked]
    assert methods == [list(PAPER_METHODS), list(METHODS), ["raw", "exact"]]
    assert all(call[-1] == range(5) for call in asked)
    numbers = {"embedding-size": [2, 4, 8, 16, 32, 64, 128, 256, 512], "prompt-count": list(range(10, 151, 10))}
    assert all(numbers[command] in call for call in asked)


def test_what_is_finished_is_written_when_interrupted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, on_run: Callable[[dict[str, Any]], None], **options: Any) -> None:
        on_run({"notion": "car color", "method": "raw", "dim": 512, "map_at_r": np.float64(0.25)})
        raise KeyboardInterrupt

    monkeypatch.setattr("likeness.studies.embedding_sizes", interrupted)
    out = tmp_path / "runs.csv"
    status, _, _ = run("embedding-size", "--out", str(out))
    assert status == 130
    assert pd.read_csv(out).to_dict("records") == [{"notion": "car color", "method": "raw", "dim": 512, "map_at_r": 0.25}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two seeds of "base", one run "ELG", one that has not measured anything."""
    for name, seed, scores in (("base", 0, [0.2, 0.4]), ("base", 1, [0.4, 0.6]), ("ELG", 0, [0.6, 0.7]), ("late", 0, [])):
        run = RunFolder(tmp_path / "runs" / f"{name}-{seed}")
        run.create(RunConfig(name=name, seed=seed))
        for epoch, score in enumerate(scores, start=1):
            run.append_metrics({"step": epoch, "epoch": epoch, "recall_at_1": score, "map_at_1000": score / 2})
    return tmp_path / "runs"


def test_convergence_prints_writes_and_draws(ok: Any, folder: Path, tmp_path: Path) -> None:
    out, plot = tmp_path / "points.csv", tmp_path / "curves.html"
    printed, err = ok("convergence", folder, "--format", "csv", "--out", out, "--plot", plot)
    table = _printed(printed)
    assert list(table.columns) == ["run", "seeds", "best R@1", "at epoch", "last", "0.500 at epoch"]
    assert table.to_numpy().tolist() == [["base", "2", "0.500 ± 0.100", "2", "0.500", "2"], ["ELG", "1", "0.700", "2", "0.700", "1"]]
    assert "late-0 has not measured recall_at_1 yet" in err
    assert list(pd.read_csv(out).columns) == ["run", "seed", "epoch", "recall_at_1"]
    assert len(pd.read_csv(out)) == 6
    assert "<title>R@1 by epoch</title>" in plot.read_text(encoding="utf-8")
