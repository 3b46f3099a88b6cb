"""No pickle is ever run, wherever arrays, weights, checkpoints or others' formats are read."""

import ast
import io
import json
import os
import pickle
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError

_ROOT = Path(__file__).resolve().parents[2]
_TRUSTING = ("weights_only", "allow_pickle", "add_safe_globals", "trust_remote_code")


def _check_advice(error: BaseException) -> None:
    """Neither the sentence nor the traceback tells anybody to trust the file."""
    said = "".join(traceback.format_exception(error))
    lines = [line for line in said.splitlines() if any(word in line for word in _TRUSTING) and not line.startswith("    ")]
    assert not lines, said
    assert not any(word in str(error) for word in _TRUSTING)


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
    from likeness.io.array_files import mapped_array, read_array, read_arrays, read_checkpoint, read_weights
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
    with warnings.catch_warnings(action="ignore"):  # it is deprecated, and there all the same
        torch.jit.script(torch.nn.Linear(2, 2)).save(tmp_path / "scripted.pt")
    for read in (
        lambda: read_plain_pickle(tmp_path / "b.pkl"),
        lambda: read_array(tmp_path / "b.npy"),
        lambda: read_array(tmp_path / "b.pkl"),
        lambda: read_array(tmp_path / "b.npy", mapped=True),
        lambda: mapped_array(tmp_path / "b.npy"),
        lambda: mapped_array(tmp_path / "b.pkl"),
        lambda: read_arrays((tmp_path / "b.npz").read_bytes(), ("a",)),
        lambda: read_arrays(tmp_path / "b.pkl", ("a",)),
        lambda: read_arrays(tmp_path / "b.npz", ("a",)),
        lambda: read_matrix(tmp_path / "b.npy"),
        lambda: read_checkpoint(tmp_path / "b.ckpt"),
        lambda: read_checkpoint(tmp_path / "b.pkl"),
        lambda: read_checkpoint(tmp_path / "scripted.pt"),
        lambda: CheckpointFile(tmp_path / "b.ckpt").read(),
        lambda: load_checkpoint(CheckpointFile(tmp_path / "b.ckpt"), ClipRecipe(), []),
        lambda: read_weights(tmp_path / "b.safetensors"),
        lambda: build_network(BackboneConfig(name="test_resnet", weights=str(tmp_path / "b.safetensors"))),
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert "\n" not in str(caught.value)
        _check_advice(caught.value)
    assert not trace.exists()


def test_arrays_and_checkpoints_are_loaded_in_one_place() -> None:
    """Elsewhere an error of NumPy or torch would come through with its advice."""
    found = set()
    for folder in ("core", "app", "experiments"):
        for file in (file for file in (_ROOT / folder).rglob("*.py") if "tests" not in file.parts):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.load", "numpy.load", "torch.load", "joblib.load", "pd.read_pickle"):
                    found.add(file.relative_to(_ROOT).as_posix())
    assert found == {"core/likeness/io/array_files.py", "core/likeness/training/loop/callback.py"}  # which looks at what it would write


def test_what_a_library_says_is_told_but_for_its_advice() -> None:
    from likeness.io import cause_of, reason_of

    error = ValueError("This file contains pickled data.\nLoad it unsafely using the `allow_pickle=` keyword argument.")
    wrapped = OSError("Unable to load weights")
    wrapped.__cause__ = error
    for each in (error, wrapped):
        assert (reason_of(each), cause_of(each)) == ("it is damaged, or would execute code, which is not allowed", None)
    plain = ValueError("the header is  too\nshort")
    assert (reason_of(plain), cause_of(plain)) == ("the header is too short", plain)
    assert reason_of(KeyError()) == "KeyError"
    assert reason_of(ValueError("x" * 300), 10) == f"{'x' * 10}…"


def test_a_pickle_that_refers_to_what_lies_outside_is_not_read() -> None:
    from likeness.io.plain_pickle import PlainUnpickler

    class Refers(pickle.Pickler):
        def persistent_id(self, thing: object) -> str | None:
            return "elsewhere" if thing == "x" else None

    content = io.BytesIO()
    Refers(content).dump({1: "x"})
    content.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="external objects"):
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
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        load_encoder(f"local-dir:{folder}")
    _check_advice(caught.value)
    from likeness.language.transformers_model import TransformersModel

    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}))
    torch.save({"a": _Bomb(trace)}, folder / "pytorch_model.bin")
    with pytest.raises(InputError) as caught:
        TransformersModel("x", str(folder)).encode_texts(["a"])
    _check_advice(caught.value)
    assert not trace.exists()
