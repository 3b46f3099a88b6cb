"""Export a run as an ONNX model from images to unit vectors."""

import io
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.exports.notion_projection import OPSET
from likeness.exports.run_card import finish_run, image_lines
from likeness.exports.run_material import RunMaterial
from likeness.exports.stores import missing_client
from likeness.exports.target import ExportOptions, Target, Written
from likeness.progress import Progress

MODEL = "model.onnx"


def write_onnx(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run as an ONNX model from images to unit vectors, its preprocessing and a card.

    `model.onnx` takes `images` (n, 3, h, w) float32 with values 0 to 1, any n, and gives `embeddings` (n, d), unit rows: normalization and
    scaling are inside.
    """
    (folder / MODEL).write_bytes(onnx_model(material))
    side = material.preprocessing.crop
    files = f"`{MODEL}` takes `images` (n, 3, {side}, {side}) with values 0 to 1, any n, and gives `embeddings`, unit rows."
    return finish_run(folder, material, True, f"An ONNX model of the run '{material.run.name}'", files, _usage(material))


def onnx_model(material: RunMaterial) -> bytes:
    """The model, with its metadata."""
    try:
        import onnx
    except ImportError as error:
        raise missing_client("A run as an ONNX model", "onnx", "onnx", error) from error
    import torch

    from likeness.exports.run_graph import INPUT, OUTPUT, RunGraph, quiet_trace, traced_run

    axes = {name: {0: "n"} for name in (INPUT, OUTPUT)}
    names: dict[str, Any] = {"input_names": [INPUT], "output_names": [OUTPUT], "dynamic_axes": axes}
    target = io.BytesIO()
    traced_run(material)  # the exporter does not notice what its tracer makes a constant
    try:
        with quiet_trace():
            # torch's newer exporter needs the package onnxscript as well
            torch.onnx.export(RunGraph(material).eval(), (material.example(2),), target, opset_version=OPSET, dynamo=False, **names)  # type: ignore[arg-type]
    except (torch.onnx.errors.OnnxExporterError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:150]
        raise InputError(f"The network '{material.config.backbone.name}' cannot be written as ONNX ({reason}); choose torchscript.") from error
    model = onnx.load_from_string(target.getvalue())
    onnx.helper.set_model_props(model, material.metadata)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _usage(material: RunMaterial) -> str:
    return f"""
import numpy as np
import onnxruntime
from PIL import Image, ImageOps

{image_lines(material)}
(embeddings,) = onnxruntime.InferenceSession("{MODEL}").run(None, {{"images": images}})
"""


TARGET = Target("onnx", "Run as ONNX", "run", write_onnx)
