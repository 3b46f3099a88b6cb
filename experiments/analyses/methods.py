"""Every method for a notion's words, on all notions and encoders, as measured by `experiments/figures/notion_methods.py`."""

import pandas as pd

from experiments.analyses.best_method import leave_one_notion_out, mean_over_sets
from likeness.notions import METHOD_TITLES, METHODS, list_notions
from likeness.studies import mean_text

_PAPER_DIM = 128
_CASE = ["images", "notion"]
_SETS = {"cars-small": "cars"}  # two encoders of the same images
_CONTROL = METHOD_TITLES["other-words"]


def methods_table(runs: pd.DataFrame, bold: bool = False) -> pd.DataFrame:
    """MAP@R of each method on each set of images, the mean over notions, and over the five heads for photos; of methods whose dimensions are
    chosen, in those that the prompts suggest and in the paper's 128. In "all images" cars (the mean of both encoders), photos and birds count alike.

    Args:
        runs: columns images, notion, method, dim, seed and map_at_r; "photos 0" to "photos 4" are one set of images.
        bold: the best of a column is put between double asterisks.

    Returns:
        Texts: a row per method that has a score for every notion, the best first, and the control with other words; a column per set of images.
    """
    cases = _scores(_titled(runs))
    counts = cases.groupby("method").size()
    means = cases.groupby(["method", "images"], sort=False)["map_at_r"].mean().unstack()
    means["all images"] = mean_over_sets(cases.set_index([*_CASE, "method"])["map_at_r"].unstack(), _SETS)
    complete = means[counts[means.index] == counts.max()].sort_values("all images", ascending=False, kind="stable", key=lambda each: each.round(9))
    control = means.loc[means.index == _CONTROL]  # an encoder that knows few words can't read some of the drawings
    texts = pd.concat([complete.drop(index=_CONTROL, errors="ignore"), control.rename(index={_CONTROL: f"{_CONTROL}, where known"})])
    texts = texts.map("{:.3f}".format)
    for column in texts if bold else ():
        texts.loc[complete[column].idxmax(), column] = f"**{complete[column].max():.3f}**"
    return texts.rename_axis(columns=None).reset_index().rename(columns={"index": "method"})


def cases_table(runs: pd.DataFrame, methods: "list[str] | None" = None) -> pd.DataFrame:
    """MAP@R of each notion and set of images by each method: mean ± deviation where seeds or heads differ by as much as can be read.

    Args:
        runs: as `methods_table`.
        methods: titles, in the order of the columns; None: all.
    """
    titled = _titled(runs).dropna(subset="map_at_r")
    texts = titled.groupby([*_CASE, "method"], sort=False)["map_at_r"].agg(mean_text).str.removesuffix(" ± 0.000").unstack("method")
    return texts[list(texts) if methods is None else methods].rename_axis(columns=None).fillna("–").reset_index()


def chosen_methods(runs: pd.DataFrame) -> pd.DataFrame:
    """`leave_one_notion_out` over all methods that have a score for every notion; notions of one label are left out together, and cars, photos and
    birds count alike.

    Args:
        runs: as `methods_table`.
    """
    labels = {notion.name: notion.attribute for notion in list_notions() if notion.attribute}
    cases = _scores(_titled(runs))
    full = cases.groupby("method")["map_at_r"].transform("size") == cases.groupby(_CASE).ngroups
    return leave_one_notion_out(cases[full], labels=labels, sets=_SETS)


def winners_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion and images: the method that is best on all others, its MAP@R here, InDiReCT's, the raw encoder's, and the best method here.

    Args:
        runs: as `methods_table`.

    Returns:
        Texts.
    """
    found = chosen_methods(runs)
    table = found[["images", "notion", "chosen", "score"]].assign(
        InDiReCT=found[METHOD_TITLES["exact"]], raw=found[METHOD_TITLES["raw"]], best=found["best"], best_score=found["best_score"]
    )
    figures = ["score", "InDiReCT", "raw", "best_score"]
    return table.assign(**{name: table[name].map("{:.3f}".format) for name in figures}).rename(
        columns={"chosen": "best on the others", "score": "MAP@R here", "raw": "raw encoder", "best": "best here", "best_score": "its MAP@R"}
    )


def _titled(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs whose method is the title with the choice of dimensions, and whose five heads count as one set of images."""
    chosen = [name for name, method in METHODS.items() if method.dims]
    suggested = runs[runs["method"] == "exact"].groupby(_CASE)["dim"].min().to_dict()
    sizes = pd.Series(runs.set_index(_CASE).index.map(suggested), index=runs.index)
    large = runs["method"].isin(chosen) & (runs["dim"] == _PAPER_DIM) & (sizes != _PAPER_DIM)
    titles = runs["method"].map(METHOD_TITLES).where(~large, runs["method"].map(METHOD_TITLES) + ", 128")
    return runs.assign(method=titles, images=runs["images"].str.replace(r" \d", "", regex=True))


def _scores(titled: pd.DataFrame) -> pd.DataFrame:
    return titled.groupby(["method", *_CASE], sort=False)["map_at_r"].mean().dropna().reset_index()
