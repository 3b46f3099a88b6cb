"""`likeness notion`."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, OutputFile
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space

_SHOWN = 6  # words that were left out, of each reason


def notion(
    sentence: Annotated[str, typer.Argument(help="What makes images similar: 'same color of dog', 'kind of bird', 'what people are doing'.")],
    source: Annotated[str | None, typer.Argument(help="{datasets}; without images, no aspect is dropped.")] = None,
    encoder: EncoderName = None,
    alike: Annotated[list[str] | None, typer.Option(help="Numbers of two images that are alike, such as 3,17; may be repeated.")] = None,
    unlike: Annotated[list[str] | None, typer.Option(help="Numbers of two images that are not alike; may be repeated.")] = None,
    all_aspects: Annotated[bool, typer.Option("--all", help="Keep aspects that do not occur in the images.")] = False,
    out: OutputFile = None,
) -> None:
    """Make a notion from one sentence. Aspects come from word lists and WordNet; those that do not occur in the images are dropped.

    Prints what is fixed, what varies, and each aspect with the number of images that it matches best; `--out` writes the notion as YAML for other
    commands. Pairs of alike or unlike images change the words, like clicks in the app: an aspect is dropped, or a notion that fits the answers better
    is chosen.

    Examples: `likeness notion "same color of dog" photos/ --out dog-color.yaml`, `likeness notion "same car color" cars`,
    `likeness notion "same color" cars --alike 0,13 --alike 0,29 --unlike 0,8 --unlike 0,11`
    """
    from likeness.notions import write_notion
    from likeness.sentences import notion_from_sentence, read_sentence

    read_sentence(sentence)  # what can't be read is told before images are embedded
    said = [(*_pair(text), answer) for texts, answer in ((alike, True), (unlike, False)) for text in texts or ()]
    if said and not source:
        raise InputError("--alike and --unlike need images; name them after the sentence, as in 'likeness notion \"same color\" photos/'.")
    space = embedded(source_table(source), encoder) if source else None
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
    if space is not None and said:
        made = _clicked(space, made, said)
    if out:
        write_notion(out, made)


def _pair(text: str) -> tuple[int, int]:
    """`3,17` -> (3, 17)."""
    numbers = text.split(",")
    if len(numbers) != 2 or not all(each.strip().isdecimal() for each in numbers):
        raise InputError(f"Invalid pair '{text}'; give two image numbers, as in --alike 3,17.")
    return int(numbers[0]), int(numbers[1])


def _clicked(space: "Space", made: "Notion", said: list[tuple[int, int, bool]]) -> "Notion":
    """The notion that fits the answers about pairs, after printing what they changed."""
    from likeness.clicked_notion import clicked_notion, left_out
    from likeness.notions import Click

    paths = [str(path) for path in space.table.frame["path"]]
    clicks = [Click(paths[space.check_row(first)], paths[space.check_row(second)], answer) for first, second, answer in said]
    found = clicked_notion(space, made, clicks)
    left = left_out(made, found)
    if left is None:
        typer.echo(f"The answers fit '{found.name}' better: {', '.join(found.aspects)}")
    else:
        typer.echo(f"By the answers, left out: {', '.join(left)}" if left else "The words fit the answers as they are.")
    return found
