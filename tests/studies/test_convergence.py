from pathlib import Path

import numpy as np
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


def test_seeds_of_a_config_share_a_name(tmp_path: Path) -> None:
    runs = [made(tmp_path / f"base-{seed}", "base", seed, [0.1 * seed, 0.5]) for seed in (1, 2)] + [made(tmp_path / "elg", "ELG", 0, [0.7])]
    curves = convergence(runs)
    assert list(curves.columns) == ["run", "seed", "epoch", "recall_at_1"]
    assert curves.to_numpy().tolist() == [["base", 1, 1, 0.1], ["base", 1, 2, 0.5], ["base", 2, 1, 0.2], ["base", 2, 2, 0.5], ["ELG", 0, 1, 0.7]]


def test_runs_of_one_name_that_are_not_seeds_of_one_config_are_told_apart(tmp_path: Path) -> None:
    other = [made(tmp_path / "a", "x", 0, [0.1]), made(tmp_path / "b", "x", 1, [0.2], epochs=3)]
    assert convergence(other)["run"].tolist() == ["x (a)", "x (b)"]
    same = [made(tmp_path / "c", "y", 0, [0.1]), made(tmp_path / "d", "y", 0, [0.2]), made(tmp_path / "e", "z", 0, [0.2])]
    assert convergence(same)["run"].tolist() == ["y (c)", "y (d)", "z"]


def test_what_is_not_measured_is_named(tmp_path: Path) -> None:
    runs = [made(tmp_path / "a", "a", 0, [0.1]), made(tmp_path / "b", "b", 0, [])]
    assert convergence(runs)["run"].tolist() == ["a"]
    with pytest.raises(InputError, match="No run has measured 'f1'; measured so far: recall_at_1, nmi"):
        convergence(runs, "f1")
    with pytest.raises(InputError, match="No run has measured 'recall_at_1'; measured so far: nothing"):
        convergence(runs[1:])
    with pytest.raises(InputError, match="There are no runs"):
        convergence([])


def test_table_by_hand() -> None:
    rows = [("base", 0, 1, 0.2), ("base", 0, 2, 0.6), ("base", 0, 3, 0.4), ("base", 1, 1, 0.2), ("base", 1, 2, 0.4), ("base", 1, 3, 0.4)]
    rows += [("ELG", 0, 1, 0.6), ("ELG", 0, 2, 0.8), ("ELG", 0, 3, 0.8)]
    table = convergence_table(pd.DataFrame(rows, columns=["run", "seed", "epoch", "recall_at_1"]))
    assert table["run"].tolist() == ["base", "ELG"]
    assert table["seeds"].tolist() == [2, 1]
    np.testing.assert_allclose(table["best"], [0.5, 0.8])
    np.testing.assert_allclose(table["best ±"], [0.1, 0])
    assert table["epoch"].tolist() == [2, 2]
    np.testing.assert_allclose(table["last"], [0.4, 0.8])
    assert table["match_epoch"].tolist() == [2, 1]
