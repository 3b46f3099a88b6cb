"""`likeness fit`."""

from typing import Annotated

import typer

from likeness.commands.inputs import notion_named, tell_warnings
from likeness.commands.options import Dim, EncoderName, OutputFile, Seed, Solver


def fit(
    notion: Annotated[str, typer.Argument(help="A notion's name (see `likeness info`) or a YAML file.")],
    encoder: EncoderName = None,
    dim: Dim = None,
    solver: Solver = "exact",
    seed: Seed = 0,
    out: OutputFile = None,
) -> None:
    """Fit a notion from its prompts only; `--out U.npy` writes the projection matrix, (encoder dimensions, dim).

    Examples: `likeness fit setting`, `likeness fit car-color --dim 16 --out U.npy`
    """
    import time

    import numpy as np

    from likeness.encoders import embed_texts
    from likeness.notions import InDiReCT, JoinedProjection, aspect_rows, notion_dim, notion_encoder, parts_of

    chosen = notion_named(notion)
    encoder = encoder or notion_encoder(chosen)
    tell_warnings(chosen, encoder)
    parts = parts_of(chosen)
    texts = embed_texts(encoder, [prompt for _, each in parts for prompt in each.prompts])
    ends = np.cumsum([len(each.prompts) for _, each in parts])[:-1]
    rows = [aspect_rows(vectors, each) for vectors, (_, each) in zip(np.split(texts.vectors, ends), parts, strict=True)]
    start = time.perf_counter()
    fitted, removed = [], []
    for (weight, each), own in zip(parts, rows, strict=True):
        if weight > 0:
            fitted.append((weight, InDiReCT(dim=notion_dim(each, own) if dim is None else dim, solver=solver, seed=seed).fit(own)))
        else:
            removed.append((-weight, own))
    estimator = fitted[0][1] if len(parts) == 1 else JoinedProjection(fitted, removed)
    seconds = time.perf_counter() - start
    angle = f", {fitted[0][1].describe_loss()}" if len(parts) == 1 else ""
    typer.echo(
        f"{chosen.name}: {len(texts.vectors)} prompts, {texts.n_encoded} encoded by {encoder}, {estimator.U.shape[1]} dimensions, "
        f"fitted in {1000 * seconds:.0f} ms{angle}"
    )
    if out:
        import io

        from likeness.io import write_atomic

        buffer = io.BytesIO()
        np.save(buffer, np.asarray(estimator.U))
        write_atomic(out, buffer.getvalue())
