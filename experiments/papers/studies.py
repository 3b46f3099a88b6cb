"""Shipped studies on the datasets in a session's folder."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from experiments.papers.session import CLIP, Session, has_value
from experiments.papers.shift_splits import split_file
from likeness.commands.terminal import staged_bar, write_csv
from likeness.encoders import embed_texts
from likeness.errors import InputError
from likeness.studies import Cell, StudyConfig, StudyFolder, cells, measured, read_study, rows_with, study_notes
from likeness.training import RunConfig, RunFolder, config_from, read_config, with_changes


def study_on(session: Session, shipped: str, dataset: str) -> tuple[StudyConfig, list[str]]:
    """A shipped study on a dataset in the session's folder, with its encoder, seeds and changes; and what rows are left out for want of a file.

    On Cars196 and Online Products a study of CUB200 is set as its note says. InputError: no such study, or a value that does not fit.
    """
    study = read_study(shipped)
    base: Any = read_config(study.base).model_dump(mode="json") if isinstance(study.base, str) else study.base
    part = "all" if "/all:" in base["data"]["source"] else ""
    base = _placed(base | {"data": base["data"] | {"source": session.source(dataset, part)}}, session)
    rows, left_out = {}, []
    for row, own in study.rows.items():
        changes = _placed(own, session)
        changes |= _elsewhere(dataset, with_changes(config_from(base), changes), session)
        used = with_changes(config_from(base), changes).model_dump(mode="json", include={"backbone", "guidance"})
        if missing := [file for file in _files(used, session.data) if not file.exists()]:
            left_out.append(f"Left out: {row}, for want of {missing[0].relative_to(session.data)}.")
        else:
            rows[row] = changes
    update: dict[str, Any] = {"base": base, "rows": rows, "seeds": study.seeds[: session.seeds], "name": f"{shipped}-{dataset}"}
    if study.splits_command:
        update |= {"splits": str(split_file(session, dataset)), "splits_command": ""}
    study = study.model_copy(update=update)
    return study.model_copy(update={"rows": rows_with(study, _fitting(study, session.changes))}), left_out


def _placed(value: Any, session: Session) -> Any:
    """A config's content with files and language models in the session's folder and its CLIP: studies name `data/`, `weights/` and ViT-B/32."""
    if isinstance(value, dict):
        return {key: _placed(each, session) for key, each in value.items()}
    if isinstance(value, list):
        return [_placed(each, session) for each in value]
    if value in ("clip", f"clip:{CLIP}"):
        return f"clip:{session.encoder}"
    before, _, file = value.rpartition(":") if isinstance(value, str) else ("", "", "")
    if before == "transformers" and (session.data / file).is_dir():
        return f"{before}:{session.data / file}"
    if file.startswith(("data/", "weights/")):
        return f"{before}{before and ':'}{session.data / file.partition('/')[2]}"
    return value


def _files(value: Any, data: Path) -> list[Path]:
    """Files in the folder of the datasets that a config names."""
    if isinstance(value, dict | list):
        return [file for each in (value.values() if isinstance(value, dict) else value) for file in _files(each, data)]
    file = Path(value.rpartition(":")[2]) if isinstance(value, str) else Path()
    return [file] if file.is_relative_to(data) else []


def _elsewhere(dataset: str, config: RunConfig, session: Session) -> dict[str, Any]:
    """What a row needs beside the study's own values: weights of networks in the session's folder, the width of its CLIP, and on another dataset than
    CUB200 what the study's note says. WordNet has no noun for two cars, and reads their types.
    """
    guidance, s2sd = config.guidance, config.objective.s2sd is not None
    found: dict[str, Any] = {}
    if guidance and guidance.method == "clip-style":
        found["backbone.dim"] = embed_texts(session.encoder, ["a bird"]).vectors.shape[1]
    if config.backbone.weights == "pretrained" and (file := session.data / f"{config.backbone.name}.safetensors").is_file():
        found["backbone.weights"] = str(file)
    if guidance and guidance.classifier and (file := session.data / f"{guidance.classifier.name}.safetensors").is_file():
        found["guidance.classifier.weights"] = str(file)
    if config.data.attribute != "bird_species" or dataset == "cub200":
        return found
    if s2sd:
        found["objective.s2sd.feature_weight"] = 50.0
    if dataset == "online-products":
        found |= {"data.attribute": "product"} | ({"epochs": 100, "evaluate_every": 5} if config.epochs else {})
        return (
            found
            | ({"guidance.omega": 0.5} if guidance else {})
            | ({"guidance.names": "product_kind"} if guidance and guidance.kind == "elg" else {})
        )
    found["data.attribute"] = "car_model"
    if guidance and config.objective.name != "margin":
        found["guidance.omega"] = 2.5 if s2sd else 6.0
    if guidance and guidance.language[0].startswith("hierarchy:"):
        found["guidance.language"] = "hierarchy:wordnet"
    if guidance and guidance.kind == "elg" and guidance.language[0].startswith(("hierarchy:", "wordnet")):
        found["guidance.names"] = "car_type"
    if guidance and guidance.captions:
        found["guidance.captions"] = str(session.data / "cars196" / "captions.csv")
    return found | ({"guidance.keywords": ["car", "cars"]} if guidance and guidance.keywords else {})


def _fitting(study: StudyConfig, changes: dict[str, Any]) -> dict[str, Any]:
    """The changes that are about a part that one of the study's rows has."""
    fitting: dict[str, Any] = {}
    for key, value in changes.items():
        if has_value(RunConfig, key):
            try:
                rows_with(study, {key: value})
            except InputError:
                continue
            fitting[key] = value
    return fitting


class Trained(NamedTuple):
    """The cells of a study, the metrics of the finished runs, and remarks."""

    cells: Sequence[Cell]
    runs: pd.DataFrame
    remarks: Sequence[str]


def trained(session: Session, shipped: str, dataset: str, which: str = "last", rows: Sequence[str] = ()) -> Trained:
    """Trains what is not finished of a study, all rows or these; runs that fail are a remark. InputError: as `study_on`, or no run is finished.

    `runs/STUDY-DATASET/runs.csv` holds what is finished, however it ends.
    """
    study, remarks = study_on(session, shipped, dataset)
    folder = StudyFolder(session.out / "runs" / study.name)
    wanted = cells(study, folder.path, rows=rows or None)
    folder.create(study)
    for cell in wanted:
        _forget_start(cell)
    try:
        with staged_bar("Runs") as progress:
            folder.run(wanted, progress)
    except InputError as error:
        if not len(measured(wanted, which)):
            raise
        remarks.append(f"Failed: {error}")
    finally:
        write_csv(folder.path / "runs.csv", measured(wanted, which))
    return Trained(wanted, measured(wanted, which), [*remarks, *(f"Note: {note}" for note in study_notes(wanted))])


def _forget_start(cell: Cell) -> None:
    """Removes a run that failed before its first step under another config, such as one whose language model is in the session's folder by now."""
    run = RunFolder(cell.folder)
    if not (cell.folder / "config.yaml").is_file() or run.config().same_run(cell.config):
        return
    status = run.status()
    if (status.state, status.step) == ("failed", 0):
        shutil.rmtree(cell.folder)
