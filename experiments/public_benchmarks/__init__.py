"""Public benchmarks: one file and one line here for each."""

from experiments.public_benchmarks import clevr4, genecis, icir, stanford40
from experiments.public_benchmarks.benchmark import Benchmark as Benchmark
from experiments.public_benchmarks.beside_published import beside_published as beside_published, published_figures as published_figures
from experiments.public_benchmarks.composed_ways import WAYS as WAYS, ComposedWay as ComposedWay
from likeness.errors import InputError

BENCHMARKS: tuple[Benchmark, ...] = (clevr4.BENCHMARK, stanford40.BENCHMARK, genecis.BENCHMARK, icir.BENCHMARK)
# InDiReCT's five, on which DIOR (arXiv 2512.21860) is measured, too; `likeness evaluate --paper` has their protocol.
_OF_INDIRECT = ("synthetic-cars", "cars196", "cub200", "deepfashion", "movie-posters")


def named_benchmark(source: str) -> tuple[Benchmark, str]:
    """A benchmark and its folder, from "clevr4:FOLDER".

    Raises:
        InputError: an unknown name, or no folder.
    """
    name, _, folder = source.strip().partition(":")
    known = ", ".join(each.usage for each in BENCHMARKS)
    if name.lower() in _OF_INDIRECT:
        raise InputError(
            f"'{name}' is one of InDiReCT's five datasets, on which DIOR is measured, too; use `likeness evaluate {name}:FOLDER --paper`. "
            f"Benchmarks are {known}."
        )
    found = next((each for each in BENCHMARKS if each.name == name.lower()), None)
    if found is None:
        raise InputError(f"There is no benchmark '{source[:80]}'; write one of {known}.")
    if not folder.strip():
        raise InputError(f"'{source}' names no folder; write where the dataset lies, as in '{found.name}:data/{found.name}'.")
    return found, folder.strip()
