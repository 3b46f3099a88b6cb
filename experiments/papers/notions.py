"""InDiReCT's tables and figures: methods for notions on the paper's five datasets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from experiments.papers.session import Found, Session
from experiments.published import side_by_side
from experiments.study_tables import ranged_statistics
from likeness.commands.inputs import embedded
from likeness.commands.saliency import saliency
from likeness.commands.terminal import measured, write_csv
from likeness.data import has_label, read_dataset
from likeness.io import read_figures
from likeness.notions import PAPER_METHODS, InDiReCT, get_notion, list_notions
from likeness.projection import trimap_map
from likeness.studies import PAPER_DIM, PAPER_ENCODERS, compare, embedding_sizes, encoder_sizes, prompt_counts, published

if TYPE_CHECKING:
    from likeness.notions import Notion

# The paper's name of each dataset.
INDIRECT = {
    "synthetic-cars": "Synthetic Cars",
    "cars196": "Cars196",
    "cub200": "CUB200",
    "deepfashion": "DeepFashion",
    "movie-posters": "Movie Posters",
}
_METHODS = (*PAPER_METHODS, "faded", "other-words")
_CARS_NOTIONS = ("cars196-car-model", "cars196-manufacturer", "cars196-car-type")


def prompts_table(dataset: str, session: Session) -> Found:
    """Table 1: images, classes and prompts of each notion beside the paper's. InputError: as `read_dataset`."""
    table, paper = read_dataset(session.source(dataset)), published(dataset=INDIRECT[dataset], table="table1").set_index("notion")
    lines = []
    for notion in _notions(table.attributes):
        own = table.frame[notion.attribute]
        theirs = paper[["class_count", "aspect_count"]].reindex([notion.name.removesuffix(" names")]).astype("Int64").iloc[0]
        line = {"notion": notion.name, "images": int(has_label(own).sum()), "classes": own[has_label(own)].nunique(), "prompts": len(notion.prompts)}
        lines.append(line | {"classes, paper": theirs["class_count"], "prompts, paper": theirs["aspect_count"], "template": notion.template})
    found = pd.DataFrame(lines)
    return Found(found, {"Datasets, notions and prompts": found})


def _notions(attributes: Sequence[str]) -> "list[Notion]":
    """The notions that ship and that these labels judge."""
    return [notion for notion in list_notions() if notion.attribute in attributes and not notion.joined]


def _notion_runs(session: Session, dataset: str) -> pd.DataFrame:
    """Runs of all methods, notion by notion; those of notions that are finished are read."""
    parts = []
    for notion in _notions(read_dataset(session.source(dataset)).attributes):
        file = session.out / "runs" / f"indirect-{dataset}" / f"{notion.slug}.csv"
        if not file.is_file():
            analysis = partial(compare, session.space(dataset), [notion], _METHODS, (PAPER_DIM, "suggested"), session.runs)
            write_csv(file, measured(f"{dataset}, {notion.name}", None, analysis))
        parts.append(read_figures(file))
    return pd.concat(parts, ignore_index=True)


def methods_table(dataset: str, session: Session) -> Found:
    """Table 2, with all seven metrics of the appendix as shares, at the paper's 128 dimensions; runs have the suggested ones, too.

    InputError: as `compare`.
    """
    runs, theirs = _notion_runs(session, dataset), published(dataset=INDIRECT[dataset])
    names = theirs[theirs["notion"] == "car model"].assign(notion="car model names")  # the paper's prompts for car model are names, too
    ours = runs[runs["dim"].eq(PAPER_DIM) | runs["method"].eq("raw")]
    table = side_by_side(ranged_statistics(ours), pd.concat([theirs, names], ignore_index=True)).reset_index()
    return Found(runs, {f"{PAPER_DIM} dimensions": table})


def supervised_table(session: Session) -> Found:
    """Section 5: Prec@1, a share, beside networks that were trained with labels. InputError: as `compare`."""
    parts = [_notion_runs(session, dataset).assign(dataset=INDIRECT[dataset]) for dataset in ("cars196", "cub200")]
    runs, theirs = pd.concat(parts, ignore_index=True), published(table="section5")
    own = runs[
        runs["notion"].isin(theirs["notion"]) & (runs["method"].eq("raw") | (runs["dim"].eq(PAPER_DIM) & runs["method"].isin(["exact", "adam"])))
    ]
    ours = ranged_statistics(own, ["precision_at_1"])
    printed = published().merge(ours[["notion", "metric", "method", "dim"]])
    every = pd.concat([ours.assign(side="here"), pd.concat([theirs, printed]).assign(side="paper")], ignore_index=True)
    table = every[["notion", "method", "dim", "side", "mean", "std"]].sort_values(["notion", "method", "dim"], kind="stable")
    return Found(runs, {"Prec@1": table.round(3)})


def saliency_maps(session: Session) -> Found:
    """Figure 2, a picture of the first four images, at the paper's two dimensions. InputError: as `likeness saliency`."""
    picture = session.out / "indirect-figure-2-cars196.png"
    settings: dict[str, Any] = {"rows": None, "samples": 25, "percentile": 99.0, "base": "black", "blur": 1.0, "seed": 0}
    saliency(session.source("cars196"), notion=",".join(_CARS_NOTIONS), dim=2, encoder=session.encoder, out=picture, **settings)
    found = pd.DataFrame({"notion": _CARS_NOTIONS, "dim": 2, "picture": picture.name})
    return Found(found, {"Image, raw encoder, each notion and what it adds": found})


def trimap_maps(session: Session) -> Found:
    """Figure 2 of the appendix: a position of each image by TriMap, raw and by notion. InputError: as `Space.refit`."""
    base, parts = session.space("cars196"), []
    for notion in map(get_notion, _CARS_NOTIONS):
        for name, vectors in (("raw", base.vectors), (notion.name, base.refit(notion, InDiReCT(min(PAPER_DIM, base.vectors.shape[1]))).vectors)):
            x, y = trimap_map(vectors).T
            parts.append(pd.DataFrame({"notion": notion.name, "space": name, "x": x, "y": y, "label": base.table.frame[notion.attribute]}))
    runs = pd.concat(parts, ignore_index=True)
    return Found(runs, {"Positions by TriMap": runs.groupby(["notion", "space"], sort=False).size().rename("images").reset_index()})


def by_size(analysis: Callable[..., pd.DataFrame], by: str, session: Session) -> Found:
    """MAP@R, a share, by notion, method and what is varied; `analysis` measures with `measured`. InputError: as the analysis."""
    runs = measured(by, None, partial(analysis, session))
    means = runs.groupby(["notion", "method", by], sort=False)["map_at_r"].mean().unstack(by).round(3)
    refused = sorted({text for text in runs["refused"] if text}) if by == "encoder" else []
    return Found(runs, {"MAP@R": means.reset_index()} | ({"Refused": pd.DataFrame({"reason": refused})} if refused else {}))


def sizes_table(session: Session, **options: Any) -> pd.DataFrame:
    """Runs of Figure 3. InputError: as `embedding_sizes`."""
    return embedding_sizes(session.space("cars196"), [get_notion(name) for name in _CARS_NOTIONS], seeds=session.runs, **options)


def encoders_table(session: Session, **options: Any) -> pd.DataFrame:
    """Runs of Figure 4, whose first encoder is the session's. InputError: as `encoder_sizes`."""
    table = read_dataset(session.source("synthetic-cars"))
    encoders = dict.fromkeys([session.encoder, *PAPER_ENCODERS[1:]])
    return encoder_sizes(table, list(encoders), _notions(table.attributes), seeds=session.runs, embed=embedded, **options)


def counts_table(session: Session, **options: Any) -> pd.DataFrame:
    """Runs of Figure 5. InputError: as `prompt_counts`."""
    return prompt_counts(session.space("cars196"), get_notion(_CARS_NOTIONS[0]), seeds=session.runs, **options)
