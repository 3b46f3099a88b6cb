"""Writes docs/catalogue.md, the list of all that can be named, from the registries: `python docs/write_catalogue.py`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from likeness.commands.kinds import entries
from likeness.encoders import PUBLISHED
from likeness.losses import WRAPPERS
from likeness.projection import METHODS as LAYOUTS
from likeness.search import RANKINGS

PAGE = Path(__file__).with_name("catalogue.md")
Row = tuple[str, str, str]


def page() -> str:
    """The page of the registries as they are."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- generated: `python docs/write_catalogue.py` writes this page -->\n"
    yield "# Catalogue\n"
    yield "Everything that a config, a command or a call can name. `likeness kinds` prints most of it with options, defaults and bounds.\n"
    yield "To add one of your own, see [CONTRIBUTING.md](../CONTRIBUTING.md); in Python, an object works wherever a name does."
    yield from _table("Losses", "A run names one as `objective.name`: [training](training.md).", "paper", _of("objectives"))
    yield from _table("Wrappers of losses", "Keys of a config's `objective`, around a loss on classes.", "paper", map(_row, WRAPPERS.values()))
    yield from _table("Miners", "A run names one as `objective.miner.name`.", "paper", _of("miners"))
    yield from _table("Methods for notions", "For `likeness evaluate --methods` and `space.refit(notion, METHOD)`.", "paper", _of("methods"))
    yield from _table(
        "Metrics",
        "For `--metrics` and `space.metrics(include=[...])`; `{k}` is any number. P(i) is the share of the i nearest that have the query's label, "
        "rel(i) 1 if the i-th has it, else 0.",
        "known as",
        map(_metric, entries("metrics")),
    )
    yield from _table(
        "Datasets",
        "Where they come from and how their folders look: [datasets](datasets.md). Generated ones and the last four need a clone with `make app`.",
        "source",
        map(_dataset, entries("datasets")),
    )
    yield from _table(
        "Formats",
        "Recognized by their marks; `lk.read(SOURCE, as_=NAME)` chooses one. `lk.load` reads those of vectors: [datasets](datasets.md).",
        "source",
        ((each.name, _sentence(each.help), each.form) for each in entries("formats")),
    )
    yield from _table(
        "Continuous labels",
        "For `likeness continuous --kind` and a run's `labels.kind`: [training](training.md#how-do-i-train-on-continuous-labels).",
        "",
        _of("labels"),
    )
    yield from _table("Encoders", "Families, by what their names look like.", "name in full", map(_family, entries("encoders")))
    yield from _table("Published encoders", "`likeness encoders list` adds size and speed.", "license", map(_published, PUBLISHED.values()))
    yield from _table("Language models", "They read class names and captions.", "name in full", map(_family, entries("language-models")))
    yield from _table(
        "Rankings",
        "For `likeness search --ranking`, `likeness evaluate --ranking`, `space.nearest(ranking=...)` and `space.metrics(ranking=...)`; options: "
        "`k-reciprocal:k1=10,weight=0.5`. `likeness.evaluation.quantization_losses` measures what `int8` and `binary` lose.",
        "options",
        map(_ranking, RANKINGS.items()),
    )
    yield from _table("Layouts of maps", "For `space.map(method=...)`.", "paper", ((name, each.help, each.paper) for name, each in LAYOUTS.items()))
    yield from _table("Export targets", "For `likeness export` and `lk.export`: [exporting](exporting.md).", "", _of("targets"))


def _table(title: str, about: str, third: str, rows: Iterable[Row]) -> Iterator[str]:
    """A section: a sentence and a table, whose third column is left out where it has no name."""
    yield f"\n## {title}\n\n{about}\n"
    yield f"| name | what it does |{f' {third} |' * bool(third)}\n|---|---|{'---|' * bool(third)}"
    yield from (f"| `{name}` | {text} |{f' {more} |' * bool(third)}" for name, text, more in rows)


def _of(kind: str) -> Iterator[Row]:
    return map(_row, entries(kind))


def _row(entry: Any) -> Row:
    return entry.name, _sentence(entry.help), getattr(entry, "paper", "")


def _metric(entry: Any) -> Row:
    return entry.name, _sentence(entry.help), entry.title


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _dataset(entry: Any) -> Row:
    source = entry.layout or entry.archive
    page = source.page.partition(" ")[0] if source else ""
    return entry.usage, entry.help, f"[{page.split('/')[2].removeprefix('www.')}]({page})" if page else entry.origin


def _ranking(entry: tuple[str, Any]) -> Row:
    name, (function, options) = entry
    first = str(function.__doc__).strip().partition("\n")[0].removesuffix(" Otherwise as `k_reciprocal`.")
    return name, _sentence(first), ", ".join(f"`{key}`: {option.text()}" for key, option in options.items())


def _family(entry: Any) -> Row:
    return entry.name, entry.help, (entry.form or entry.name).replace("'", "`")


def _published(entry: Any) -> Row:
    return entry.name, entry.help, entry.license


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
