from pathlib import Path

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.studies import convergence, convergence_table
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder


def made(folder: Path, name: str, seed: int, scores: list[float], **changes: object) -> RunFolder:
    run = RunFolder(folder)
    run.create(RunConfig(name=name, seed=seed, **changes))
    for epoch, score in enumerate(scores, start=1):
        run.append_metrics({"step": 3 * epoch - 1, "epoch": epoch - 1 / 3, "loss": 1.0})
        run.append_metrics({"step": 3 * epoch, "epoch": epoch + 1e-12 * seed, "loss": 0.9, "recall_at_1": score, "nmi": 0.5})
    return run


def test_seeds_of_a_config_share_a_name_and_what_is_none_is_told_apart(tmp_path: Path) -> None:
    runs = [made(tmp_path / f"base-{seed}", "base", seed, [0.1 * seed, 0.5]) for seed in (1, 2)] + [made(tmp_path / "elg", "ELG", 0, [0.7])]
    curves = convergence(runs)
    assert list(curves.columns) == ["run", "seed", "epoch", "recall_at_1"]
    assert curves.to_numpy().tolist() == [["base", 1, 1, 0.1], ["base", 1, 2, 0.5], ["base", 2, 1, 0.2], ["base", 2, 2, 0.5], ["ELG", 0, 1, 0.7]]
    other = [made(tmp_path / "a", "x", 0, [0.1]), made(tmp_path / "b", "x", 1, [0.2], epochs=3)]
    assert convergence(other)["run"].tolist() == ["x (a)", "x (b)"]
    same = [made(tmp_path / "c", "y", 0, [0.1]), made(tmp_path / "d", "y", 0, [0.2]), made(tmp_path / "e", "z", 0, [0.2])]
    assert convergence(same)["run"].tolist() == ["y (c)", "y (d)", "z"]
    runs = [same[2], made(tmp_path / "f", "f", 0, [])]
    assert convergence(runs)["run"].tolist() == ["z"]
    for asked, metric, message in (
        (runs, "f1", "No run has measured 'f1'; measured so far: recall_at_1, nmi"),
        (runs[1:], "recall_at_1", "No run has measured 'recall_at_1'; measured so far: nothing"),
        ([], "recall_at_1", "There are no runs"),
    ):
        with pytest.raises(InputError, match=message):
            convergence(asked, metric)


def test_table_by_hand() -> None:
    rows = [("base", 0, 1, 0.2), ("base", 0, 2, 0.6), ("base", 0, 3, 0.4), ("base", 1, 1, 0.2), ("base", 1, 2, 0.4), ("base", 1, 3, 0.4)]
    rows += [("ELG", 0, 1, 0.6), ("ELG", 0, 2, 0.8), ("ELG", 0, 3, 0.8)]
    table = convergence_table(pd.DataFrame(rows, columns=["run", "seed", "epoch", "recall_at_1"]))
    expected = {"run": ["base", "ELG"], "seeds": [2, 1], "best": [0.5, 0.8], "best ±": [0.1, 0.0], "epoch": [2.0, 2.0], "last": [0.4, 0.8]}
    pd.testing.assert_frame_equal(table, pd.DataFrame(expected | {"match_epoch": [2.0, 1.0]}))
