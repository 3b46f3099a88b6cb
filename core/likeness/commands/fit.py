"""`likeness fit`."""

from typing import Annotated

import typer

from likeness.commands.inputs import notion_named, tell_warnings
from likeness.commands.options import Dim, OutputFile, Seed, Solver


def fit(
    notion: Annotated[str, typer.Argument(help="A notion's name (see `likeness info`) or a YAML file.")],
    encoder: Annotated[
        str | None, typer.Option("--encoder", "-e", help="{encoders}; by default `cars` for a notion of rendered cars, `photos` for others.")
    ] = None,
    dim: Dim = None,
    solver: Solver = "exact",
    seed: Seed = 0,
    out: OutputFile = None,
) -> None:
    """Fit a notion to its prompts alone; `--out U.npy` writes the projection, (encoder dimensions, dim).

    Examples: `likeness fit setting`, `likeness fit car-color --dim 16 --out U.npy`
    """
    import time

    import numpy as np

    from likeness.encoders import embed_texts
    from likeness.notions import InDiReCT, aspect_rows, notion_dim, notion_encoder

    chosen = notion_named(notion)
    encoder = encoder or notion_encoder(chosen)
    tell_warnings(chosen, encoder)
    texts = embed_texts(encoder, chosen.prompts)
    rows = aspect_rows(texts.vectors, chosen)
    start = time.perf_counter()
    size = notion_dim(chosen, rows) if dim is None else dim
    estimator = InDiReCT(dim=size, solver=solver, seed=seed).fit(rows)
    seconds = time.perf_counter() - start
    typer.echo(
        f"{chosen.name}: {len(chosen.prompts)} prompts, {texts.n_encoded} encoded by {encoder}, {size} dimensions, "
        f"fitted in {1000 * seconds:.0f} ms, mean angle {np.degrees(estimator.loss_):.3g} degrees"
    )
    if out:
        import io

        from likeness.io import write_atomic

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(estimator.U))
        write_atomic(out, buffer.getvalue())
