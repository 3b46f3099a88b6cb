import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.io import write_weights
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network
from likeness.training.runs.manage_runs import delete_run, export_run, export_zip, rename_run
from likeness.training.runs.run_folder import RunFolder, Status, list_runs


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    found = RunFolder(tmp_path / "runs" / "first")
    found.create(RunConfig(name="first"))
    found.report_status(Status("finished", 3, 3))
    return found


def test_a_renamed_run_keeps_all_that_it_holds_and_takes_nobodys_place(run: RunFolder) -> None:
    config, other = (run.path / "config.yaml").read_bytes(), RunFolder(run.path.with_name("second"))
    other.create(RunConfig(name="second"))
    with pytest.raises(InputError, match="There is already a 'second'"):
        rename_run(run, "second")
    run.report_status(Status("running", 1, 3, "", os.getpid()))
    for change, told in ((lambda: rename_run(run, "other"), "renamed"), (lambda: delete_run(run), "deleted")):
        with pytest.raises(InputError, match=f"cannot be {told}; stop it first"):
            change()
    run.report_status(Status("finished", 3, 3))
    renamed = rename_run(run, "with language é")
    assert {each.name: each.config().name for each in list_runs(run.path.parent)} == {"with language é": "first", "second": "second"}
    assert (renamed.path / "config.yaml").read_bytes() == config
    assert renamed.status().state == "finished"


@pytest.mark.parametrize("name", ["", " ", ".hidden", "a/b", "..", "a\\b", "a\0b", "x" * 201])
def test_names_that_are_no_folders_are_refused(run: RunFolder, name: str) -> None:
    with pytest.raises(InputError, match="is not a valid name for a run's folder"):
        rename_run(run, name)
    assert run.path.is_dir()


def test_a_deleted_run_is_gone_and_nothing_else(run: RunFolder, tmp_path: Path) -> None:
    link, other = run.path.with_name("link"), RunFolder(run.path.with_name("second"))
    other.create(RunConfig(name="second"))
    link.symlink_to(run.path)
    with pytest.raises(InputError, match="is a link to another folder"):
        delete_run(RunFolder(link))
    link.unlink()
    delete_run(run)
    assert [each.name for each in list_runs(run.path.parent)] == ["second"]
    assert not list(tmp_path.rglob("first*"))
    with pytest.raises(InputError, match="There is no run in"):
        delete_run(run)


FILES = {"README.md", "best.safetensors", "config.yaml", "environment.json", "metrics.jsonl", "report.json"}


def _embedded(folder: Path) -> Any:
    pictures = [Image.fromarray(np.random.default_rng(seed).integers(0, 256, (20, 20, 3), dtype=np.uint8)) for seed in range(3)]
    return load_encoder(f"run:{folder}").encode_images(pictures)


@pytest.mark.parametrize("head_only", [True, False])
def test_an_exported_run_is_the_same_encoder_without_the_weights_that_it_began_from(
    content: dict[str, Any], run: RunFolder, tmp_path: Path, head_only: bool
) -> None:
    with pytest.raises(InputError, match="has no weights yet"):
        export_run(run, tmp_path / "export")
    assert not list(tmp_path.glob("*export*"))
    file = tmp_path / "began.safetensors"
    torch.manual_seed(1)
    write_weights(file, build_network(config_from(content).backbone).backbone.state_dict())
    content["backbone"] |= {"weights": str(file), "head_only": head_only}
    trained = train(config_from(content), tmp_path / "run")
    expected, archive = _embedded(trained.path), export_zip(trained, with_changes(trained.config(), {"data.source": "photos/birds"}))
    export_run(trained, tmp_path / "export")
    with pytest.raises(InputError, match="already exists; choose a new folder"):
        export_run(trained, tmp_path / "export")
    with zipfile.ZipFile(io.BytesIO(archive)) as unpacked:
        unpacked.extractall(tmp_path / "unpacked")
    file.unlink()
    for folder in (tmp_path / "export", tmp_path / "unpacked" / "run"):
        np.testing.assert_array_equal(_embedded(folder), expected)
        assert {each.name for each in folder.iterdir()} == FILES
        assert RunFolder(folder).report() == trained.report()
    assert RunFolder(folder).config().data.source == "photos/birds"
