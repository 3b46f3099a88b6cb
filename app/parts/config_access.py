"""Resolves the paths in a run's config as a visitor wrote it."""

from contextlib import suppress
from pathlib import Path

from likeness.data import DatasetEntry, absolute_source, list_datasets
from likeness.errors import InputError
from likeness.io import write_atomic
from likeness.labels import LabelsConfig
from likeness.language import SHIPPED_PSEUDOLABELS
from likeness.shifts import shipped_splits
from likeness.training import BackboneConfig, DataConfig, GuidanceConfig, RunConfig, RunFolder, as_yaml
from parts import cached
from server import added_labels, hand_labels
from server.access import path_text, resolve_encoder, resolve_language, resolve_source, shared_name
from server.settings import server
from server.visitors import visitor


def resolve_config(config: RunConfig) -> RunConfig:
    """The same run with absolute paths, and the files of labels that were added in the app.

    Raises:
        InputError: a path that may not be read.
    """
    added, others = _label_files(config.data)
    entry = dataset_of(config.data.source)
    column = config.data.path_column or (entry.path_column if entry else None)
    if not server().shared:
        return config.model_copy(update={"data": config.data.model_copy(update={"label_files": (*others, *added), "path_column": column})})
    data = config.data.model_copy(update={"source": resolve_source(config.data.source), "labels": _labels(config.data.labels), "path_column": column})
    data = data.model_copy(update={"label_files": (*map(path_text, others), *added)})
    if data.splits is not None and data.splits not in shipped_splits():
        data = data.model_copy(update={"splits": path_text(data.splits)})
    distill = config.distill and config.distill.model_copy(update={"teacher": resolve_encoder(config.distill.teacher)})
    parts = {"data": data, "backbone": _backbone(config.backbone), "guidance": _guidance(config.guidance), "distill": distill}
    return config.model_copy(update=parts)


def resolve_backbone(name: str) -> str:
    """The name of a network with absolute paths; raises InputError for a path that may not be read."""
    kind, colon, encoder = name.partition(":")
    return f"clip:{resolve_encoder(encoder)}" if colon and kind == "clip" else resolve_encoder(name)


def resolve_run(run: RunFolder) -> None:
    """Replaces visitors' paths ("ROOT/...") in a run's config file by absolute ones, since its process cannot resolve them.

    Raises:
        InputError: a path that may not be read, a config that cannot be read or written.
    """
    config = run.config()
    resolved = resolve_config(config)
    if resolved == config:
        return
    try:
        write_atomic(run.path / "config.yaml", as_yaml(resolved).encode())
    except OSError as error:
        raise InputError(f"The config of the run '{run.name}' cannot be written ({error.strerror or error}).") from error


def dataset_of(source: str) -> DatasetEntry | None:
    """The dataset that the visitor sees for a config's source; None if there is none."""
    with suppress(InputError):  # an unreadable path belongs to no dataset here
        source = absolute_source(resolve_source(source))
    named = shared_name(source)
    return next((entry for entry in list_datasets(visitor()) if entry.source == named), None)


def _label_files(data: DataConfig) -> tuple[list[str], list[str]]:
    """Label files from the app that a run learns from, and other files that its config names."""
    entry = dataset_of(data.source)
    added = added_labels.names(entry) if entry else []
    wanted = [data.attribute] if isinstance(data.attribute, str) else data.attribute
    own = [str(added_labels.file_of(entry, name).absolute()) for name in wanted if name in added] if entry else []
    asked = [name for name in wanted if name not in added] if entry else []
    by_hand = {name: file for name in asked if entry and (file := hand_labels.frozen(entry, cached.table(entry.id).frame, name))}
    others = [file for file in data.label_files if Path(file).stem not in {*added, *by_hand}]
    return [*own, *(str(file.absolute()) for file in by_hand.values())], others


def _labels(labels: LabelsConfig | None) -> LabelsConfig | None:
    if labels is None:
        return None
    file = None if labels.file is None else path_text(labels.file)
    return labels.model_copy(update={"file": file, "language": resolve_language(labels.language)})


def _backbone(backbone: BackboneConfig) -> BackboneConfig:
    """Rejects network options that name files; they are checked where the network is built."""
    weights = backbone.weights if backbone.weights in ("pretrained", "none") else path_text(backbone.weights)
    return backbone.model_copy(update={"name": resolve_backbone(backbone.name), "weights": weights})


def _guidance(guidance: GuidanceConfig | None) -> GuidanceConfig | None:
    if guidance is None:
        return None
    changes: dict[str, object] = {
        "language": tuple(resolve_language(name) for name in guidance.language),
        "classifier": None if guidance.classifier is None else _backbone(guidance.classifier),
        "captions": None if guidance.captions is None else path_text(guidance.captions),
    }
    if guidance.pseudolabels not in (None, SHIPPED_PSEUDOLABELS):
        changes["pseudolabels"] = path_text(guidance.pseudolabels)
    return guidance.model_copy(update=changes)
