"""`likeness notion`."""

from collections import Counter
from typing import Annotated

import typer

from likeness.commands.inputs import embedded
from likeness.commands.options import EncoderName, OutputFile

_SHOWN = 6  # words that were left out, of each reason


def notion(
    sentence: Annotated[str, typer.Argument(help="What is to be the same: 'same color of dog', 'kind of bird', 'what people are doing'.")],
    source: Annotated[str | None, typer.Argument(help="{datasets}; without images, no aspect is left out.")] = None,
    encoder: EncoderName = None,
    all_aspects: Annotated[bool, typer.Option("--all", help="Keep aspects that do not occur in the images.")] = False,
    out: OutputFile = None,
) -> None:
    """Make a notion from one sentence: its aspects come from lists and WordNet, and those that do not occur in the images are left out.

    Prints what is held, what varies, and each aspect with the number of images that it matches best; `--out` writes the notion as YAML, for every
    command that takes one.

    Examples: `likeness notion "same color of dog" photos/ --out dog-color.yaml`, `likeness notion "same car color" cars`
    """
    from likeness.data import read_dataset
    from likeness.notions import write_notion
    from likeness.sentences import notion_from_sentence, read_sentence

    read_sentence(sentence)  # what can't be read is told before images are embedded
    space = embedded(read_dataset(source), encoder) if source else None
    found = notion_from_sentence(sentence, space, prune=not all_aspects)
    made = found.notion
    typer.echo(f"{made.name}: {made.question}")
    typer.echo(f"held: {found.held or 'the image as a whole'}; varies: {found.varies}; aspects from {found.source}")
    typer.echo(f"template: {made.templates[0]}")
    counts = [f" ({count:,})" for count in found.images] or [""] * len(made.aspects)
    typer.echo(f"{len(made.aspects)} aspects{' (images that each matches best)' if found.images else ''}:")
    typer.echo(", ".join(f"{aspect}{count}" for aspect, count in zip(made.aspects, counts, strict=True)))
    kinds = Counter(each.reason.partition(";")[0] for each in found.pruned)
    for reason, count in kinds.items():
        words = [each.aspect for each in found.pruned if each.reason.startswith(reason)][:_SHOWN]
        typer.echo(f"left out, {reason}: {', '.join(words)}{f' and {count - _SHOWN} more' if count > _SHOWN else ''}")
    if out:
        write_notion(out, made)
