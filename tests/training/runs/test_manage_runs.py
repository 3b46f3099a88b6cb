import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.loop.train import train
from likeness.training.runs.manage_runs import delete_run, export_run, export_zip, rename_run
from likeness.training.runs.run_folder import RunFolder, Status, list_runs


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """A finished run without weights."""
    found = RunFolder(tmp_path / "runs" / "first")
    found.create(RunConfig(name="first"))
    found.report_status(Status("finished", 3, 3))
    return found


def test_a_renamed_run_keeps_all_that_it_holds(run: RunFolder) -> None:
    config = (run.path / "config.yaml").read_bytes()
    renamed = rename_run(run, "with language é")
    assert [each.name for each in list_runs(run.path.parent)] == ["with language é"]
    assert (renamed.path / "config.yaml").read_bytes() == config
    assert renamed.status().state == "finished"


@pytest.mark.parametrize("name", ["", " ", ".hidden", "a/b", "..", "a\\b", "a\0b", "x" * 201])
def test_names_that_are_no_folders_are_refused(run: RunFolder, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a run's name, since it becomes a folder"):
        rename_run(run, name)
    assert run.path.is_dir()


def test_a_run_never_takes_the_place_of_another(run: RunFolder) -> None:
    other = RunFolder(run.path.with_name("second"))
    other.create(RunConfig(name="second"))
    with pytest.raises(InputError, match="There is already a 'second'"):
        rename_run(run, "second")
    assert {each.config().name for each in list_runs(run.path.parent)} == {"first", "second"}


def test_a_run_that_is_running_is_neither_renamed_nor_deleted(run: RunFolder) -> None:
    run.report_status(Status("running", 1, 3, "", os.getpid()))
    with pytest.raises(InputError, match="cannot be renamed; stop it first"):
        rename_run(run, "other")
    with pytest.raises(InputError, match="cannot be deleted; stop it first"):
        delete_run(run)
    assert run.path.is_dir()


def test_a_deleted_run_is_gone_and_nothing_else(run: RunFolder, tmp_path: Path) -> None:
    other = RunFolder(run.path.with_name("second"))
    other.create(RunConfig(name="second"))
    delete_run(run)
    assert [each.name for each in list_runs(run.path.parent)] == ["second"]
    assert not list(tmp_path.rglob("first*"))
    with pytest.raises(InputError, match="There is no run in"):
        delete_run(run)


def test_what_a_link_leads_to_is_not_deleted(run: RunFolder) -> None:
    link = run.path.with_name("link")
    link.symlink_to(run.path)
    with pytest.raises(InputError, match="is a link to another folder"):
        delete_run(RunFolder(link))
    assert (run.path / "config.yaml").is_file()


def _embedded(folder: Path) -> Any:
    pictures = [Image.fromarray(np.random.default_rng(seed).integers(0, 256, (20, 20, 3), dtype=np.uint8)) for seed in range(3)]
    return load_encoder(f"run:{folder}").encode_images(pictures)


@pytest.mark.parametrize("head_only", [True, False])
def test_an_exported_run_is_the_same_encoder_without_the_weights_that_it_began_from(content: dict[str, Any], tmp_path: Path, head_only: bool) -> None:
    import torch

    from likeness.io import write_weights
    from likeness.training.network.backbones import build_network

    file = tmp_path / "began.safetensors"
    torch.manual_seed(1)
    began = build_network(config_from(content).backbone).backbone
    write_weights(file, began.state_dict())
    content["backbone"] |= {"weights": str(file), "head_only": head_only}
    run = train(config_from(content), tmp_path / "run")
    expected = _embedded(run.path)
    export_run(run, tmp_path / "export")
    file.unlink()
    np.testing.assert_array_equal(_embedded(tmp_path / "export"), expected)
    assert sorted(each.name for each in (tmp_path / "export").iterdir()) == [
        "README.md",
        "best.safetensors",
        "config.yaml",
        "environment.json",
        "metrics.jsonl",
        "report.json",
    ]
    assert RunFolder(tmp_path / "export").report() == run.report()
    with pytest.raises(InputError, match="is there already; name a new folder"):
        export_run(run, tmp_path / "export")


def test_the_archive_holds_the_folder_with_the_config_that_is_given(config: RunConfig, tmp_path: Path) -> None:
    run = train(config, tmp_path / "run")
    content = export_zip(run, with_changes(config, {"data.source": "photos/birds"}))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path / "unpacked")
    unpacked = RunFolder(tmp_path / "unpacked" / "run")
    assert unpacked.config().data.source == "photos/birds"
    np.testing.assert_array_equal(_embedded(unpacked.path), _embedded(run.path))


def test_a_run_without_weights_cannot_be_exported(run: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no weights yet"):
        export_run(run, tmp_path / "export")
    assert not list(tmp_path.glob("*export*"))
