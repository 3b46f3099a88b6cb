"""`likeness known`."""

from typing import Annotated

import typer

from likeness.commands.inputs import embedded, source_table, space_named, tell_left_out
from likeness.commands.options import Dim, EncoderName, Format, NotionName, OutputFile
from likeness.commands.terminal import print_first, write_csv
from likeness.errors import InputError

_SHOWN = 20


def known(
    gallery: Annotated[str, typer.Argument(help="Images of known items: {datasets}")],
    queries: Annotated[str, typer.Argument(help="Images to identify, of the same kind.")],
    by: Annotated[str, typer.Option(help="Attribute that names the item. If the queries have it too, the answers are judged.")] = "class",
    far: Annotated[float, typer.Option(help="False-accept rate: the share of images of new items that is taken for a known one.")] = 0.01,
    notion: NotionName = None,
    encoder: EncoderName = None,
    dim: Dim = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Say which known item each query shows, or that it is new; and about how many items the queries show.

    The threshold comes from the gallery: each item in turn is left out, and its images are new. An image's score is its similarity to the nearest
    image, minus half of that to the nearest of another item. --out writes all answers; `item` is empty for new ones.

    Examples: `likeness known catalog/ photos/ --out answers.csv`, `likeness known whales.csv new/ --by individual --far 0.05`
    """
    import numpy as np
    import pandas as pd

    from likeness.data import has_label, image_classes
    from likeness.evaluation import OpenSet, accept_threshold, best_items, count_items, known_scores, leave_one_out

    if not 0 < far < 1:
        raise InputError(f"--far is {far}; pass a share above 0 and below 1, such as 0.01.")
    table, asked = source_table(gallery), source_table(queries)
    items = image_classes(table, by)
    space = space_named(embedded(table, encoder), notion, dim)
    query = space_named(embedded(asked, (space.base or space).encoder_name), notion, dim)
    rows = np.flatnonzero(items.labels >= 0)
    tell_left_out(by, len(table) - len(rows), len(table))
    vectors, labels = space.vectors[rows], items.labels[rows]
    own, places = leave_one_out(vectors, labels)
    limit = accept_threshold(own.scores[~own.known], labels[places[~own.known]], far)
    codes, similarities, nearest = best_items(query.vectors, vectors, labels)
    scores, count = known_scores(similarities), count_items(query.vectors, vectors, labels)
    names = np.array(items.names, object)[np.unique(labels)][codes[:, 0]]
    item = np.where(scores > limit.value, names, "")
    found = pd.DataFrame({"path": asked.frame["path"], "item": item, "score": scores.round(4), "similarity": similarities[:, 0].round(4)})
    found["nearest"] = table.frame["path"].to_numpy()[rows][nearest]
    typer.echo(
        f"{(item != '').sum():,} of {len(item):,} show a known item: their score is above {limit.value:.4f}. In the gallery, {far:.2%} of new images "
        f"are accepted ({limit.low:.2%} to {limit.high:.2%} of further items), and {own.dir_at(far):.1%} of known ones with the right item.",
        err=True,
    )
    about = "an unknown number of" if np.isnan(count.items) else f"at least about {count.items:,.0f}"
    typer.echo(f"The queries show {about} items ({count.low:,.0f} to {count.high:,.0f}).", err=True)
    if by in asked.attributes and (judged := has_label(asked.frame[by])).any():
        true = asked.frame[by].astype(str).to_numpy()[judged]
        here, accepted = OpenSet(scores[judged], names[judged] == true, np.isin(true, items.names)), item[judged] != ""
        right = accepted & here.right
        with np.errstate(invalid="ignore"):
            rates = [accepted[~here.known].mean(), right[here.known].mean(), right.sum() / accepted.sum(), here.auroc, here.aurc]
        words = "{:.2%} of new ones accepted, {:.1%} of known ones right, {:.1%} of the answers right; AUROC of known against new {:.3f}, AURC {:.3f}"
        typer.echo(f"By their {by}: {words.format(*rates)}.", err=True)
    write_csv(out, found)
    print_first(found, _SHOWN, format, "--out FILE writes all")
