"""No pickle is ever run, wherever arrays, weights, checkpoints or others' formats are read."""

import io
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError


class _Bomb:
    """What a hostile pickle does when it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.trace),)


def test_no_pickle_is_ever_run(tmp_path: Path) -> None:
    import torch

    from experiments.clip import ClipRecipe
    from experiments.clip.checkpoint import load_checkpoint
    from likeness.io import CheckpointFile
    from likeness.io.array_files import read_array, read_arrays, read_checkpoint, read_weights
    from likeness.labels.matrix import read_matrix
    from likeness.shifts.official_splits import read_plain_pickle
    from likeness.training.config import BackboneConfig
    from likeness.training.network.backbones import build_network

    trace = tmp_path / "it ran"
    (tmp_path / "b.pkl").write_bytes(pickle.dumps({1: _Bomb(trace)}))
    np.save(tmp_path / "b.npy", np.array([_Bomb(trace)], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "b.npz", a=np.array([_Bomb(trace)], dtype=object))
    torch.save({"state_dict": _Bomb(trace)}, tmp_path / "b.ckpt")
    (tmp_path / "b.safetensors").write_bytes((tmp_path / "b.ckpt").read_bytes())
    for read in (
        lambda: read_plain_pickle(tmp_path / "b.pkl"),
        lambda: read_array(tmp_path / "b.npy"),
        lambda: read_array(tmp_path / "b.pkl"),
        lambda: read_arrays(tmp_path / "b.npz", ("a",)),
        lambda: read_matrix(tmp_path / "b.npy"),
        lambda: read_checkpoint(tmp_path / "b.ckpt"),
        lambda: read_checkpoint(tmp_path / "b.pkl"),
        lambda: load_checkpoint(CheckpointFile(tmp_path / "b.ckpt"), ClipRecipe(), []),
        lambda: read_weights(tmp_path / "b.safetensors"),
        lambda: build_network(BackboneConfig(name="test_resnet", weights=str(tmp_path / "b.safetensors"))),
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert "\n" not in str(caught.value)
    assert not trace.exists()


def test_a_pickle_that_refers_to_what_lies_outside_is_not_read() -> None:
    from likeness.io.plain_pickle import PlainUnpickler

    class Refers(pickle.Pickler):
        def persistent_id(self, thing: object) -> str | None:
            return "elsewhere" if thing == "x" else None

    content = io.BytesIO()
    Refers(content).dump({1: "x"})
    content.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="outside of the file"):
        PlainUnpickler(content).load()


def test_models_saved_as_pickles_are_not_run(tmp_path: Path) -> None:
    """open_clip folders and transformers folders with weights that are hostile pickles."""
    import shutil

    import torch

    from likeness.encoders import load_encoder
    from likeness.io.paths import assets_dir

    trace, folder = tmp_path / "it ran", tmp_path / "model"
    shutil.copytree(assets_dir() / "clip", folder)
    for file in folder.glob("*.safetensors"):
        file.unlink()
    torch.save({"state_dict": _Bomb(trace)}, folder / "open_clip_pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(f"local-dir:{folder}")
    from likeness.language.transformers_model import TransformersModel

    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}))
    torch.save({"a": _Bomb(trace)}, folder / "pytorch_model.bin")
    with pytest.raises(InputError):
        TransformersModel("x", str(folder)).encode_texts(["a"])
    assert not trace.exists()
