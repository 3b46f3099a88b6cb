"""timm backbones: images only; equal to timm itself."""

from pathlib import Path

import numpy as np
import pytest

from likeness.encoders import embed_texts, encoder_identity, load_encoder
from likeness.errors import InputError


def test_vectors_equal_timms(tiny_timm: Path, photo) -> None:
    import timm
    import torch

    model = timm.create_model(f"local-dir:{tiny_timm}", pretrained=True, num_classes=0).eval()
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(model), is_training=False)
    images = [photo(50, 70), photo(100, 48)]
    with torch.inference_mode():
        expected = torch.nn.functional.normalize(model(torch.stack([transform(image) for image in images]))).numpy()
    encoder = load_encoder(f"timm:local-dir:{tiny_timm}", "cpu")
    np.testing.assert_allclose(encoder.encode_images(images), expected, atol=1e-6)
    assert encoder.dim == expected.shape[1]


def test_identity_follows_the_folders_content(tiny_timm: Path) -> None:
    assert load_encoder(f"timm:local-dir:{tiny_timm}", "cpu").identity == encoder_identity(f"timm:local-dir:{tiny_timm}")


def test_there_is_no_text_side(tiny_timm: Path) -> None:
    encoder = load_encoder(f"timm:local-dir:{tiny_timm}", "cpu")
    assert not encoder.has_text
    assert encoder.unknown_words("a car") == []
    for ask in (encoder.encode_texts, lambda texts: embed_texts(encoder, texts)):
        with pytest.raises(InputError, match="has no text side; choose one that reads texts"):
            ask(["a car"])


def test_pretrained_weights_tell_photos_apart(shared: Path, tmp_path: Path) -> None:
    """Real ImageNet weights on real photos: a nearest neighbor is of the same class far more often than by chance (1 in 10)."""
    import io
    import zipfile

    import timm
    from PIL import Image
    from safetensors.torch import load_file
    from timm.models import save_for_hf

    preprocessing = {"input_size": (3, 96, 96), "mean": (0.5,) * 3, "std": (0.5,) * 3, "interpolation": "bicubic", "crop_pct": 1.0}
    model = timm.create_model("mobilenetv2_100", pretrained=False, pad_type="same", pretrained_cfg_overlay=preprocessing)
    model.load_state_dict(load_file(shared / "weights" / "mobilenetv2_100_in1k.safetensors"), strict=False)
    save_for_hf(model, tmp_path, model_args={"pad_type": "same"}, safe_serialization=True)
    classes = ["apple", "bicycle", "bottle", "castle", "lion", "orange", "poppy", "rocket", "streetcar", "wolf"]
    with zipfile.ZipFile(shared / "data" / "cifar100_300.zip") as archive:
        names = [name for wanted in classes for name in [n for n in archive.namelist() if f"/{wanted}/" in n and n.endswith(".png")][:12]]
        images = [Image.open(io.BytesIO(archive.read(name))) for name in names]
    labels = np.repeat(np.arange(10), 12)
    vectors = load_encoder(f"timm:local-dir:{tmp_path}", "cpu").encode_images(images)
    similarities = vectors @ vectors.T
    np.fill_diagonal(similarities, -1)
    assert (labels[similarities.argmax(1)] == labels).mean() > 0.5
