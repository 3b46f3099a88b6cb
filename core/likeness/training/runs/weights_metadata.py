"""What the weights of a run say about themselves, in the header of their file."""

import json
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from likeness.training.config import RunConfig, as_yaml
from likeness.training.runs.run_preprocessing import run_preprocessing

if TYPE_CHECKING:
    from likeness.training.network.embedding_network import EmbeddingNetwork


def weights_metadata(network: "EmbeddingNetwork", config: RunConfig, figures: dict[str, Any]) -> dict[str, str]:
    """Texts by name: the format of the tensors, Likeness's version, the whole config as YAML, preprocessing and figures as JSON."""
    return {
        "format": "pt",
        "likeness.version": version("likeness"),
        "likeness.config": as_yaml(config),
        "likeness.preprocessing": json.dumps(asdict(run_preprocessing(network, config.data))),
        "likeness.figures": json.dumps(figures),
    }
