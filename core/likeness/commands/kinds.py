"""`likeness kinds`: tables of all registered names, one per kind."""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from likeness.commands.options import Format
from likeness.commands.terminal import print_table
from likeness.errors import InputError

# Kind -> where its entries are listed, or what lists them.
KINDS = {
    "objectives": "likeness.losses:OBJECTIVES",
    "miners": "likeness.samplers:MINERS",
    "methods": "likeness.notions.methods:METHODS",
    "metrics": "likeness.evaluation.definitions:LISTED",
    "datasets": "likeness.data:named_datasets",
    "formats": "likeness.data:FORMATS",
    "labels": "likeness.labels.sources:KINDS",
    "language-models": "likeness.language:LANGUAGE_FAMILIES",
    "encoders": "likeness.encoders:encoder_families",
    "targets": "likeness.exports:TARGETS",
}


def kinds(kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.")], format: Format = "table") -> None:
    """List registered names, each with its title, description, and options with defaults and bounds.

    Examples: `likeness kinds objectives`, `likeness kinds metrics --format markdown`
    """
    import pandas as pd

    if kind not in KINDS:
        raise InputError(f"There is no list of '{kind}'; choose from {', '.join(KINDS)}.")
    print_table(pd.DataFrame([_row(entry) for entry in entries(kind)]), format)


def entries(kind: str) -> list[Any]:
    """The entries of a kind."""
    module, name = KINDS[kind].split(":")
    registry = getattr(import_module(module), name)
    found = registry() if callable(registry) else registry
    return [entry for entry in (found.values() if isinstance(found, Mapping) else found) if getattr(entry, "listed", True)]


def _row(entry: Any) -> dict[str, str]:
    row = {field: getattr(entry, field) for field in ("name", "title", "help") if hasattr(entry, field)}
    if hasattr(entry, "form"):
        row["form"] = (entry.form or entry.name).replace("'", "`")
    if hasattr(entry, "options"):
        row["options"] = ", ".join(f"{name} {option.text()}" for name, option in entry.options.items())
    return row
