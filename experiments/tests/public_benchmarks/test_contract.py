"""What holds for every benchmark: complete, listed once, with sources for all that is printed beside ours."""

import re
from pathlib import Path

import pandas as pd
import pytest

import experiments.public_benchmarks as package
from experiments.public_benchmarks import BENCHMARKS, Benchmark, beside_published, named_benchmark, published_figures
from likeness.data import named_dataset
from likeness.errors import InputError

FOLDER = Path(package.__file__).parent
EACH = pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda each: each.name)


@EACH
def test_all_about_it_is_said(benchmark: Benchmark) -> None:
    assert benchmark.usage == f"{benchmark.name}:FOLDER"
    assert benchmark.title == named_dataset(benchmark.name).title
    assert re.fullmatch(r"[A-Z].+\.", benchmark.help)
    assert set(benchmark.methods) <= set(benchmark.known)
    assert benchmark.measure.__doc__
    assert named_benchmark(f"{benchmark.name}:some/folder") == (benchmark, "some/folder")


def test_every_file_that_declares_one_is_listed_and_indirects_datasets_can_be_named() -> None:
    declaring = {file.stem for file in FOLDER.glob("*.py") if re.search(r"^BENCHMARK = ", file.read_text(encoding="utf-8"), re.MULTILINE)}
    assert {each.name for each in BENCHMARKS} == declaring
    for name in package._OF_INDIRECT:
        assert named_dataset(name).usage == f"{name}:FOLDER"


@EACH
def test_published_figures_are_fractions_with_sources(benchmark: Benchmark) -> None:
    frame = published_figures(benchmark.name)
    assert frame["value"].between(0, 1).all()
    assert set(frame["metric"]) <= set(benchmark.metrics)
    assert frame["source"].str.contains("arXiv").all()
    assert not frame.duplicated(["task", "metric", "method", "encoder"]).any()


def test_ours_and_theirs_in_one_table() -> None:
    runs = pd.DataFrame({"task": ["color"] * 3, "method": ["raw", "raw", "crl"], "seed": [0, 1, 0], "nmi": [0.2, 0.4, 0.5], "ami": [0.1, 0.1, 0.2]})
    table = beside_published(runs.assign(map_at_r=0.25, zero_shot=float("nan")), BENCHMARKS[0])
    assert list(table["method"]) == ["raw", "crl", "CRL"]
    assert list(table["NMI"]) == ["0.300 ± 0.100", "0.500", "0.887"]
    assert list(table["AMI"]) == ["0.100", "0.200", "–"]
    assert set(table["Zero-shot"]) == {"–"}
    assert list(table["source"].str.contains("2510.04564")) == [False, False, True]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("clevr5:x", r"There is no benchmark 'clevr5:x'; write one of clevr4:FOLDER, stanford40:FOLDER"),
        ("", r"There is no benchmark ''"),
        ("clevr4", r"'clevr4' names no folder; write where the dataset lies, as in 'clevr4:data/clevr4'"),
        ("cars196:x", r"'cars196' is one of InDiReCT's five datasets, on which DIOR .*; use `likeness evaluate cars196:FOLDER --paper`"),
    ],
)
def test_names_that_are_none(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        named_benchmark(source)


def test_rows_are_checked() -> None:
    with pytest.raises(InputError, match="There is no method 'clip' for Clevr-4; choose from random, raw"):
        BENCHMARKS[0].checked_methods(["raw", "clip"])
    with pytest.raises(InputError, match="must list each method once"):
        BENCHMARKS[0].checked_methods(["raw", "raw "])
    with pytest.raises(InputError, match="There is no seed"):
        BENCHMARKS[0].run("nowhere", seeds=[])
