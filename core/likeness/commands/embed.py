"""`likeness embed`."""

from typing import Annotated, Any

import typer

from likeness.commands.inputs import embedded
from likeness.commands.options import EncoderName, OutputFile, Source
from likeness.commands.terminal import printable


def embed(
    source: Source,
    encoder: EncoderName = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Images per forward pass.")] = 256,
    out: OutputFile = None,
    store: Annotated[
        str | None, typer.Option(help="Folder or URL (s3://...) of the stored embeddings; on a cluster, reachable from all nodes.")
    ] = None,
    engine: Annotated[str, typer.Option(help="`local`, or `ray`: several processes on this machine or a Ray cluster.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="Maximum number of `ray` processes; by default one per GPU or machine.")] = None,
    precision: Annotated[
        str | None, typer.Option(help="`bf16`: compute in bfloat16, faster on GPUs; stored separately. `32`: compute in float32.")
    ] = None,
    gps: Annotated[bool, typer.Option("--gps", help="Also read GPS positions of photos in a folder, as columns latitude and longitude.")] = False,
    ray_address: Annotated[str | None, typer.Option(help="Address of a Ray cluster; by default RAY_ADDRESS, or a new local one.")] = None,
) -> None:
    """Embed images and store the vectors. A second call reads only new or changed images.

    From a folder it reads photos (JPEG, PNG, HEIC, AVIF, TIFF, WebP, GIF and more), previews of raw files, one frame per second of a video and each
    page of a PDF; dates and cameras become columns. SOURCE may also be an fsspec URL (`s3://bucket/photos`), or a table of URLs.

    Examples: `likeness embed photos/`, `likeness embed labels.csv --encoder ViT-B-32/openai --out vectors.parquet`,
    `likeness embed s3://bucket/photos --engine ray --store s3://bucket/store`
    """
    from likeness.data import is_url, read_dataset, read_remote_folder
    from likeness.encoders import check_engine, with_precision
    from likeness.io import check_vector_file

    check_engine(engine, workers)
    with_precision(encoder or "", precision)  # refuses one that is unknown
    if out:
        check_vector_file(out)
    # of this machine or behind URLs: whoever types a command may read what the machine reaches
    table = read_remote_folder(source) if is_url(source) and not source.startswith("hf://") else read_dataset(source, gps=gps, remote=True)
    if out:
        check_vector_file(out, table.attributes)
    options: dict[str, Any] = {"store_dir": store, "engine": engine, "workers": workers, "ray_address": ray_address, "precision": precision}
    base = embedded(table, encoder, batch_size=batch_size, remote=True, **options)
    for failure in base.table.failed:
        typer.echo(printable(f"skipped {failure.path}: {failure.reason}").replace("\n", " "), err=True)
    n, d = base.vectors.shape
    typer.echo(f"{n} images, {d} dimensions, {len(base.table.failed)} skipped")
    if out:
        base.save(out)
        typer.echo(f"wrote {out}")
