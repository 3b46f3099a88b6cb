"""Renames, deletes and exports runs."""

import shutil
import tempfile
import time
from pathlib import Path

from likeness.errors import InputError
from likeness.io import read_weights, write_weights
from likeness.training.config import RunConfig, as_yaml, with_changes
from likeness.training.runs.run_encoder import load_network, weights_metadata
from likeness.training.runs.run_folder import RunFolder

LONGEST_NAME = 200  # bytes; most file systems allow a few more

_REMOVED = ".removed"
_COPIED = ("metrics.jsonl", "report.json", "environment.json")
_README = """A run of Likeness: config.yaml says what it was trained on, metrics.jsonl what it measured, best.safetensors holds its best weights.

Unpacked as the folder NAME, it is an encoder of images:

    import likeness as lk
    space = lk.embed("photos/", "run:NAME")

or, on the command line, `likeness embed photos/ --encoder run:NAME`. Put into the folder `runs`, it stands in the app beside the other runs.
"""


def _check_name(name: str) -> None:
    """InputError: a name that is not valid for a run's folder."""
    if not name.strip() or any(sign in name for sign in "/\\\0") or name.startswith(".") or len(name.encode()) > LONGEST_NAME:
        raise InputError(
            f"'{name}' is not a valid name for a run's folder; choose one without slashes, not starting with a dot and below {LONGEST_NAME} letters."
        )


def rename_run(run: RunFolder, name: str) -> RunFolder:
    """Renames a run's folder, not its config, so that spaces of the run need not be embedded again.

    Raises:
        InputError: no run, a running one, an invalid or existing name, or a folder that cannot be renamed.
    """
    _check_at_rest(run, "renamed")
    _check_name(name)
    renamed = RunFolder(run.path.with_name(name))
    if renamed.path.exists():
        raise InputError(f"There is already a '{name}' in '{run.path.parent}'; choose another name.")
    try:
        run.path.rename(renamed.path)
    except OSError as error:
        raise InputError(f"The run '{run.name}' cannot be renamed ({error.strerror or error}); check the permissions of its folder.") from error
    return renamed


def delete_run(run: RunFolder) -> None:
    """Permanently deletes a run with its weights, checkpoints and metrics.

    Raises:
        InputError: no run, a running one, a link, or a folder that cannot be deleted.
    """
    _check_at_rest(run, "deleted")
    if run.path.is_symlink():
        raise InputError(f"The run '{run.name}' is a link to another folder; delete the link and that folder yourself.")
    gone = run.path.parent / _REMOVED / f"{run.path.name}-{time.time_ns()}"
    try:
        gone.parent.mkdir(exist_ok=True)
        run.path.rename(gone)  # renamed first: it disappears at once for everyone else
        shutil.rmtree(gone)
    except OSError as error:
        raise InputError(
            f"The run '{run.name}' cannot be deleted completely ({error.strerror or error}); check the permissions of '{run.path.parent}'."
        ) from error


def export_run(run: RunFolder, folder: Path, config: RunConfig | None = None) -> None:
    """Writes a folder with the run's config, best weights and metrics, which works anywhere as the encoder "run:FOLDER".

    Weights that were not trained are added, so that the folder needs no other files. `config` replaces the run's own, with other paths.
    InputError: no run, one without evaluation, or a folder that exists or cannot be written.
    """
    if folder.exists():
        raise InputError(f"'{folder}' already exists; choose a new folder for the export.")
    network, config = load_network(run), config or run.config()
    weights = read_weights(run.best)
    if config.backbone.inputs:
        weights = network.state_dict() | weights
        config = with_changes(config, {"backbone.head_only": False, "backbone.train_from": None})
    part = folder.with_name(f".{folder.name}.partial")
    try:
        part.mkdir(parents=True)
        (part / "config.yaml").write_text(as_yaml(config), encoding="utf-8")
        (part / "README.md").write_text(_README.replace("NAME", folder.name), encoding="utf-8")
        for name in _COPIED:
            if (run.path / name).is_file():
                shutil.copyfile(run.path / name, part / name)
        write_weights(part / run.best.name, weights, weights_metadata(network, config, run.best_figures()))
        part.rename(folder)
    except OSError as error:
        raise InputError(f"'{folder}' cannot be written ({error.strerror or error}); make room, or choose another folder.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def export_zip(run: RunFolder, config: RunConfig | None = None) -> bytes:
    """The folder of `export_run`, named as the run, as a ZIP file."""
    with tempfile.TemporaryDirectory() as place:
        export_run(run, Path(place) / "export" / run.path.name, config)
        return Path(shutil.make_archive(f"{place}/run", "zip", Path(place) / "export")).read_bytes()


def _check_at_rest(run: RunFolder, what: str) -> None:
    if not (run.path / "config.yaml").is_file():
        raise InputError(f"There is no run in '{run.path}'; `likeness runs` lists all runs.")
    if run.status().state == "running":
        raise InputError(f"The run '{run.name}' is running, so it cannot be {what}; stop it first.")
