"""i-CIR: find a particular object as a text changes it (Psomas et al., NeurIPS 2025, arXiv 2510.25387, repository billpsomas/icir)."""

from collections import defaultdict

import numpy as np

from experiments.public_benchmarks.benchmark import Benchmark, BenchmarkRequest, Runs
from experiments.public_benchmarks.composed_rows import background, check_reads_text, text_rows
from experiments.public_benchmarks.composed_ways import WAYS
from experiments.public_benchmarks.datasets import read_icir
from experiments.public_benchmarks.ranks import average_precision
from likeness.defaults import default_encoder
from likeness.embedding import embed
from likeness.errors import InputError

_METRICS = {"map": "mAP", "macro_map": "Macro mAP", "step_map": "mAP, steps"}


def measure_icir(request: BenchmarkRequest) -> Runs:
    """Each query, an image and a text, searches the database of its own instance; those images answer that have its text.

    `map` is the mean over queries, `macro_map` the mean over instances of their means; the official code prints both ("mAP", "mmAP"). Both are the
    area under straight lines, as there; `step_map` is the usual average precision, a little higher. Queries whose photo cannot be read, or that
    nothing in the database answers, are left out. The authors' encoder is CLIP ViT-L/14.
    """
    encoder = request.encoder or default_encoder([])
    check_reads_text(encoder)
    space = embed(read_icir(request.folder), encoder, progress=request.progress)
    frame, vectors = space.table.frame, np.asarray(space.vectors, np.float32)
    asks = np.flatnonzero(frame["part"] == "query")
    texts = text_rows(encoder, frame["text"].iloc[asks])
    databases = {instance: np.array(rows) for instance, rows in frame[frame["part"] == "database"].groupby("instance").groups.items()}
    answers = {
        row: relevant
        for row in asks
        if (own := databases.get(frame["instance"][row])) is not None and (relevant := (frame["text"].to_numpy()[own] == frame["text"][row])).any()
    }
    if not answers:
        raise InputError("No query of i-CIR has a matching image in its instance's database; unpack the whole dataset.")
    known = background(encoder, vectors[np.concatenate(list(databases.values()))], np.stack(list(texts.values())))
    runs: Runs = []
    for name in request.methods:
        for seed in request.seeds if WAYS[name].seeds else request.seeds[:1]:
            score = WAYS[name].make(known, seed)
            area: dict[str, list[float]] = defaultdict(list)
            steps: list[float] = []
            for row, relevant in answers.items():
                instance = frame["instance"][row]
                found = score(vectors[[row]], texts[frame["text"][row]][None], vectors[databases[instance]])[0]
                area[instance].append(average_precision(found, relevant, trapezoid=True))
                steps.append(average_precision(found, relevant))
            means = [float(np.mean(each)) for each in area.values()]
            every = float(np.mean([one for each in area.values() for one in each]))
            runs.append(
                {"task": "all", "method": name, "seed": seed, "map": every, "macro_map": float(np.mean(means)), "step_map": float(np.mean(steps))}
            )
    return runs


BENCHMARK = Benchmark(
    "icir",
    "i-CIR",
    "A photo of a particular object and a text that changes it, in the object's own database.",
    _METRICS,
    tuple(WAYS),
    tuple(WAYS),
    measure_icir,
)
