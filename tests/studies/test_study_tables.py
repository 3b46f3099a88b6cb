import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import aggregated_generalization_score
from likeness.studies import as_latex, as_markdown, convergence, convergence_table, shift_table, with_spread
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder

LINES = [("Raw", 0, "hard", 30.0, 0.5), ("Raw", 0, "easy", 10.0, 0.7), ("Margin", 0, "hard", 30.0, 0.2), ("Margin", 0, "easy", 10.0, 0.8)]
LINES += [("Margin", 1, "hard", 30.0, 0.4), ("Margin", 1, "easy", 10.0, 0.8)]


def test_splits_stand_by_distance_and_methods_in_their_order_with_the_area_of_the_same_figure() -> None:
    every = pd.DataFrame(LINES, columns=["row", "seed", "split", "distance", "recall_at_1"])
    every["matched"] = every["recall_at_1"] / 2
    areas = [f"{aggregated_generalization_score([10, 30], each):.3f}" for each in ([0.7, 0.5], [0.35, 0.25])]
    table = shift_table(every)
    assert list(table) == ["row", "easy (10)", "hard (30)", "AGS"]
    assert table.loc[0].tolist() == ["Raw", "0.700", "0.500", areas[0]]
    assert table.loc[1].tolist()[:3] == ["Margin", "0.800 ± 0.000", "0.300 ± 0.141"]
    assert shift_table(every, "matched").loc[0, "AGS"] == areas[1]
    gap = shift_table(every[~((every["row"] == "Raw") & (every["split"] == "hard"))])
    assert gap.loc[0].tolist() == ["Raw", "0.700", "", ""]
    assert len(shift_table(every[:0])) == 0
    with pytest.raises(InputError, match="The runs have no 'map_at_r'; choose from their columns row, seed, split"):
        shift_table(every, "map_at_r")


def test_figures_have_decimals_by_their_size() -> None:
    texts = {(0.4412, 0.012): "0.441 ± 0.012", (17.26, 0.44): "17.3 ± 0.4", (431.4, 6.2): "431 ± 6", (0.5, np.nan): "0.500", (np.nan, 0.1): ""}
    assert [with_spread(*each) for each in texts] == list(texts.values())


def runs(row: str, values: list[float], split: str | None = None, step: int = 5) -> list[dict[str, object]]:
    place = {"split": split, "distance": 0.1} if split else {}
    figures = ("recall_at_1", "map_at_1000", "nmi")
    return [{"row": row, "seed": seed, "step": step} | place | dict.fromkeys(figures, value) for seed, value in enumerate(values)]


NASTY = r"50% & more_of #1 {a} ~ ^ \cmd $x$"


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"notion": [NASTY, "car|color"], "MAP@R": ["**0.530 ± 0.030**", "–"], "dim_1": [128, 5]})


def test_markdown_has_a_bar_between_cells_only_and_latex_escapes_what_it_would_read_as_commands(table: pd.DataFrame) -> None:
    assert as_markdown(table).splitlines() == [
        "| notion | MAP@R | dim_1 |",
        "| --- | --- | --- |",
        f"| {NASTY} | **0.530 ± 0.030** | 128 |",
        r"| car\|color | – | 5 |",
    ]
    lines = as_latex(table).splitlines()
    assert lines[2] == r"notion & MAP@R & dim\_1 \\"
    escaped = r"50\% \& more\_of \#1 \{a\} \textasciitilde{} \textasciicircum{} \textbackslash{}cmd \$x\$"
    assert lines[4:6] == [escaped + r" & \textbf{0.530 $\pm$ 0.030} & 128 \\", r"car|color & -- & 5 \\"]
    assert as_latex(table).isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(table: pd.DataFrame, tmp_path: Path) -> None:
    source = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}" + as_latex(table) + "\\end{document}"
    (tmp_path / "table.tex").write_text(source)
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-500:]


def made(folder: Path, name: str, seed: int, scores: list[float], **changes: object) -> RunFolder:
    run = RunFolder(folder)
    run.create(RunConfig(name=name, seed=seed, **changes))
    for epoch, score in enumerate(scores, start=1):
        run.append_metrics({"step": 3 * epoch - 1, "epoch": epoch - 1 / 3, "loss": 1.0})
        run.append_metrics({"step": 3 * epoch, "epoch": epoch + 1e-12 * seed, "loss": 0.9, "recall_at_1": score, "nmi": 0.5})
    return run


def test_seeds_of_a_config_share_a_name_and_what_is_none_is_told_apart(tmp_path: Path) -> None:
    runs = [made(tmp_path / f"base-{seed}", "base", seed, [0.1 * seed, 0.5]) for seed in (1, 2)] + [made(tmp_path / "elg", "ELG", 0, [0.7])]
    curves = convergence(runs)
    assert list(curves.columns) == ["run", "seed", "epoch", "recall_at_1"]
    assert curves.to_numpy().tolist() == [["base", 1, 1, 0.1], ["base", 1, 2, 0.5], ["base", 2, 1, 0.2], ["base", 2, 2, 0.5], ["ELG", 0, 1, 0.7]]
    other = [made(tmp_path / "a", "x", 0, [0.1]), made(tmp_path / "b", "x", 1, [0.2], epochs=3)]
    assert convergence(other)["run"].tolist() == ["x (a)", "x (b)"]
    same = [made(tmp_path / "c", "y", 0, [0.1]), made(tmp_path / "d", "y", 0, [0.2]), made(tmp_path / "e", "z", 0, [0.2])]
    assert convergence(same)["run"].tolist() == ["y (c)", "y (d)", "z"]
    runs = [same[2], made(tmp_path / "f", "f", 0, [])]
    assert convergence(runs)["run"].tolist() == ["z"]
    for asked, metric, message in (
        (runs, "f1", "No run has measured 'f1'; measured so far: recall_at_1, nmi"),
        (runs[1:], "recall_at_1", "No run has measured 'recall_at_1'; measured so far: nothing"),
        ([], "recall_at_1", "There are no runs"),
    ):
        with pytest.raises(InputError, match=message):
            convergence(asked, metric)


def test_table_by_hand() -> None:
    curves = {("base", 0): (0.2, 0.6, 0.4), ("base", 1): (0.2, 0.4, 0.4), ("ELG", 0): (0.6, 0.8, 0.8)}
    rows = [(*run, epoch, value) for run, values in curves.items() for epoch, value in enumerate(values, start=1)]
    table = convergence_table(pd.DataFrame(rows, columns=["run", "seed", "epoch", "recall_at_1"]))
    expected = {"run": ["base", "ELG"], "seeds": [2, 1], "best": [0.5, 0.8], "best ±": [0.1, 0.0], "epoch": [2.0, 2.0], "last": [0.4, 0.8]}
    pd.testing.assert_frame_equal(table, pd.DataFrame(expected | {"match_epoch": [2.0, 1.0]}))
