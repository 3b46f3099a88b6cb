"""Export a run on a timm network as a model of sentence-transformers."""

import json
import tempfile
from pathlib import Path

from likeness.encoders import quiet
from likeness.errors import InputError
from likeness.exports.run_card import finish_run
from likeness.exports.run_material import RunMaterial
from likeness.exports.run_timm import timm_config
from likeness.exports.target import ExportOptions, Target, Written, missing_package
from likeness.io import write_weights
from likeness.progress import Progress


def write_sentence_transformers(material: RunMaterial, folder: Path, options: ExportOptions, progress: Progress) -> Written:
    """A folder with a trained run on a timm network as a model of sentence-transformers, its preprocessing and a card.

    `SentenceTransformer(FOLDER).encode(images)` takes PIL images and gives unit rows (n, d). All modules are the library's own: timm's network in
    transformers, the embedding layer, scaling. The folder is loaded again and compared with the run on shipped images.
    """
    name, head = material.run.name, material.network.head
    if material.config.backbone.name.startswith("clip:"):
        raise InputError(f"The run '{name}' is based on a CLIP, but this target takes timm models; choose open_clip, onnx or pt2.")
    material.check_scaling("sentence-transformers")
    try:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Transformer
    except ImportError as error:
        raise missing_package("This target", "sentence-transformers", "language") from error
    dense = Dense(head.in_features, head.out_features, activation_function=None, init_weight=head.weight.data, init_bias=head.bias.data)
    with quiet(), tempfile.TemporaryDirectory() as place:
        write_weights(Path(place, "model.safetensors"), material.backbone.state_dict(), material.metadata)
        Path(place, "config.json").write_text(json.dumps(timm_config(material, material.backbone) | {"num_classes": 0}), encoding="utf-8")
        pooled = {"image": {"method": "forward", "method_output_name": "pooler_output"}}
        network = Transformer(place, modality_config=pooled, module_output_name="sentence_embedding")
        SentenceTransformer(modules=[network, dense, Normalize()], device="cpu").save(str(folder), create_model_card=False)
        material.check(SentenceTransformer(str(folder), device="cpu").encode, "sentence-transformers")
    files = "`modules.json` and what it names are a model of sentence-transformers."
    return finish_run(folder, material, True, f"The run '{name}' as a model of sentence-transformers", files, _USAGE)


_USAGE = """
from PIL import Image, ImageOps
from sentence_transformers import SentenceTransformer

embeddings = SentenceTransformer(".").encode([ImageOps.exif_transpose(Image.open("photo.jpg")).convert("RGB")])
"""

TARGET = Target("sentence-transformers", "Run as a sentence-transformers model", "run", write_sentence_transformers)
