"""Splits of growing shift of ooDML's datasets: imported ones beside the datasets, or else built by the paper's rule."""

import json
from pathlib import Path
from typing import Any

from experiments.papers.session import Session
from likeness.commands.splits import build

# The preset and study of each dataset.
OODML = {"cub200": "oodml-cub200", "cars196": "oodml-cars196", "online-products": "oodml-sop"}
# As the notes of these studies say, and as the published splits of Cars196 were built.
BUILT: dict[str, dict[str, Any]] = {
    "cub200": {"per_step": 2, "easier": True, "count": 9},
    "cars196": {"per_step": 2, "count": 8, "rule": "official", "removal": "official"},
    "online-products": {"per_step": 1000, "count": 8},
}


def split_file(session: Session, dataset: str) -> Path:
    """The file of splits of a study: DATA/cub200-oodml.json or sop-oodml.json where it was imported, or else one that is built. InputError: as
    `likeness splits build`.
    """
    file = f"{OODML[dataset].removeprefix('oodml-')}-oodml.json"
    built = session.out / "runs" / file
    if (session.data / file).is_file():
        return session.data / file
    if not built.is_file():
        build_splits(session, dataset, built)
    return built


def build_splits(session: Session, dataset: str, file: Path, every: bool = False) -> None:
    """Builds the splits of a study; with `every` all steps, and as many classes removed at random. InputError: as `likeness splits build`."""
    about: dict[str, Any] = {"rule": "paper", "removal": "paper", "half": "images", "easier": False, "start": "official", "seed": 0}
    change = [f"{key}={json.dumps(value)}" for key, value in feature_changes(session, dataset).items()]
    about |= {"source": "", "attribute": None, "encoder": None, "format": "table", "like": OODML[dataset], "change": change}
    build(file, **about | BUILT[dataset], control=every, every=every)


def feature_changes(session: Session, dataset: str) -> dict[str, Any]:
    """The session's source and those of its changes that change the features of an untrained network."""
    own = {key: value for key, value in session.changes.items() if key.startswith(("data.", "backbone.")) or key == "device"}
    return {"data.source": session.source(dataset, "all")} | own
