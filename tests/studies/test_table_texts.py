import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from likeness.studies import as_latex, as_markdown

NASTY = r"50% & more_of #1 {a} ~ ^ \cmd $x$"


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame({"notion": [NASTY, "car|color"], "MAP@R": ["**0.530 ± 0.030**", "–"], "dim_1": [128, 5]})


def test_markdown_has_a_bar_between_cells_only(table: pd.DataFrame) -> None:
    assert as_markdown(table).splitlines() == [
        "| notion | MAP@R | dim_1 |",
        "| --- | --- | --- |",
        f"| {NASTY} | **0.530 ± 0.030** | 128 |",
        r"| car\|color | – | 5 |",
    ]


def test_latex_escapes_what_it_would_read_as_commands(table: pd.DataFrame) -> None:
    lines = as_latex(table).splitlines()
    assert lines[2] == r"notion & MAP@R & dim\_1 \\"
    escaped = r"50\% \& more\_of \#1 \{a\} \textasciitilde{} \textasciicircum{} \textbackslash{}cmd \$x\$"
    assert lines[4] == escaped + r" & \textbf{0.530 $\pm$ 0.030} & 128 \\"
    assert lines[5] == r"car|color & -- & 5 \\"
    assert as_latex(table).isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(table: pd.DataFrame, tmp_path: Path) -> None:
    source = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}" + as_latex(table) + "\\end{document}"
    (tmp_path / "table.tex").write_text(source)
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-500:]
