"""`likeness fit`."""

from typing import Annotated

import typer

from likeness.commands.inputs import notion_named
from likeness.commands.options import Dim, EncoderName, OutputFile, Seed, Solver
from likeness.defaults import ENCODER


def fit(
    notion: Annotated[str, typer.Argument(help="A notion's name (see `likeness info`) or a YAML file.")],
    encoder: EncoderName = ENCODER,
    dim: Dim = 128,
    solver: Solver = "exact",
    seed: Seed = 0,
    out: OutputFile = None,
) -> None:
    """Fit a notion on its prompts alone; `--out U.npy` writes the projection, (encoder dimensions, dim).

    Example: `likeness fit car-color --dim 16 --out U.npy`
    """
    import time

    import numpy as np

    from likeness.encoders import embed_texts
    from likeness.notions import InDiReCT

    chosen = notion_named(notion)
    texts = embed_texts(encoder, chosen.prompts)
    start = time.perf_counter()
    estimator = InDiReCT(dim=dim, solver=solver, seed=seed).fit(texts.vectors)
    seconds = time.perf_counter() - start
    typer.echo(
        f"{chosen.name}: {len(chosen.prompts)} prompts, {texts.n_encoded} encoded, fitted in {1000 * seconds:.0f} ms, "
        f"mean angle {np.degrees(estimator.loss_):.3g} degrees"
    )
    if out:
        import io

        from likeness.io import write_atomic

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(estimator.U))
        write_atomic(out, buffer.getvalue())
