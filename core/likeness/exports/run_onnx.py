"""Export a run as an ONNX model from images to unit vectors."""

import warnings
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.exports.notion_projection import OPSET
from likeness.exports.run_card import finish_program
from likeness.exports.run_material import RunMaterial
from likeness.exports.target import ExportOptions, Target, Written, missing_package
from likeness.progress import Progress

MODEL = "model.onnx"


def write_onnx(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run as an ONNX model from images to unit vectors, its preprocessing and a card.

    `model.onnx` takes `images` (n, 3, h, w) float32 with values 0 to 1, any n, and gives `embeddings` (n, d), unit rows: normalization and
    scaling are inside.
    """
    try:
        import onnx
        import onnxscript  # noqa: F401  (torch's exporter needs it)
    except ImportError as error:
        raise missing_package("A run as an ONNX model", error.name or "onnx", "onnx") from error
    import torch

    from likeness.exports.run_graph import INPUT, OUTPUT, exported_run

    program, names = exported_run(material), dict[str, Any](input_names=[INPUT], output_names=[OUTPUT])
    try:
        with warnings.catch_warnings(action="ignore"):
            made: Any = torch.onnx.export(program, dynamo=True, opset_version=OPSET, verbose=False, **names)
        model = made.model_proto
    except (torch.onnx.errors.OnnxExporterError, RuntimeError) as error:
        reason = " ".join(str(error.__cause__ or error).split())[:150]
        raise InputError(f"The network '{material.config.backbone.name}' cannot be written as ONNX ({reason}); choose pt2.") from error
    for each in (*model.graph.input, *model.graph.output):
        each.type.tensor_type.shape.dim[0].dim_param = "n"
    onnx.helper.set_model_props(model, material.metadata)
    onnx.checker.check_model(model)
    (folder / MODEL).write_bytes(model.SerializeToString())
    call = f'(embeddings,) = onnxruntime.InferenceSession("{MODEL}").run(None, {{"images": images}})'
    return finish_program(folder, material, MODEL, f"An ONNX model of the run '{material.run.name}'", "onnxruntime", call)


TARGET = Target("onnx", "Run as ONNX", "run", write_onnx)
