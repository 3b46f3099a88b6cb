"""Effect of the encoder's size (InDiReCT, section 6 and Figure 4)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from likeness.data import ImageTable
from likeness.embedding import embed as embed_table
from likeness.encoders import embed_texts
from likeness.errors import InputError
from likeness.notions import Notion, named_methods
from likeness.progress import Progress, progress_of_part
from likeness.space import Space
from likeness.studies.comparison import ANALYSIS_METRICS, SUGGESTED, Methods, OnRun, compare, joined, labeled, no_runs

Embed = Callable[[ImageTable, str], Space]

# the two shipped sizes, and the paper's three
SHIPPED_ENCODERS = ("cars-small", "cars")
PAPER_ENCODERS = ("ViT-B-32/openai", "ViT-B-16/openai", "ViT-L-14/openai")


def encoder_sizes(
    table: ImageTable,
    encoders: Sequence[str],
    notions: Sequence[Notion],
    methods: Methods = ("raw", "exact", "oracle"),
    dim: int | str = 128,
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[str] = ANALYSIS_METRICS,
    embed: Embed | None = None,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """The metrics of every notion and method for each encoder. Images and prompts are embedded once per encoder and cached.

    An encoder that cannot be used, for example without its weights, gives a refused run per notion and method, with the reason. Arguments, errors and
    result are those of `compare`, with a first column `encoder`; `should_stop` also ends an embedding.

    Args:
        encoders: names that `likeness.encoders.load_encoder` takes, such as `SHIPPED_ENCODERS` or `PAPER_ENCODERS`.
        methods: default: those of the paper's figure.
        dim: dimensions of the notions' spaces, by default the paper's; "suggested": from each encoder's prompts, or 0 for an encoder that cannot be
            used.
        embed: (table, encoder) -> the encoder's space; by default `likeness.embedding.embed`.

    InputError: no encoder, a repeated one, or none that can be used.
    """
    check_encoders(encoders)
    empty = no_runs(table, notions, methods, (dim,), seeds, metrics=metrics)
    make = embed or (lambda images, encoder: embed_table(images, encoder, should_stop=should_stop))
    each = len(notions) * sum(len(seeds) if method.seeds else 1 for method in named_methods(methods))
    frames: list[tuple[str, pd.DataFrame]] = []
    refused = dict.fromkeys(encoders, "")
    for place, encoder in enumerate(encoders):
        keep, share = labeled(on_run, encoder=encoder), progress_of_part(progress, place * each, len(encoders) * each)
        base = None if should_stop and should_stop() else _usable(make, table, encoder, notions, methods)
        if base is None or (should_stop and should_stop()):  # a stopped embedding is no space, and no reason to refuse the encoder
            break
        if isinstance(base, str):
            refused[encoder] = base
            frames.append((encoder, _refused(base, notions, methods, dim, metrics, keep)))
        else:
            runs = compare(base, notions, methods, (dim,), seeds, metrics=metrics, progress=share, should_stop=should_stop, on_run=keep)
            frames.append((encoder, runs))
        if share:
            share(each, each)
    if all(refused.values()):
        raise InputError(f"None of the encoders {', '.join(encoders)} can be used; the first reason: {refused[encoders[0]]}")
    return joined(frames, "encoder", empty)


def check_encoders(encoders: Sequence[str]) -> None:
    """InputError, as `encoder_sizes`: no encoder, or a repeated one."""
    if not len(encoders):
        raise InputError("There is no encoder to measure; pass at least one, such as 'cars'.")
    for encoder in encoders:
        if list(encoders).count(encoder) > 1:
            raise InputError(f"The encoder '{encoder}' stands twice; give each once.")


def _usable(make: Embed, table: ImageTable, encoder: str, notions: Sequence[Notion], methods: Methods) -> Space | str:
    """The encoder's space once it has read all images and prompts, or the reason why it can't."""
    try:
        base = make(table, encoder)
        if any(method.learns_from in ("text", "other text") for method in named_methods(methods)):
            embed_texts(encoder, [prompt for notion in notions for prompt in notion.prompts])
    except InputError as error:
        return str(error)
    return base


def _refused(reason: str, notions: Sequence[Notion], methods: Methods, dim: int | str, metrics: Sequence[str], on_run: OnRun | None) -> pd.DataFrame:
    size = 0 if dim == SUGGESTED else dim
    unmeasured: dict[str, Any] = {"dim": size, "seed": 0, "fit_seconds": np.nan, "refused": reason} | dict.fromkeys(metrics, np.nan)
    rows = [{"notion": notion.name, "method": method.name} | unmeasured for notion in notions for method in named_methods(methods)]
    for row in rows:
        if on_run:
            on_run(dict(row))
    return pd.DataFrame(rows)
