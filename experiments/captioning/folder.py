"""A captioning model's folder: config, vocabulary, checkpoints, measurements, report and captions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from experiments.captioning.config import CaptioningConfig, read_captioning_config
from likeness.errors import InputError
from likeness.io import parse_json, read_weights, text_of, write_atomic, write_weights
from likeness.training import RunFolder

if TYPE_CHECKING:
    from torch import nn


class CaptioningFolder:
    """The files of one model on one set of features.

    Args:
        path: its folder; need not exist yet.

    Attributes:
        standing: status, stop request, metrics and report, kept as those of a run; what it calls the config is not there.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.standing = RunFolder(self.path)
        self.checkpoint, self.vocabulary = self.path / "checkpoint.pt", self.path / "vocabulary.json"
        # not "config.yaml", by which runs of embedding networks are found
        self._config, self._features = self.path / "captioning.yaml", self.path / "features.json"

    def create(self, config: CaptioningConfig, features: dict[str, str]) -> None:
        """Writes config and features (their name and identity).

        Raises:
            InputError: if a model of another config or of other features is there.
        """
        if self._config.is_file() and (self.config() != config or self.features() != features):
            raise InputError(f"The folder '{self.path}' holds a captioning model of another config or other features; choose another folder.")
        content = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        write_atomic(self._features, json.dumps(features).encode())
        write_atomic(self._config, content.encode())

    def config(self) -> CaptioningConfig:
        """Raises InputError if there is no model."""
        if not self._config.is_file():
            raise InputError(f"There is no captioning model in '{self.path}'; train one with `python -m experiments.captioning train`.")
        return read_captioning_config(self._config)

    def features(self) -> dict[str, str]:
        """Name and identity of the features; empty without a model."""
        found = self._json(self._features, {})
        is_text = isinstance(found, dict) and all(isinstance(value, str) for value in found.values())
        if not is_text or (found and not {"name", "identity"} <= found.keys()):
            raise InputError(f"'{self._features.name}' in '{self.path}' does not name the model's features; train the model again.")
        return dict(found)

    def _json(self, file: Path, none: Any) -> Any:
        return parse_json(text_of(file), f"'{file.name}' of the captioning model") if file.is_file() else none

    def report(self) -> dict[str, Any] | None:
        """The final figures, or None before the end."""
        return self.standing.report()

    def captions(self, stage: str) -> list[dict[str, Any]]:
        """Path, caption and references of every test image, by the best weights of "xe" or "rl"; empty before the end."""
        file = self.path / f"captions-{stage}.json"
        found = self._json(file, [])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            raise InputError(f"'{file.name}' in '{self.path}' has no captions; train the model again.")
        return found

    def write_captions(self, stage: str, captions: list[dict[str, Any]]) -> None:
        """The reference captions."""
        write_atomic(self.path / f"captions-{stage}.json", json.dumps(captions, ensure_ascii=False, indent=0).encode())

    def save_best(self, stage: str, model: "nn.Module") -> None:
        """Saves the weights as the best of a stage."""
        write_weights(self._best(stage), model.state_dict())

    def load_best(self, stage: str, model: "nn.Module") -> None:
        """Loads the best weights of a stage into the model; one on the device "meta" adopts the tensors read, after their sizes are checked.

        Raises:
            InputError: there are none, or they do not fit the model.
        """
        on_meta = any(value.is_meta for value in model.parameters())
        try:
            model.load_state_dict(read_weights(self._best(stage)), assign=on_meta)
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"The weights '{self._best(stage)}' cannot be read ({reason}); delete the folder to train again.") from error

    def _best(self, stage: str) -> Path:
        return self.path / f"best-{stage}.safetensors"
