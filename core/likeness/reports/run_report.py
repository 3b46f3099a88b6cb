"""The report of a trained run."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.data import ImageTable, read_captions
from likeness.defaults import default_encoder
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.evaluation import continuous_metrics, image_text_metrics, metric_title
from likeness.reports.figures import METRICS, FigureTable, agreement_row, figure, measured
from likeness.reports.notion_report import check_color
from likeness.reports.options import ReportOptions
from likeness.reports.report import Curve, Report, shown_rows, space_views
from likeness.space import Space

if TYPE_CHECKING:
    from likeness.training import RunConfig, RunFolder, RunImages

_LABEL_METRICS = ("mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10")
_LABEL_KS = (1, 10)
_MOST_POINTS = 200
_CURVES = ("recall_at_1", "map_at_r", "text_to_image_recall_at_1", "image_to_text_recall_at_1", "mean_label_distance_at_10", "loss")


def run_report(
    run: "RunFolder | Path | str",
    options: ReportOptions | None = None,
    *,
    config: "RunConfig | None" = None,
    encoder: str | None = None,
    store_dir: Path | None = None,
) -> Report:
    """The report of a run: its settings and curves, figures beside the raw encoder, and both spaces of the images that it was not trained on.

    InputError: no run, no weights yet, images that are not there any more, an unknown attribute to color by, or a stop.

    Args:
        run: a run that has weights, or its folder.
        config: the run's, where its paths have to be read in another way than they are written.
        encoder: the raw encoder that the run is set beside; by default that for such images.
        store_dir: where embeddings are kept; None: in the user's cache.
    """
    from likeness.training import RunFolder, as_yaml, checkpoint_figures, run_images

    folder, chosen = run if isinstance(run, RunFolder) else RunFolder(run), options or ReportOptions()
    settings = config or folder.config()
    if not folder.best.is_file():
        raise InputError(f"The run '{folder.name}' has no weights yet: it keeps the best ones from its first evaluation on; let it go on.")
    images = run_images(settings.data, settings.seed)
    held = ImageTable(images.table.name, images.table.root, images.table.frame.iloc[images.test])
    check_color(held, chosen)
    name = encoder or default_encoder(held.attributes)
    embedding: dict[str, Any] = {"progress": chosen.progress, "should_stop": chosen.should_stop, "store_dir": store_dir}
    base = embed(held, name, **embedding)
    chosen.check_stop()
    rows = images.test[np.setdiff1d(np.arange(len(held)), [each.row for each in base.table.failed])]
    own = embed(base.table, f"run:{folder.path}", name=folder.name, **embedding)
    chosen.check_stop()
    if len(own) != len(base):
        raise InputError(f"{len(base) - len(own)} images of '{held.name}' can't be read any more; look at the folder and make the report again.")
    shown = shown_rows(len(base), chosen)
    log, judged = folder.metrics(), [settings.data.attribute] if isinstance(settings.data.attribute, str) else list(settings.data.attribute)
    first = [*([chosen.color] if chosen.color else []), *(each for each in judged if each in held.attributes)]
    facts = [
        ("Images", f"{len(base):,} of {held.name}, on which the network was not trained"),
        ("Raw encoder", name),
        (
            "Objective",
            f"{settings.objective.name}{f', with language guidance ({settings.guidance.kind.upper()})' if settings.guidance is not None else ''}",
        ),
        ("Network", f"{settings.backbone.name}, {own.vectors.shape[1]} dimensions, seed {settings.seed}"),
        (
            "Epochs",
            f"{settings.epochs}; the weights are those of epoch {checkpoint_figures(log, settings.selection_metric, 'best').get('epoch', 0):g}",
        ),
        agreement_row(base, own, chosen.seed),
    ]
    raw, trained, names = _judged(base, own, rows, images, settings.data.query_attribute is not None)
    table = _figures(raw, trained, names, log, folder.name, name)
    views = space_views([base, own], shown, chosen)
    part = replace(base.table, frame=base.table.frame.iloc[shown], failed=())
    curves = _curves(log, dict(zip(names, raw, strict=True)), settings.selection_metric)
    lead = settings.note.strip().partition("\n")[0] or "A network trained to place like images near each other."
    return Report("Trained run", folder.name, lead, facts, table, views, part, len(base), first, chosen, curves, as_yaml(settings))


def _judged(base: Space, own: Space, rows: NDArray[np.int64], images: "RunImages", named: bool = False) -> tuple[list[float], list[float], list[str]]:
    """Figures of the raw encoder and of the run on the images in these rows, and their names: by classes, or without these by label distances."""
    asks = np.isin(rows, images.queries)
    if images.names:
        labels = images.labels[rows]
        is_query = asks if named and 0 < asks.sum() < len(rows) else None
        return measured(base.vectors, labels, is_query=is_query), measured(own.vectors, labels, is_query=is_query), list(METRICS)
    if images.distances is None:
        return _judged_by_captions(base, own)
    themselves = np.arange(len(rows)) if asks.all() else None  # each query searches all others
    others = ~asks if themselves is None else asks
    if not asks.any() or others.sum() - asks.all() < max(_LABEL_KS):
        return [], [], []
    distances = images.distances.between(rows[asks], rows[others])
    found = [continuous_metrics(distances, each.vectors[asks], each.vectors[others], _LABEL_KS, exclude=themselves) for each in (base, own)]
    return [found[0][name] for name in _LABEL_METRICS], [found[1][name] for name in _LABEL_METRICS], list(_LABEL_METRICS)


def _judged_by_captions(base: Space, own: Space) -> tuple[list[float], list[float], list[str]]:
    """As `_judged`, for images with captions; nothing where the raw encoder reads no texts."""
    if base.embed_texts is None or own.embed_texts is None:
        return [], [], []
    captions = read_captions(base.table)
    texts, owners = [text for each in captions for text in each], np.repeat(np.arange(len(captions)), [len(each) for each in captions])
    raw, trained = (image_text_metrics(each.vectors, each.embed_texts(texts), owners, (1,)) for each in (base, own) if each.embed_texts)
    return list(raw.values()), list(trained.values()), list(raw)


def _figures(raw: list[float], trained: list[float], names: list[str], log: pd.DataFrame, title: str, encoder: str) -> list[FigureTable]:
    if not names:
        return []
    lines = [[f"Raw encoder ({encoder})", *map(figure, raw)]]
    before = log[log["epoch"] == 0] if "epoch" in log else log.iloc[:0]
    if len(before):
        lines.append(
            [
                "The network before training",
                *(figure(float(before[name].dropna().iloc[0])) if name in before and before[name].notna().any() else "–" for name in names),
            ]
        )
    lines.append([title, *map(figure, trained)])
    note = "Measured on images that the network was not trained on; label distances are smaller for the better, the other figures larger."
    return [FigureTable("On images not trained on", ["", *map(metric_title, names)], lines, note, [len(lines) - 1])]


def _curves(log: pd.DataFrame, raw: dict[str, float], selection: str) -> list[Curve]:
    found = []
    for name in dict.fromkeys([selection, *_CURVES]):
        if name not in log or "epoch" not in log:
            continue
        points = log[["epoch", name]].dropna().astype(float)
        if len(points) > _MOST_POINTS:
            points = points.groupby(np.arange(len(points)) * _MOST_POINTS // len(points)).mean()
        if len(points) >= 2 and np.isfinite(points.to_numpy()).all():
            pairs = list(points.sort_values("epoch", kind="stable").itertuples(index=False, name=None))
            found.append(Curve("Training loss" if name == "loss" else metric_title(name), pairs, raw.get(name), "raw encoder"))
    return found
