import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.training.conftest import stopped

from likeness.errors import InputError
from likeness.io import confine
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop.loggers import LOGGERS, build_loggers
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder


def test_a_csv_file_has_the_runs_figures_also_after_it_was_stopped_and_stays(config: RunConfig, tmp_path: Path) -> None:
    made = with_changes(config, {"loggers": ["csv"]})
    stopped(made, tmp_path / "run", 4)
    run = train(made, tmp_path / "run")
    file, own = run.path / "csv" / "metrics.csv", run.metrics().set_index("step")
    found, before = pd.read_csv(file).set_index("step").sort_index(), file.read_bytes()
    for name in ("loss", "recall_at_1", "rate"):
        pd.testing.assert_series_equal(found[name].dropna(), own[name].dropna(), check_dtype=False)
    assert not (run.path / "tensorboard").exists()
    assert "learning_rate" not in found
    assert "batch" in (run.path / "csv" / "hparams.yaml").read_text()
    train(made, run.path)
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["wandb", "mlflow"])
def test_a_logger_without_its_package_is_answered_with_the_line_to_install_it(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=f"The logger '{name}' needs its package; run `pip install {name}`"):
        train(with_changes(config, {"loggers": [name]}), tmp_path / "run")


def test_a_server_of_strangers_sends_no_figures_elsewhere(config: RunConfig, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    confine([tmp_path])
    assert len(build_loggers(with_changes(config, {"loggers": ["csv", "tensorboard"]}), run)) == 2
    with pytest.raises(InputError, match="does not send metrics elsewhere; remove mlflow and wandb from loggers"):
        build_loggers(with_changes(config, {"loggers": ["wandb", "csv", "mlflow"]}), run)


def test_what_has_one_run_at_a_time_is_ended_with_the_run(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Weights & Biases, which would put the next run's figures into this one's."""
    from lightning.pytorch.loggers import CSVLogger

    ended: list[str] = []

    class OneAtATime(CSVLogger):
        @property
        def experiment(self) -> Any:
            found = super().experiment
            found.finish = lambda: ended.append(self.root_dir)
            return found

    monkeypatch.setitem(LOGGERS, "csv", lambda config, run: OneAtATime(run.path, "csv", version=""))
    for number in range(2):
        train(with_changes(config, {"loggers": ["csv"], "seed": number}), tmp_path / str(number))
        assert len(ended) == number + 1
