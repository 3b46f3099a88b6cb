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
        str | None, typer.Option(help="Folder or URL (s3://...) that keeps the embeddings; on a cluster, one that all nodes reach.")
    ] = None,
    engine: Annotated[str, typer.Option(help="`local`, or `ray`: several processes, of this machine or a Ray cluster.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, help="Most processes of the engine `ray`; by default one per GPU or machine.")] = None,
    precision: Annotated[
        str | None, typer.Option(help="`bf16`: the encoder computes in bfloat16, faster on GPUs; vectors are stored apart. `32`: in float32.")
    ] = None,
    gps: Annotated[bool, typer.Option("--gps", help="Also read where photos of a folder were taken: columns latitude and longitude.")] = False,
    ray_address: Annotated[str | None, typer.Option(help="Address of a Ray cluster; by default RAY_ADDRESS, or one is started here.")] = None,
) -> None:
    """Embed images and keep the vectors; run again, only new or changed images are read.

    In a folder, photos (JPEG, PNG, HEIC, AVIF, TIFF, WebP, GIF and more), the previews of raw files, each second of a video and each page of a PDF
    are read; dates and cameras become columns. SOURCE may also be a URL that fsspec knows (`s3://bucket/photos`), or a table whose paths are URLs.

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
    table = read_remote_folder(source) if is_url(source) else read_dataset(source, gps=gps, remote=True)
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
