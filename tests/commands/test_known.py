"""`likeness known` as a person meets it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.evaluation import accept_threshold, best_items, known_scores, leave_one_out
from worlds import Run, cars


@pytest.fixture
def lists(tmp_path: Path) -> tuple[Path, Path]:
    """Half of the shipped cars of ten kinds as a gallery; the others, and those of five further kinds, as queries."""
    frame = cars().table.frame
    kind = frame["body_type"] + " " + frame["car_color"]
    chosen = kind.value_counts().index[:15]
    paths = [str(path) for path in cars().table.paths()]
    rows = pd.DataFrame({"path": paths, "kind": kind})[kind.isin(chosen)]
    first = rows["kind"].isin(chosen[:10]) & (np.arange(len(rows)) % 2 == 0)
    files = tmp_path / "gallery.csv", tmp_path / "queries.csv"
    for file, part in zip(files, (first, ~first), strict=True):
        rows[part].to_csv(file, index=False)
    return files


def test_each_query_gets_its_item_or_none(ok: Any, run: Run, lists: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {str(path): row for row, path in enumerate(cars().table.paths())}

    def embedded(table: Any, encoder: str | None = None) -> Any:
        return cars().replace(vectors=cars().vectors[[rows[str(path)] for path in table.paths()]], images=table)

    monkeypatch.setattr("likeness.commands.known.embedded", embedded)
    out = tmp_path / "answers.csv"
    printed, err = ok("known", *lists, "--by", "kind", "--far", "0.1", "--out", out, "--format", "json")
    gallery, queries = (pd.read_csv(file) for file in lists)
    vectors = [cars().vectors[[rows[path] for path in each["path"]]] for each in (gallery, queries)]
    own, places = leave_one_out(vectors[0], gallery["kind"])
    limit = accept_threshold(own.scores[~own.known], gallery["kind"].to_numpy()[places[~own.known]], 0.1)
    codes, similarities, nearest = best_items(vectors[1], vectors[0], gallery["kind"])
    item = np.where(known_scores(similarities) > limit.value, np.unique(gallery["kind"])[codes[:, 0]], "")
    found = pd.read_csv(out, keep_default_na=False)
    assert found["item"].tolist() == item.tolist()
    assert [Path(path).name for path in found["nearest"]] == [Path(path).name for path in gallery["path"].iloc[nearest]]
    assert len(pd.read_json(pd.io.common.StringIO(printed))) == 20
    is_known, accepted = queries["kind"].isin(gallery["kind"]), item != ""
    assert f"{accepted.sum()} of {len(queries)} show a known item: their score is above {limit.value:.4f}." in err
    assert f"By their kind: {accepted[~is_known].mean():.2%} of new ones accepted, " in err
    assert f"{(item == queries['kind'])[is_known].mean():.1%} of known ones right" in err
    assert "The queries show at least about" in err
    # without labels of their own nothing is judged
    queries[["path"]].to_csv(lists[1], index=False)
    assert "By their kind" not in ok("known", *lists, "--by", "kind", "--far", "0.1")[1]
    status, _, err = run("known", *map(str, lists), "--by", "kind", "--far", "0.001")
    assert (status, "false-accept rate of 0.001 cannot be set by" in err) == (2, True)
