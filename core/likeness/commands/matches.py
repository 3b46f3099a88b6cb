"""`likeness matches`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likeness.commands.inputs import composition_named, embedded, source_table, space_named, tell_cut_or_unknown
from likeness.commands.options import Dim, EncoderName, NotionName, OutputFile, Source
from likeness.commands.terminal import print_table, write_csv
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.io import check_output_file

if TYPE_CHECKING:
    import pandas as pd

    from likeness.cutoffs import Cutoff
    from likeness.space import Space

_YES, _NO = ("yes", "y", "1", "true"), ("no", "n", "0", "false")


def matches(
    source: Source = DATASET,
    text: Annotated[str | None, typer.Option(help="Images that match a text.")] = None,
    image: Annotated[Path | None, typer.Option(help="Images that match an image file.")] = None,
    row: Annotated[int | None, typer.Option(min=0, help="Images that match image number ROW.")] = None,
    query: Annotated[str | None, typer.Option(help="Images that match a composed query, as in `likeness search`.")] = None,
    notion: NotionName = None,
    negative: Annotated[list[str] | None, typer.Option(help="Negative prompt; may be repeated.")] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            help="CSV file with the columns path and label (yes or no). It is created if missing; the next images to label are added with an "
            "empty label; other columns are kept."
        ),
    ] = None,
    ask: Annotated[int, typer.Option(min=0, help="Number of images to label next.")] = 5,
    fdr: Annotated[float, typer.Option(help="Maximum share of wrong images in the guaranteed set, above 0 and below 1.")] = 0.1,
    confidence: Annotated[float, typer.Option(help="Probability that the guarantee holds, above 0 and below 1.")] = 0.9,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the images to label; keep it the same between calls.")] = 0,
    out: OutputFile = None,
    encoder: EncoderName = None,
    dim: Dim = None,
) -> None:
    """Find all images that match a query, with an error bound from a few labels.

    Prints estimates of the number of matches, precision and missed matches, and the set that is guaranteed. A guarantee takes 15 to 30 labels on
    images that this command chooses: fill them in in the file of --answers and call it again. `--out` writes the matches, with a column for
    guaranteed ones. If a text contains an aspect of the notion, the other aspects are used as negative prompts.

    Examples: `likeness matches --text "a red car" --notion car-color`,
    `likeness matches photos/ --text "a dog" --negative "a cat" --answers dogs.csv --out matches.csv`
    """
    from likeness.cutoffs import SpaceMatches, check_negatives, check_shares, other_prompts
    from likeness.notions import Notion
    from likeness.search import parse_query

    if sum(given is not None for given in (text, image, row, query)) != 1:
        raise InputError("Pass exactly one of --text, --image, --row and --query.")
    if image is not None and not image.is_file():
        raise InputError(f"There is no file '{image}'; give the path of an image.")
    composed = None if query is None else parse_query(query)
    check_shares(fdr, confidence)
    check_negatives(composed, negative or ())
    given = {} if answers is None else _answers(answers)
    space = space_named(embedded(source_table(source), encoder), notion, dim)
    tell_cut_or_unknown(space, [*([text] if text is not None else composed.texts if composed else []), *(negative or ())])
    known = {} if answers is None else _answers_of(given, answers, space)
    asked: Any = next(each for each in (text, image, row, composed) if each is not None)
    named = composition_named(notion) if notion and text else None
    negatives = [*(negative or ()), *(other_prompts(named, text) if text and isinstance(named, Notion) else ())]
    found = SpaceMatches(space, asked, negatives, fdr=fdr, confidence=confidence, seed=seed)
    cut = found.cut_off(known)
    typer.echo(cut.sentence)
    write_csv(out, _frame(space, cut))
    rows = found.next_to_ask(known, ask).tolist() if ask else []
    if rows:
        typer.echo(f"To label next{f', in {answers}' if answers else ''}:")
        print_table(space.table.frame.iloc[rows][["path"]].assign(row=rows)[["row", "path"]], "table")
    if answers is not None:
        write_csv(answers, _answer_file(answers, space, rows))


def _answers(file: Path) -> dict[str, str]:
    """Maps paths to answers ("" if unanswered), in file order; also raises InputError if the file is not writable."""
    from likeness.data import read_label_file

    check_output_file(file)
    found: dict[str, str] = {}
    for path, label in (read_label_file(file) if file.exists() else {}).items():
        said = label.strip().lower()
        if said not in (*_YES, *_NO, ""):
            raise InputError(f"Expected yes, no or an empty label in '{file}', got '{label}'.")
        found[path] = said
    return found


def _answers_of(given: dict[str, str], file: Path, space: "Space") -> dict[int, bool]:
    """Maps labeled rows to whether they match."""
    from likeness.data import labels_by_path

    rows = {str(path): row for row, path in enumerate(space.table.frame["path"])}
    found: dict[int, bool] = {}
    for path, said in labels_by_path(given, space.table).items():
        if path not in rows:
            raise InputError(f"'{file}' labels '{path}', which is not an image of '{space.table.name}'; delete its line.")
        if said:
            found[rows[path]] = said in _YES
    return found


def _answer_file(file: Path, space: "Space", rows: list[int]) -> "pd.DataFrame":
    """The file without lines that only have a path, plus lines for the images to label next."""
    import pandas as pd

    from likeness.data import label_frame

    lines = label_frame(file) if file.exists() else pd.DataFrame(columns=["path", "label"])
    said = (lines.drop(columns="path").map(str.strip) != "").any(axis=1)
    asked = pd.DataFrame({"path": space.table.frame["path"].iloc[rows].astype(str), "label": ""})
    kept = lines[said]
    return pd.concat([kept, asked[~asked["path"].isin(kept["path"])]], ignore_index=True).fillna("")


def _frame(space: "Space", cut: "Cutoff") -> "pd.DataFrame":
    """The matching or guaranteed images, best first."""
    from likeness.data import with_columns_before

    promised, found = dict.fromkeys(cut.promise.rows.tolist()), dict.fromkeys(cut.rows.tolist())
    rows = list(found | promised)
    return with_columns_before(space.table.frame.iloc[rows], {"row": rows, "promised": [row in promised for row in rows]})
