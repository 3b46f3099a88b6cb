"""The figures of each test query of a run, and what follows from them: tables by class or another attribute, and intervals."""

import shutil
from collections.abc import Collection, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from likeness.data import has_label
from likeness.errors import InputError
from likeness.evaluation import FEWEST_GROUPS, bootstrap_interval, find_metric
from likeness.io import from_arrow, to_arrow, write_atomic
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.runs.run_folder import RunFolder

REACHED = ("untrained", "best", "last")
_FILE = "queries.parquet"
_OWN = ("row", "path", "class", "texts")
_SHOWN = ("recall_at_1", "image_to_text_recall_at_1", "mean_label_distance_at_10")


def record_queries(run: RunFolder, images: RunImages, scored: Sequence[pd.DataFrame], reached: Collection[str]) -> None:
    """Writes the figures of queries, by the row number of their image, as those of the checkpoints `reached`; those of the others stay.

    Of several queries of an image, such as its texts, the mean is written, and how many there are.
    """
    if not scored:
        return
    from pyarrow import parquet

    now = pd.concat([each.groupby(level=0).mean() for each in scored], axis=1).sort_index()
    rows = now.index.to_numpy()
    frame = pd.DataFrame({"row": rows, "path": images.table.frame["path"].to_numpy(object)[rows]})
    if images.names:
        frame["class"] = np.asarray(images.names, dtype=object)[images.labels[rows]]
    texts = [each.groupby(level=0).size().reindex(rows) for each in scored if each.index.has_duplicates]
    if texts:
        frame["texts"] = texts[0].to_numpy()
    try:
        known = _read(run)
    except InputError:  # it is written anew
        known = None
    kept = known if known is not None and np.array_equal(known["row"], rows) else pd.DataFrame()
    for name in REACHED:
        measured = now.add_prefix(f"{name} ").reset_index(drop=True) if name in reached else kept.filter(regex=f"^{name} ")
        frame = pd.concat([frame, measured.astype("float32")], axis=1)
    buffer = BytesIO()
    parquet.write_table(to_arrow(frame), buffer)
    write_atomic(run.path / _FILE, buffer.getvalue())


def copy_queries(run: RunFolder, other: RunFolder) -> None:
    """Gives another run the figures of this one's queries, as far as it does not measure its own."""
    if (run.path / _FILE).is_file():
        shutil.copyfile(run.path / _FILE, other.path / _FILE)


def query_intervals(run: RunFolder) -> dict[str, dict[str, list[float]]]:
    """The 95 % interval of each figure that is a mean over queries, by checkpoint: whole classes are drawn, of five and more; otherwise queries."""
    frame = _read(run)
    if frame is None:
        return {}
    groups = frame["class"] if "class" in frame and frame["class"].nunique() >= FEWEST_GROUPS else None
    measured = frame.drop(columns=[name for name in _OWN if name in frame])
    by_text = [name for name in map(str, measured) if "text_to_image" in name and "texts" in frame]
    found: dict[str, dict[str, list[float]]] = {}
    for names, weights in ((measured.columns.difference(by_text, sort=False), None), (by_text, frame.get("texts"))):
        if len(names):
            for name, low, high in zip(names, *bootstrap_interval(measured[names], groups, weights).round(6).tolist(), strict=True):
                checkpoint, figure = name.split(" ", 1)
                if low == low:  # not of a figure that no query has
                    found.setdefault(checkpoint, {})[figure] = [low, high]
    return found


def query_table(run: RunFolder, by: str = "class", figure: str | None = None) -> pd.DataFrame:
    """A figure of the test queries by their class, or another attribute, before training and at the best weights; what got worse comes first.

    Args:
        figure: such as "map_at_r"; None: R@1, on captions that of texts by images, on continuous labels the mean label distance of ten images.

    Returns:
        Columns: the value of `by`; queries; untrained, best; gain, and low and high, its 95 % interval by the bootstrap over these queries.

    Raises:
        InputError: a run that did not measure its queries yet, an unknown attribute or figure, or images that are not those of the run any more.
    """
    frame = _read(run)
    if frame is None:
        raise InputError(f"The run '{run.name}' has no figures of its queries; let it go on to an evaluation, or train it again.")
    measured = [name.removeprefix("best ") for name in map(str, frame) if name.startswith("best ")]
    chosen = figure or next((name for name in _SHOWN if name in measured), "")
    if chosen not in measured:
        raise InputError(f"The run '{run.name}' has no figure '{chosen}' of its best weights; there are {', '.join(measured) or 'none yet'}.")
    if by not in frame or by in _OWN[:2]:
        frame[by] = _attribute(run, frame, by)
    columns = [f"untrained {chosen}", f"best {chosen}"]
    frame = frame.reindex(columns=[by, *columns])
    lines: list[dict[str, Any]] = []
    for value, own in frame[has_label(frame[by])].groupby(by, sort=True):
        before, best = (own[column].astype(float) for column in columns)
        low, high = bootstrap_interval(best - before)
        means = {"untrained": before.mean(), "best": best.mean(), "gain": (best - before).mean(), "low": low, "high": high}
        lines.append({by: value, "queries": len(own)} | means)
    larger = find_metric(chosen).larger_is_better is not False
    return pd.DataFrame(lines).sort_values("gain", ascending=larger, kind="stable", ignore_index=True)


def _attribute(run: RunFolder, frame: pd.DataFrame, name: str) -> Any:
    config = run.config()
    table = run_images(config.data, config.seed).table  # of which the rows are numbered
    if name not in table.attributes:
        known = ", ".join(dict.fromkeys([*(["class"] if "class" in frame else []), *table.attributes])) or "none"
        raise InputError(f"The images have no attribute '{name}'; there are {known}.")
    if frame["row"].max() >= len(table) or table.frame["path"].iloc[frame["row"]].astype(str).tolist() != frame["path"].tolist():
        raise InputError(f"The images of the run '{run.name}' are not those that it measured; bring them back, or train it again.")
    return table.frame[name].iloc[frame["row"]].to_numpy()


def _read(run: RunFolder) -> pd.DataFrame | None:
    from pyarrow import ArrowException, parquet

    file = run.path / _FILE
    if not file.is_file():
        return None
    try:
        return from_arrow(parquet.read_table(file))
    except (ArrowException, OSError) as error:
        raise InputError(f"'{_FILE}' of the run '{run.name}' is damaged; delete it, and train the run again for its figures by query.") from error
