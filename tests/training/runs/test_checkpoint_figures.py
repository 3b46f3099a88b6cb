from pathlib import Path

import pandas as pd

from likeness.training.runs.checkpoint_figures import checkpoint_figures
from likeness.training.runs.run_folder import RunFolder


def measured(folder: Path) -> pd.DataFrame:
    """An untrained network and three evaluations, of which the second is the best; NMI is highest where R@1 is not."""
    run = RunFolder(folder)
    run.append_metrics({"step": 0, "epoch": 0.0, "recall_at_1": 0.9, "nmi": 0.1})
    for step, recall, nmi in ((2, 0.4, 0.8), (4, 0.6, 0.5), (6, 0.5, 0.6)):
        run.append_metrics({"step": step - 1, "epoch": (step - 1) / 2, "loss": 1.0, "rate": 0.1})
        best = {"best_of": recall} if step < 6 else {}
        run.append_metrics({"step": step, "epoch": step / 2, "loss": 1.0, "rate": 0.1, "seconds": 3.0, "recall_at_1": recall, "nmi": nmi} | best)
    return run.metrics()


def test_all_figures_are_of_the_same_weights(tmp_path: Path) -> None:
    frame = measured(tmp_path)
    assert checkpoint_figures(frame, "recall_at_1", "best") == {"step": 4, "epoch": 2.0, "recall_at_1": 0.6, "nmi": 0.5}
    assert checkpoint_figures(frame, "recall_at_1", "last") == {"step": 6, "epoch": 3.0, "recall_at_1": 0.5, "nmi": 0.6}


def test_before_training_only_the_last_ones_are_there_and_before_that_none(tmp_path: Path) -> None:
    frame = measured(tmp_path)
    untrained = {"step": 0, "epoch": 0.0, "recall_at_1": 0.9, "nmi": 0.1}
    for first in (frame.iloc[:1], frame.iloc[:1].drop(columns="best_of")):
        assert checkpoint_figures(first, "recall_at_1", "last") == untrained
        assert checkpoint_figures(first, "recall_at_1", "best") == {}
    assert checkpoint_figures(pd.DataFrame(), "recall_at_1", "last") == {}
    assert checkpoint_figures(frame, "ndcg_at_10", "last") == {}
