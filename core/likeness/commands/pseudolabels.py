"""`likeness pseudolabels`."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.options import Changes, output_file
from likeness.commands.terminal import progress_bar
from likeness.commands.train import changed


def pseudolabels(
    config: Annotated[str, typer.Argument(help="A YAML file or a preset, of kind plg.")],
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="CSV file: a line per class, its names best first.")],
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="Names of each class.")] = 20,
    change: Changes = None,
) -> None:
    """Give every class ImageNet names by a classifier, once: `guidance.pseudolabels` of a config reads the file where no classifier is at hand.

    Example: `likeness pseudolabels my.yaml --out names.csv --set guidance.classifier.name=resnet50`
    """
    from dataclasses import replace

    from likeness.language import imagenet_names, write_pseudolabels
    from likeness.training import pseudolabels as found, read_config, run_images, with_changes

    changes = {"guidance.kind": "plg", "guidance.level": "class", "guidance.k": k} | dict(changed(each) for each in change or [])
    chosen = with_changes(read_config(config), changes)
    images = run_images(chosen.data, chosen.seed)
    every, names = replace(images, train=images.used), imagenet_names()
    with progress_bar("Images") as progress:
        labels = found(chosen, every, progress)
    table = {name: [names[number] for number in row] for name, row in zip(images.names, labels, strict=True)}
    write_pseudolabels(out, table)
    for name, own in table.items():
        typer.echo(f"{name}: {', '.join(own[:5])}")
