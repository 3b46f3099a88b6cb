"""Export a notion as a linear map: NumPy, ONNX, and a README."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.exports.material import Material
from likeness.exports.target import ExportOptions, Target, Written, missing_package
from likeness.progress import Progress

# what onnxruntime reads since 1.15 (2023); no operator here has changed since
OPSET, IR_VERSION = 18, 8
MATRIX, MEAN, MODEL, PAGE = "U.npy", "mean.npy", "projection.onnx", "README.md"
_EPS = np.finfo(np.float32).eps


def write_notion(material: Material, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a notion's linear map as a NumPy file and an ONNX model, and a README.

    A folder with `U.npy` (r, d) float32, `projection.onnx` and `README.md`; for a method with a mean also `mean.npy` (r,).

    The model takes `vectors` (n, r) float32 of the encoder, of any length, images or texts alike, and gives `notion` (n, d), unit rows or zero, as
    `Space.refit` does (Eq. 5 and 6 of the InDiReCT paper).
    """
    U, mean = linear_map(material.space)
    model = projection_model(U, mean)
    np.save(folder / MATRIX, U)
    if mean is not None:
        np.save(folder / MEAN, mean)
    (folder / MODEL).write_bytes(model.SerializeToString())
    _write_page(folder, material.about["name"], material.encoder, U, mean)
    return Written(U.shape[1], note=f"A map of {U.shape[0]} dimensions of the encoder to {U.shape[1]}; {PAGE} says how to use it.", what="dimensions")


def linear_map(space: Any) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """The matrix (r, d) of a notion's space, and the mean (r,) subtracted before it, or None; raises InputError for spaces of another form."""
    from likeness.notions import CenteredProjection, LinearProjection

    if space is None or space.base is None:
        raise InputError("This is not a notion's space; create one with `space.refit(notion)`, or pass --notion.")
    if space.base.base is not None:
        raise InputError(f"'{space.name}' is derived from another notion's space; refit the encoder's space instead.")
    made = space.estimator
    if not isinstance(made, LinearProjection | CenteredProjection):
        raise InputError(
            f"'{space.name}' is fitted by {type(made).__name__}, which is not a single matrix; choose a linear method, such as 'exact', "
            "'scaled-pca' or 'pca'."
        )
    mean = getattr(made, "mean_", None)
    return np.asarray(made.U, np.float32), None if mean is None else np.asarray(mean, np.float32)


def projection_model(U: NDArray[np.float32], mean: NDArray[np.float32] | None = None) -> Any:
    """The ONNX model that takes vectors v to unit rows of v U, or of (v / |v| - mean) U.

    Rows within rounding of zero, that is |v U| <= eps |v| |U|, become zero, as in `likeness.notions.project`.
    """
    try:
        from onnx import TensorProto, checker, helper, numpy_helper
    except ImportError as error:
        raise missing_package("A notion as an ONNX model", "onnx", "onnx") from error
    least = _EPS * float(np.linalg.norm(U)) if mean is None else 0.0
    values = {"U": U, "least": np.array([[least]], np.float32), "one": np.ones((1, 1), np.float32), "zero": np.zeros((1, 1), np.float32)}
    values |= {} if mean is None else {"mean": mean[None]}
    axes = numpy_helper.from_array(np.array([1], np.int64), "axes")
    nodes = [helper.make_node("ReduceL2", ["vectors", "axes"], ["lengths"], keepdims=1)]
    if mean is not None:
        nodes += [helper.make_node("Div", ["vectors", "lengths"], ["unit"]), helper.make_node("Sub", ["unit", "mean"], ["centered"])]
    nodes += [
        helper.make_node("MatMul", ["vectors" if mean is None else "centered", "U"], ["codes"]),
        helper.make_node("Mul", ["lengths", "least"], ["bound"]),
        helper.make_node("ReduceL2", ["codes", "axes"], ["norms"], keepdims=1),
        helper.make_node("Greater", ["norms", "bound"], ["placed"]),
        helper.make_node("Where", ["placed", "norms", "one"], ["divisors"]),
        helper.make_node("Div", ["codes", "divisors"], ["scaled"]),
        helper.make_node("Where", ["placed", "scaled", "zero"], ["notion"]),
    ]
    given = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", U.shape[0]])
    made = helper.make_tensor_value_info("notion", TensorProto.FLOAT, ["n", U.shape[1]])
    constants = [axes, *(numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in values.items())]
    graph = helper.make_graph(nodes, "notion", [given], [made], constants)
    model = helper.make_model(graph, producer_name="likeness", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    checker.check_model(model)
    return model


def _write_page(folder: Path, name: str, encoder: str, U: NDArray[np.float32], mean: NDArray[np.float32] | None) -> None:
    encoder = encoder or "the encoder that the notion was fitted for"
    subtracted = "" if mean is None else f'mean = np.load("{MEAN}")\n'
    product = "vectors @ U" if mean is None else "(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) - mean) @ U"
    (folder / PAGE).write_text(
        f"""# {" ".join(name.split())}

A linear map from the {U.shape[0]} dimensions of the encoder `{encoder}` to {U.shape[1]}, in which images are near each other that are alike in this
notion. It takes vectors of images and of texts alike; cosine similarities of what comes out say how alike they are.

`vectors.npy` holds vectors (n, {U.shape[0]}) of that encoder, as `likeness embed photos/ --encoder {encoder} --out vectors.npy` writes them.

With NumPy:

```python
import numpy as np

U = np.load("{MATRIX}")  # ({U.shape[0]}, {U.shape[1]})
{subtracted}vectors = np.load("vectors.npy")
codes = {product}
notion = codes / np.maximum(np.linalg.norm(codes, axis=1, keepdims=True), 1e-12)
print(notion @ notion[0])  # how alike each image is to the first one
```

With onnxruntime:

```python
import numpy as np
import onnxruntime

model = onnxruntime.InferenceSession("{MODEL}")
(notion,) = model.run(None, {{"vectors": np.load("vectors.npy")}})
print(notion @ notion[0])
```
""",
        encoding="utf-8",
    )


TARGET = Target("notion", "Notion as NumPy and ONNX", "notion", write_notion)
