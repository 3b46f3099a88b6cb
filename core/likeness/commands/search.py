"""`likeness search`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from likeness.commands.inputs import embedded, notion_named, rows_where, source_table, space_named, tell_cut_or_unknown
from likeness.commands.options import Dim, EncoderName, NotionName, Source, plain_text
from likeness.commands.terminal import print_table
from likeness.defaults import DATASET
from likeness.errors import InputError

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


def search(
    source: Source = DATASET,
    text: Annotated[str | None, typer.Option(callback=plain_text, help="Find images for a text.")] = None,
    image: Annotated[Path | None, typer.Option(help="Find images for an image file.")] = None,
    row: Annotated[int | None, typer.Option(min=0, help="Find images for image number ROW.")] = None,
    query: Annotated[
        str | None,
        typer.Option(help='Find images for a composed query, with signs and weights: \'row:3 + "red" - 0.5 "at night" + image:photo.jpg\'.'),
    ] = None,
    change: Annotated[str | None, typer.Option(help="With --row: the same image with another aspect of a notion, such as `car-color=red`.")] = None,
    notion: NotionName = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many.")] = 10,
    encoder: EncoderName = None,
    dim: Dim = None,
    where: Annotated[str | None, typer.Option(help="Only images with this attribute value or tag: `class=beagle`, `good=yes`.")] = None,
    ranking: Annotated[
        str, typer.Option(help="`cosine`, `k-reciprocal`, `alpha-qe`, `int8` or `binary`; options as in `k-reciprocal:k1=20,k2=6,weight=0.3`.")
    ] = "cosine",
    why: Annotated[bool, typer.Option("--why", help="Say what each image shares with the query, as far as labels and trusted notions tell.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Find similar images, in the raw encoder's space or a notion's.

    For a text, a sentence says whether any image shows it, or nothing here matches.

    If an index was built (`likeness index`) and is faster, results are approximate, and their estimated recall is printed.

    Examples: `likeness search --text "a red car"`, `likeness search photos/ --image query.jpg --notion car-color`,
    `likeness search --row 3 --notion "car-color + 0.5 car-model - background-color"`,
    `likeness search --query 'row:3 + "a red car" - 0.5 "a car seen from behind"'`,
    `likeness search --row 3 --change car-color=red --notion "car-color + car-model"`, `likeness search --row 3 --ranking k-reciprocal:k1=10`
    """
    import numpy as np

    from likeness.changed_place import changed_place
    from likeness.data import with_columns_before
    from likeness.reasons import reasons
    from likeness.search import find_ranking, parse_query

    if sum(given is not None for given in (text, image, row, query)) != 1:
        raise InputError("Pass exactly one of --text, --image, --row and --query.")
    if change is not None and row is None:
        raise InputError("--change needs an image; pass --row.")
    if ranking != "cosine":
        find_ranking(ranking)
        if query is not None:
            raise InputError("--ranking needs a single query; remove --query.")
    changed = None if change is None else _aspect(change)
    composed = None if query is None else parse_query(query)
    files = [what for _, what in composed.terms if isinstance(what, Path)] if composed else []
    for file in files if image is None else [image]:
        if not file.is_file():
            raise InputError(f"There is no file '{file}'; give the path of an image.")
    space = space_named(embedded(source_table(source), encoder), notion, dim)
    if row is not None and row >= len(space.table):
        raise InputError(f"There is no image {row}; the last of {source} is {len(space.table) - 1}.")
    told = tell_cut_or_unknown(space, [text] if text is not None else composed.texts if composed else [])
    allowed = None if where is None else np.isin(np.arange(len(space)), rows_where(space.table, where))
    if ranking == "cosine":
        _say_how(space)
    if composed is not None:
        found = space.nearest(composed, k, allowed=allowed)
    else:
        place = space.image_query(image) if image is not None else space.vectors[[row or 0]] if text is None else space.text_query(text)
        if changed is not None and row is not None:
            place = changed_place(space, row, *changed)[None]
        found = space.nearest(place[0], k, exclude=None if row is None else [row], allowed=allowed, ranking=ranking)
    frame = found.frame
    if why:
        said = found.why() if composed else reasons(space, image or text if row is None else row, found.rows.tolist())
        head = frame[["row", "similarity"]]
        frame = with_columns_before(frame.drop(columns=list(head)), {**head, "why": said})
    asked = space.presence(text, allowed) if text is not None else None
    if asked is not None:
        frame = frame.assign(presence=asked.answer, p_value=asked.p_value) if csv else frame
        if asked.answer != "unread" or not told:  # as the note says
            typer.echo(asked.sentence, err=csv)
    print_table(frame, "csv" if csv else "table")


def _aspect(change: str) -> "tuple[Notion, str]":
    from likeness.changed_place import known_aspect

    name, sign, aspect = change.partition("=")
    if not sign:
        raise InputError(f"Invalid change '{change}'; use NOTION=ASPECT, such as car-color=red.")
    notion = notion_named(name)
    return notion, known_aspect(notion, aspect)


def _say_how(space: "Space") -> None:
    """Prints the estimated recall to stderr if the search is approximate."""
    if space.search is not None and not space.search.wait().exact:
        typer.echo(space.search.message, err=True)
