"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Source = Annotated[str, typer.Argument(help="{datasets}")]
EncoderName = Annotated[str, typer.Option("--encoder", "-e", help="{encoders}.")]
NotionName = Annotated[str | None, typer.Option("--notion", "-n", help="A notion's name (see `likeness info`) or a YAML file.")]
Dim = Annotated[int, typer.Option("--dim", "-d", min=1, help="Dimensions of the notion's space.")]
Solver = Annotated[str, typer.Option(help="`exact`, or `adam`: the paper's procedure.")]
Seed = Annotated[int, typer.Option(help="Seed of all random choices.")]
OutputFile = Annotated[Path | None, typer.Option("--out", "-o", help="File to write.")]
Format = Annotated[str, typer.Option(help="table, markdown, csv or latex.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="Another value, by dotted key: `--set guidance.omega=5`; may be repeated.")]
